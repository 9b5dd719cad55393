"""Analyses of maps with their receipts, the tables that they keep, and recipes."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = [
    """
    CREATE TABLE geoagent.analysis (
        id text PRIMARY KEY,
        map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
        turn_id text,
        goal text NOT NULL,
        status text NOT NULL DEFAULT 'running'
            CHECK (status IN ('running', 'finished', 'failed')),
        plan jsonb NOT NULL,
        receipt jsonb NOT NULL,
        tables text[] NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        finished_at timestamptz
    )
    """,
    "COMMENT ON TABLE geoagent.analysis IS 'Asked, planned and done. Result tables that no row names are dropped.'",
    "CREATE INDEX analysis_map ON geoagent.analysis (map_id, created_at)",
    """
    CREATE TABLE geoagent.recipe (
        map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
        name text NOT NULL,
        document jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (map_id, name)
    )
    """,
    "COMMENT ON TABLE geoagent.recipe IS 'Plans that were saved on a map, to be run again with other values.'",
]


def upgrade() -> None:
    for statement in TABLES:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.recipe, geoagent.analysis")
