"""Overviews of large tables for low zoom: their tables have a schema of their own."""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"
additive = True


def upgrade() -> None:
    op.execute("CREATE SCHEMA IF NOT EXISTS geoagent_overviews")
    op.execute("""
        CREATE TABLE geoagent.overview (
            relid oid PRIMARY KEY,
            build integer NOT NULL DEFAULT 0,
            data_version text,
            document jsonb,
            built_at timestamptz,
            next_version text,
            next_steps jsonb,
            error text,
            seconds double precision NOT NULL DEFAULT 0,
            tried_at timestamptz NOT NULL DEFAULT now()
        )
    """)
    op.execute(
        "COMMENT ON TABLE geoagent.overview IS"
        " 'The overviews of a table, by its oid: those in use (document), and those being built (next_).'"
    )


def downgrade() -> None:
    op.execute("DROP SCHEMA geoagent_overviews CASCADE")
    op.execute("DROP TABLE geoagent.overview")
