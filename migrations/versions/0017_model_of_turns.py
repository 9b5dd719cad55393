"""A turn knows the model of the server that accepted it, so that a server with the same model answers it."""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"
additive = True


def upgrade() -> None:
    op.execute("ALTER TABLE geoagent.turn ADD COLUMN model text")


def downgrade() -> None:
    op.execute("ALTER TABLE geoagent.turn DROP COLUMN model")
