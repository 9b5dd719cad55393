"""Servers that take turns without a network, and what their maps then hold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import insert

from server.database.engines import Database
from server.maps.layers.verbs import Drawing
from server.maps.log.events import Change, Event
from server.maps.log.tables import analysis_table
from server.maps.service import MapService
from tests.support.agents import Play, echo, scripted
from tests.support.looking import until


class NothingToDraw:
    """These turns touch no layers and no charts."""

    async def draw(self, *_: object, **__: object) -> Drawing:
        raise AssertionError("nothing is drawn here")


@asynccontextmanager
async def server(
    database: Database, play: Play = echo, beat: float = 0.1, **options: object
) -> AsyncIterator[MapService]:
    nothing = NothingToDraw()
    maps = MapService(database, nothing, nothing, scripted(play), beat=beat, **options)  # type: ignore[arg-type]
    await maps.start()
    try:
        yield maps
    finally:
        await maps.close()


async def say(maps: MapService, map_id: str, words: str, client_id: str | None = None) -> str:
    said = await maps.turns.submit(map_id, words, client_id)
    maps.runner.wake()
    return said.turn_id


async def finished(maps: MapService, map_id: str, count: int = 1) -> list[Event]:
    """The log, once so many turns have ended."""

    async def look() -> list[Event] | None:
        events = await maps.log.reader.read(map_id, 0)
        return events if sum(one.name == "turn_finished" for one in events) >= count else None

    return await until(look)


def names(events: list[Event]) -> list[str]:
    return [event.name for event in events]


async def orphan(database: Database, analyses: tuple[str, ...] = ()) -> str:
    """A map whose running turn belongs to a server that is not alive any more; only its first analysis ended."""
    (map_id,) = await orphans(database, 1, analyses)
    return map_id


async def orphans(database: Database, count: int, analyses: tuple[str, ...] = ()) -> list[str]:
    """So many of them, of one server."""
    # It would end them itself at its second beat.
    async with server(database, beat=60.0) as dead:
        await dead.runner.close()
        return [await _left_running(dead, analyses) for _ in range(count)]


async def _left_running(dead: MapService, analyses: tuple[str, ...]) -> str:
    map_id = await dead.log.create()
    await dead.turns.submit(map_id, "work")
    turn = await dead.turns.claim(map_id)
    assert turn is not None
    async with dead.log.writing(map_id, turn.id) as writer:
        await writer.record(
            Change("tool_called", {"call_id": "c", "name": "count_features", "arguments": {}})
        )
        for number, analysis_id in enumerate(analyses):
            started = {"analysis_id": analysis_id, "goal": "find out", "plan": []}
            await writer.record(Change("analysis_started", started))
            row = {"id": analysis_id, "map_id": map_id, "turn_id": turn.id, "goal": "find out"}
            if number == 0:
                ended = {"analysis_id": analysis_id, "summary": "found out"}
                await writer.record(Change("analysis_finished", ended))
                row["status"] = "finished"
            await writer.connection.execute(insert(analysis_table).values(**row, plan={}, receipt={}))
    return map_id
