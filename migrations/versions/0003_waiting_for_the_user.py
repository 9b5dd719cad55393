"""Turns that wait for the user's word: a status of their own, and what is needed to go on."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"

STATUSES = "'queued', 'running', 'done', 'cancelled', 'failed', 'interrupted'"


def upgrade() -> None:
    op.execute("ALTER TABLE geoagent.turn ADD COLUMN pause jsonb")
    op.execute(
        "COMMENT ON COLUMN geoagent.turn.pause IS 'While it waits: history, questions, answers so far, usage.'"
    )
    shape(f"{STATUSES}, 'waiting'", "'running', 'waiting'")


def downgrade() -> None:
    # Version 0002 knows no questions. As turns of a server that is gone they end, and say so, at its start.
    op.execute("UPDATE geoagent.turn SET status = 'running', server_id = NULL WHERE pause IS NOT NULL")
    shape(STATUSES, "'running'")
    op.execute("ALTER TABLE geoagent.turn DROP COLUMN pause")


def shape(statuses: str, holding: str) -> None:
    """Which statuses there are, and which of them hold the map: at most one such turn a map."""
    op.execute("ALTER TABLE geoagent.turn DROP CONSTRAINT turn_status_check")
    op.execute(f"ALTER TABLE geoagent.turn ADD CONSTRAINT turn_status_check CHECK (status IN ({statuses}))")
    op.execute("DROP INDEX geoagent.turn_running, geoagent.turn_waiting")
    op.execute(f"CREATE UNIQUE INDEX turn_running ON geoagent.turn (map_id) WHERE status IN ({holding})")
    op.execute(
        f"CREATE INDEX turn_waiting ON geoagent.turn (map_id, position) WHERE status IN ('queued', {holding})"
    )
