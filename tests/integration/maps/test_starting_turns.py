"""What keeps a queued turn from starting for a moment does not end it."""

from __future__ import annotations

import asyncpg

from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

LOCKED_ONCE = """
    CREATE SEQUENCE claims;
    CREATE FUNCTION claimed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.status = 'running' AND OLD.status = 'queued' AND nextval('public.claims') = 1 THEN
            RAISE 'canceling statement due to lock timeout' USING ERRCODE = 'lock_not_available';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER claimed BEFORE UPDATE ON geoagent.turn FOR EACH ROW EXECUTE FUNCTION claimed()
"""


async def test_a_turn_whose_row_was_locked_starts_later(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    await connection.execute(LOCKED_ONCE)
    async with local_server(database_url, ScriptedModel()) as server, client(server) as one:
        await one.ask("join")
        assert (await one.says("hello"))["status"] == "done"
    assert await connection.fetchval("SELECT last_value FROM claims") > 1
    await connection.close()
