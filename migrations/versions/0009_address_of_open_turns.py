"""An open turn knows the network address that asked, for the limits of the queue."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
additive = True


def upgrade() -> None:
    op.execute("ALTER TABLE geoagent.turn ADD COLUMN address text")


def downgrade() -> None:
    op.execute("ALTER TABLE geoagent.turn DROP COLUMN address")
