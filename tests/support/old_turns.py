"""Finished turns that are written straight into the log, for long conversations."""

from __future__ import annotations

import asyncpg

EVENTS_OF_A_TURN = 3
SEED = """
INSERT INTO geoagent.event (map_id, seq, type, turn_id, payload)
SELECT $1, $3 + n * 3 + part, kind, 'old_' || n,
    CASE kind
        WHEN 'user_message' THEN jsonb_build_object('text', 'question ' || n, 'client_id', null, 'focus', null)
        WHEN 'ai_response' THEN jsonb_build_object('type', 'ai_response', 'final', true,
            'message', 'Answer ' || n || repeat(' and so on', (n * 7) % 60))
        ELSE jsonb_build_object('status', 'done', 'usage', '{}'::jsonb)
    END
FROM generate_series(0, $2 - 1) AS n,
    (VALUES (1, 'user_message'), (2, 'ai_response'), (3, 'turn_finished')) AS parts (part, kind)
"""


async def append_turns(database: str, map_id: str, turns: int, after: int = 0) -> None:
    """Append turns, each a question with its answer, to a map that nobody has open and whose last event is `after`."""
    connection = await asyncpg.connect(database)
    try:
        await connection.execute(SEED, map_id, turns, after)
        last = after + turns * EVENTS_OF_A_TURN
        await connection.execute("UPDATE geoagent.map SET seq = $2 WHERE id = $1", map_id, last)
    finally:
        await connection.close()
