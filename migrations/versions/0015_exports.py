"""Files that were made for a map, and until when their links work."""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"
additive = True


def upgrade() -> None:
    op.execute("""
        CREATE TABLE geoagent.export (
            id text PRIMARY KEY,
            map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
            request jsonb NOT NULL,
            file_name text NOT NULL,
            created_at timestamptz NOT NULL DEFAULT now(),
            expires_at timestamptz NOT NULL
        )
    """)
    op.execute("CREATE INDEX export_map ON geoagent.export (map_id)")
    op.execute("CREATE INDEX export_expiry ON geoagent.export (expires_at)")
    op.execute(
        "COMMENT ON TABLE geoagent.export IS"
        " 'Files that were made for a map, by what they hold; links to them work until expires_at.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.export")
