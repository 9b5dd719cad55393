"""Whose tile is drawn next."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.database.lanes import work_for
from server.gis.tiles import queue as queue_module
from server.gis.tiles.queue import TileBusy, TileQueue, TileRequest
from tests.support.looking import until


async def asked(queue: TileQueue, *requests: tuple[str, str, int]) -> list[asyncio.Task[TileRequest]]:
    """Requests of (map, table, zoom), in this order."""
    tasks = [asyncio.create_task(queue.enter(*request, wait=60)) for request in requests]
    await asyncio.sleep(0)
    return tasks


def granted(tasks: list[asyncio.Task[Any]]) -> list[int]:
    return [number for number, task in enumerate(tasks) if task.done() and not task.cancelled()]


async def step() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_the_newest_request_of_a_map_is_drawn_first() -> None:
    queue = TileQueue(1)
    first = await queue.enter("m", "t", 0, 60)
    waiting = await asked(queue, ("m", "t", 1), ("m", "t", 2), ("m", "t", 3))
    order = []
    request = first
    for _ in waiting:
        queue.leave(request)
        await step()
        done = [task for task in waiting if task.done() and task.result().zoom not in order]
        request = done[0].result()
        order.append(request.zoom)
    assert order == [3, 2, 1]
    queue.leave(request)
    assert (queue.in_use, queue.waiting) == (0, 0)


async def test_maps_are_served_in_turns_however_many_requests_one_has() -> None:
    queue = TileQueue(1)
    first = await queue.enter("m", "a", 0, 60)
    greedy = await asked(queue, *(("m", "a", zoom) for zoom in range(20)))
    other = await asked(queue, ("n", "b", 0))
    queue.leave(first)
    await step()
    assert (len(granted(greedy)), granted(other)) == (1, [])
    queue.leave(greedy[granted(greedy)[0]].result())
    await step()
    assert granted(other) == [0]
    for task in greedy:
        task.cancel()


async def test_one_table_holds_half_and_one_map_two_thirds_of_the_connections() -> None:
    queue = TileQueue(6)
    of_one_table = await asked(queue, *(("m", "a", zoom) for zoom in range(6)))
    assert len(granted(of_one_table)) == 3
    of_one_map = await asked(queue, *(("m", f"b{zoom}", zoom) for zoom in range(6)))
    assert len(granted(of_one_map)) == 1
    of_another = await asked(queue, ("n", "c", 0), ("n", "d", 0))
    assert len(granted(of_another)) == 2
    assert queue.in_use == 6
    for task in (*of_one_table, *of_one_map):
        task.cancel()


async def test_an_abandoned_request_leaves_the_queue_before_it_starts() -> None:
    queue = TileQueue(1)
    first = await queue.enter("m", "t", 0, 60)
    waiting = await asked(queue, ("m", "t", 1), ("m", "t", 2))
    waiting[1].cancel()
    await until(lambda: queue.waiting == 1)
    queue.leave(first)
    await until(lambda: granted(waiting) == [0])
    queue.leave(waiting[0].result())
    assert queue.in_use == 0


async def test_a_place_that_becomes_free_while_a_request_is_given_up_goes_to_the_next_one() -> None:
    queue = TileQueue(1)
    first = await queue.enter("m", "t", 0, 60)
    other, given_up = await asked(queue, ("m", "t", 1), ("m", "t", 2))
    given_up.cancel()
    queue.leave(first)
    await step()
    assert given_up.cancelled()
    assert granted([other]) == [0]
    queue.leave(other.result())
    assert (queue.in_use, queue.waiting) == (0, 0)


async def test_waiting_is_bounded_in_time_and_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "MAX_WAITING", 3)
    queue = TileQueue(1)
    first = await queue.enter("m", "t", 0, 60)
    with pytest.raises(TileBusy):
        await queue.enter("m", "t", 1, 0.01)
    few = await asked(queue, ("n", "t", 1))
    many = await asked(queue, ("m", "t", 1), ("m", "t", 2), ("m", "t", 3))
    await until(many[0].done)
    assert isinstance(many[0].exception(), TileBusy), "the oldest of the map that has most"
    assert (queue.waiting, queue.refused) == (3, 2)
    queue.leave(first)
    for task in (*few, *many):
        task.cancel()


async def test_a_visitor_with_many_maps_leaves_a_connection_and_the_next_turn_for_others() -> None:
    queue = TileQueue(3)

    async def by(visitor: str, map_id: str, table: str) -> TileRequest:
        work_for(map_id, visitor)
        return await queue.enter(map_id, table, 0, 60)

    greedy = [asyncio.create_task(by("greedy", f"m{number}", f"t{number}")) for number in range(50)]
    await step()
    assert len(granted(greedy)) == 2
    strangers = [asyncio.create_task(by("stranger", f"n{number}", f"u{number}")) for number in range(2)]
    await step()
    assert granted(strangers) == [0]
    for number in granted(greedy):
        queue.leave(greedy[number].result())
        await step()
    assert granted(strangers) == [0, 1], "each visitor has its turn, however many maps the others have"
    for task in greedy:
        task.cancel()


async def test_where_too_many_tiles_wait_the_visitor_with_most_of_them_gives_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queue_module, "MAX_WAITING", 6)
    queue = TileQueue(1)
    await queue.enter("m", "a", 0, 60)

    async def by(visitor: str, map_id: str) -> TileRequest:
        work_for(map_id, visitor)
        return await queue.enter(map_id, map_id, 0, 60)

    modest = [asyncio.create_task(by("modest", "mine")) for _ in range(2)]
    greedy = [asyncio.create_task(by("greedy", f"m{number}")) for number in range(4)]
    await step()
    stranger = asyncio.create_task(by("stranger", "other"))
    await step()
    refused = [task for task in [*modest, *greedy, stranger] if task.done()]
    assert refused == [greedy[0]]
    assert isinstance(greedy[0].exception(), TileBusy)
    for task in [*modest, *greedy, stranger]:
        task.cancel()
