"""The layers and charts of a map at some of its events, so that restoring one reads no more than the events since."""

from __future__ import annotations

from alembic import op

revision = "0024"
down_revision = "0023"
additive = True


def upgrade() -> None:
    op.execute("""
        CREATE TABLE geoagent.checkpoint (
            map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
            seq bigint NOT NULL,
            layers jsonb NOT NULL,
            charts jsonb NOT NULL,
            PRIMARY KEY (map_id, seq)
        )
    """)
    op.execute(
        "COMMENT ON TABLE geoagent.checkpoint IS "
        "'Layers and charts of a map as of an event; what the log says, and may be deleted at any time.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.checkpoint")
