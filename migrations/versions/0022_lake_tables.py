"""Lake tables: datasets of Parquet files, of which a table holds a sample."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
additive = True


def upgrade() -> None:
    # A schema of its own: the registry reads it as the reader, which sees nothing of `geoagent`.
    op.execute("CREATE SCHEMA IF NOT EXISTS geoagent_lake")
    # `regclass` follows a renamed table, and is written as a name into a dump.
    op.execute("""
        CREATE TABLE geoagent_lake.dataset (
            relation regclass PRIMARY KEY,
            rows bigint NOT NULL,
            sample_rows bigint NOT NULL,
            files integer NOT NULL,
            bytes bigint NOT NULL,
            version text NOT NULL,
            bounds double precision[],
            ranges jsonb NOT NULL DEFAULT '{}',
            document jsonb NOT NULL,
            registered_at timestamptz NOT NULL DEFAULT now()
        )
    """)
    op.execute(
        "COMMENT ON TABLE geoagent_lake.dataset IS"
        " 'Datasets of Parquet files: which table holds a sample of each, and what their metadata say.'"
    )


def downgrade() -> None:
    op.execute("DROP SCHEMA geoagent_lake CASCADE")
