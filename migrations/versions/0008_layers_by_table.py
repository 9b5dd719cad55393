"""Which layers of any map show a table is found by the table."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0004"


def upgrade() -> None:
    op.execute("CREATE INDEX layer_by_table ON geoagent.layer ((document ->> 'table'))")


def downgrade() -> None:
    op.execute("DROP INDEX geoagent.layer_by_table")
