"""The newest events of some kinds on a map, and the analyses of a turn, are found by an index."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
additive = True


def upgrade() -> None:
    op.execute("CREATE INDEX event_type ON geoagent.event (map_id, type, seq)")
    op.execute("CREATE INDEX analysis_turn ON geoagent.analysis (turn_id)")


def downgrade() -> None:
    op.execute("DROP INDEX geoagent.event_type")
    op.execute("DROP INDEX geoagent.analysis_turn")
