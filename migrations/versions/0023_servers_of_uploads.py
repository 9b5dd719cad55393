"""Which server loads an upload, so that what a killed one left is removed soon."""

from __future__ import annotations

from alembic import op

revision = "0023"
down_revision = "0022"
additive = True


def upgrade() -> None:
    op.execute("ALTER TABLE geoagent.upload ADD COLUMN server text")
    op.execute(
        "COMMENT ON COLUMN geoagent.upload.server IS "
        "'The server that loads the file; null for one that does not say so.'"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE geoagent.upload DROP COLUMN server")
