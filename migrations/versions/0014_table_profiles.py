"""Table profiles: what is expensive to find out about a table, kept with the version of its data."""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0013"
additive = True


def upgrade() -> None:
    op.execute("""
        CREATE TABLE geoagent.table_profile (
            relid oid PRIMARY KEY,
            data_version text NOT NULL,
            document jsonb,
            error text,
            seconds double precision NOT NULL,
            measured_at timestamptz NOT NULL DEFAULT now()
        )
    """)
    op.execute(
        "COMMENT ON TABLE geoagent.table_profile IS"
        " 'Exact counts and statistics of tables on maps, by the oid of the table; without a document, what failed.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.table_profile")
