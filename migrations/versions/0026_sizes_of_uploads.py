"""What an upload takes is stored with it, so that nobody who uploads waits for a table that somebody has locked."""

from __future__ import annotations

from alembic import op

revision = "0026"
down_revision = "0025"
additive = True


def upgrade() -> None:
    op.execute("""
        UPDATE geoagent.upload SET bytes = pg_total_relation_size(to_regclass(format('data.%I', table_name)))
        WHERE to_regclass(format('data.%I', table_name)) IS NOT NULL
    """)
    op.execute(
        "COMMENT ON COLUMN geoagent.upload.bytes IS 'Of the file while it is loaded, then of the table with indexes.'"
    )


def downgrade() -> None:
    op.execute("COMMENT ON COLUMN geoagent.upload.bytes IS NULL")
