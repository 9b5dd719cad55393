"""Uploads that were read and wait for the person's decision where their rows go."""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0020"
additive = True


def upgrade() -> None:
    op.execute("ALTER TABLE geoagent.upload ADD COLUMN staged_at timestamptz")
    op.execute(
        "COMMENT ON COLUMN geoagent.upload.staged_at IS "
        "'The table is complete and waits: to be named, or to be merged.'"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE geoagent.upload DROP COLUMN staged_at")
