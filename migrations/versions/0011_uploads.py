"""Uploads: which map each came from, whose quota it counts for, and the role that loads them."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"
additive = True

REMOVE_LOADER = """
    DO $$
    DECLARE
        loader text := geoagent.role_name('loader');
    BEGIN
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = loader) THEN
            EXECUTE format('REASSIGN OWNED BY %I TO CURRENT_USER', loader);
            EXECUTE format('DROP OWNED BY %I', loader);
            EXECUTE format('DROP ROLE %I', loader);
        END IF;
    END
    $$
"""


def upgrade() -> None:
    op.execute("""
        CREATE TABLE geoagent.upload (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            table_name text NOT NULL,
            map_id text REFERENCES geoagent.map ON DELETE SET NULL,
            address text NOT NULL,
            bytes bigint NOT NULL,
            started_at timestamptz NOT NULL DEFAULT now(),
            loaded_at timestamptz
        )
    """)
    op.execute("CREATE INDEX upload_map ON geoagent.upload (map_id)")
    op.execute("CREATE INDEX upload_address ON geoagent.upload (address)")
    op.execute(
        "COMMENT ON TABLE geoagent.upload IS 'Files that became tables in data; without loaded_at, under way.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.upload")
    op.execute(REMOVE_LOADER)
