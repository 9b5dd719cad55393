"""Overviews of the rows that pass a filter, beside those of all rows of a table; and when what was last needed."""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"
additive = True


def upgrade() -> None:
    op.execute("""
        ALTER TABLE geoagent.overview ADD COLUMN filtered jsonb NOT NULL DEFAULT '{}',
        ADD COLUMN needed jsonb NOT NULL DEFAULT '{}'
    """)
    op.execute(
        "COMMENT ON COLUMN geoagent.overview.filtered IS 'Overviews of the rows that pass a filter, by the filter.'"
    )
    op.execute(
        "COMMENT ON COLUMN geoagent.overview.needed IS"
        " 'When summaries and filters were last on a map that somebody looked at, in seconds since 1970.'"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE geoagent.overview DROP COLUMN filtered, DROP COLUMN needed")
