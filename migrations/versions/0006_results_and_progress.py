"""Of each analysis: which of its tables is the result that the map sees, and how far a running one is.

Runs sixth; its revision stays the one that databases hold.
"""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0005"


def upgrade() -> None:
    op.execute("ALTER TABLE geoagent.analysis ADD COLUMN result text, ADD COLUMN progress jsonb")
    op.execute(
        "COMMENT ON COLUMN geoagent.analysis.result IS 'Id of the table that the map sees; the others are steps.'"
    )
    op.execute("COMMENT ON COLUMN geoagent.analysis.progress IS 'While it runs: what was told of it last.'")
    op.execute(
        "UPDATE geoagent.analysis SET result = receipt #>> '{steps,-1,table}' WHERE cardinality(tables) > 0"
    )
    # Whose result a table is, is asked for every layer that is added.
    op.execute("CREATE INDEX analysis_result ON geoagent.analysis (result) WHERE result IS NOT NULL")


def downgrade() -> None:
    op.execute("ALTER TABLE geoagent.analysis DROP COLUMN result, DROP COLUMN progress")
