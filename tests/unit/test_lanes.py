"""Who gets a database connection next."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.database import engines, lanes
from server.database.lanes import Lane
from server.settings import Settings
from tests.support.looking import until


async def test_parties_that_wait_are_served_in_turns() -> None:
    lane, served = Lane("test", 1), []

    async def work(party: str) -> None:
        lanes.work_for(party)
        async with lane.place():
            served.append(party)

    async with lane.place():
        tasks = [asyncio.create_task(work(party)) for party in ("a", "a", "a", "b", "c")]
        await until(lambda: lane.waiting == 5)
    await asyncio.gather(*tasks)
    assert served == ["a", "b", "c", "a", "a"]
    assert (lane.in_use, lane.waiting) == (0, 0)


async def test_visitors_that_wait_are_served_in_turns_however_many_maps_they_have() -> None:
    lane, served = Lane("test", 1), []

    async def work(party: str, visitor: str) -> None:
        lanes.work_for(party, visitor)
        async with lane.place():
            served.append(party)

    async with lane.place():
        greedy = [asyncio.create_task(work(f"map {number}", "greedy")) for number in range(4)]
        modest = [asyncio.create_task(work("mine", "modest")) for _ in range(2)]
        await until(lambda: lane.waiting == 6)
    await asyncio.gather(*greedy, *modest)
    assert served == ["map 0", "mine", "map 1", "mine", "map 2", "map 3"]
    assert (lane.in_use, lane.waiting) == (0, 0)


async def test_a_party_gets_at_most_its_share_and_a_cancelled_wait_leaves_no_trace() -> None:
    lane = Lane("test", 4, share=2)
    go = asyncio.Event()

    async def work(party: str) -> None:
        lanes.work_for(party)
        async with lane.place():
            await go.wait()

    tasks = [asyncio.create_task(work("greedy")) for _ in range(5)]
    await until(lambda: lane.waiting == 3)
    assert lane.in_use == 2
    other = asyncio.create_task(work("other"))
    await until(lambda: lane.in_use == 3)
    for task in tasks[2:]:
        task.cancel()
    await asyncio.gather(*tasks[2:], return_exceptions=True)
    assert lane.waiting == 0
    go.set()
    await asyncio.gather(other, *tasks[:2])
    assert lane.in_use == 0


async def test_a_visitor_with_many_maps_leaves_a_place_for_others() -> None:
    lane = Lane("test", 4, share=2, visitor_share=3)
    go = asyncio.Event()

    async def work(party: str, visitor: str) -> None:
        lanes.work_for(party, visitor)
        async with lane.place():
            await go.wait()

    greedy = [asyncio.create_task(work(f"map {number}", "greedy")) for number in range(6)]
    await until(lambda: lane.waiting == 3)
    assert lane.in_use == 3
    stranger = asyncio.create_task(work("mine", "stranger"))
    await until(lambda: lane.in_use == 4)
    go.set()
    await asyncio.gather(stranger, *greedy)
    assert (lane.in_use, lane.waiting, lane._held_of_visitor) == (0, 0, Counter())


def test_of_analyses_too_an_address_leaves_a_connection_to_others() -> None:
    for lane in (engines._lanes(Settings())[name] for name in ("interactive", "events", "analyses")):
        assert lane.size > lane._visitor_share > 0, lane.name


async def test_who_is_next_is_found_at_once_however_many_maps_of_a_visitor_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lane, looks = Lane("test", 4, visitor_share=3), 0
    may_enter = lane._may_enter

    def counted(holder: lanes.Holder) -> bool:
        nonlocal looks
        looks += 1
        return may_enter(holder)

    monkeypatch.setattr(lane, "_may_enter", counted)

    async def work(number: int) -> None:
        lanes.work_for(f"map {number}", "greedy")
        async with lane.place():
            await asyncio.sleep(0)

    await asyncio.gather(*(work(number) for number in range(300)))
    assert looks <= 300 * 3, "one look for each that comes and for each that is served"
    assert (lane.in_use, lane.waiting) == (0, 0)


async def test_a_lane_that_is_full_of_waiting_work_refuses_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "MAX_WAITING_OF_PARTY", 2)
    lane = Lane("test", 1)
    async with lane.place():
        waiting = [asyncio.create_task(lane.enter()) for _ in range(2)]
        await until(lambda: lane.waiting == 2)
        with pytest.raises(lanes.LaneBusy):
            await lane.enter()
        assert lane.refused == 1
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    assert (lane.in_use, lane.waiting) == (0, 0)


async def test_a_wait_that_is_given_up_makes_room_for_a_stranger() -> None:
    lane = Lane("test", 1, queue=2)

    async def work(visitor: str) -> str:
        lanes.work_for("map", visitor)
        async with lane.place():
            return visitor

    async with lane.place():
        greedy = [asyncio.create_task(work("greedy")) for _ in range(2)]
        await until(lambda: lane.waiting == 2)
        stranger = asyncio.create_task(work("stranger"))
        for each in greedy:
            each.cancel()
        ended = await asyncio.gather(*greedy, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in ended)
    assert await stranger == "stranger"
    assert (lane.in_use, lane.waiting) == (0, 0)


async def test_where_too_many_wait_the_newest_of_the_greediest_visitor_gives_way_to_a_stranger() -> None:
    lane = Lane("test", 1, queue=6)

    async def enter(party: str, visitor: str) -> lanes.Holder:
        lanes.work_for(party, visitor)
        return await lane.enter()

    async with lane.place():
        greedy = [asyncio.create_task(enter(f"map {number}", "greedy")) for number in range(5)]
        modest = asyncio.create_task(enter("modest", "modest"))
        await until(lambda: lane.waiting == 6)
        stranger = asyncio.create_task(enter("strange", "stranger"))
        await until(lambda: greedy[4].done())
        assert isinstance(greedy[4].exception(), lanes.LaneBusy)
        assert lane.waiting == 6
        with pytest.raises(lanes.LaneBusy):
            await enter("one more", "greedy")
    admitted = [*greedy[:4], modest, stranger]
    while admitted:
        await until(lambda: any(task.done() for task in admitted))
        done = next(task for task in admitted if task.done())
        admitted.remove(done)
        lane.leave(done.result())
    assert (lane.in_use, lane.waiting) == (0, 0)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["enter", "enter", "leave", "cancel", "cancel admitted"]),
        st.integers(0, 5),
        st.integers(0, 2),
    ),
    max_size=60,
)


@given(steps=STEPS, size=st.integers(1, 4), share=st.integers(1, 4), queue=st.integers(1, 12))
def test_no_slot_is_lost_and_no_one_waits_while_one_is_free(
    steps: list[tuple[str, int, int]], size: int, share: int, queue: int
) -> None:
    async def play() -> None:
        lane = Lane("test", size, min(share, size), queue=queue)
        inside: dict[asyncio.Task[None], asyncio.Event] = {}
        waiting: dict[asyncio.Task[None], str] = {}

        async def work(party: str, visitor: str, done: asyncio.Event) -> None:
            lanes.work_for(party, visitor)
            task = asyncio.current_task()
            assert task is not None
            async with lane.place():
                del waiting[task]
                inside[task] = done
                try:
                    await done.wait()
                finally:
                    del inside[task]

        for step, party, visitor in steps:
            if step == "enter":
                task = asyncio.create_task(work(f"map {party}", f"visitor {visitor}", asyncio.Event()))
                waiting[task] = f"map {party}"
            elif step == "leave" and inside:
                next(iter(inside.values())).set()
            elif step == "cancel" and waiting:
                [*waiting][party % len(waiting)].cancel()
            elif step == "cancel admitted" and inside and waiting:
                # Whoever is given the place at this moment is cancelled before it knows.
                next(iter(inside.values())).set()
                await asyncio.sleep(0)
                for task in waiting:
                    task.cancel()
            for _ in range(6):
                await asyncio.sleep(0)
            for task in [task for task in waiting if task.done()]:
                del waiting[task]
            held = Counter(lane._held)
            assert lane.in_use == len(inside) <= size
            assert all(count <= min(share, size) for count in held.values())
            assert lane.waiting == len(waiting) <= queue
            assert lane.in_use == size or not any(held[name] < min(share, size) for name in waiting.values())
        for task in [*waiting, *inside]:
            task.cancel()
        await asyncio.gather(*waiting, *inside, return_exceptions=True)
        assert (lane.in_use, lane.waiting, lane._waiting, lane._held) == (0, 0, {}, Counter())

    asyncio.run(play())
