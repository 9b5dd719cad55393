"""Runs cases on the parts of a real server, each on a new map that is deleted afterwards."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace

from sqlalchemy import delete

from agents.core.messages import ToolCall, ToolMessage, Usage
from agents.core.model import Completed, Model, ModelEvent, ModelRequest
from agents.domain import Focus, Layer
from agents.models.adapters.wrapper import Wrapper
from server.app import Server
from server.evaluation.cases import BadCases, Case
from server.evaluation.judge import Judgement, judge
from server.evaluation.outcome import MAX_ROWS, Outcome, ShownLayer
from server.gis.query.data import PostgisData
from server.maps.log.events import Event
from server.maps.log.replay import MapState
from server.maps.log.tables import map_table
from server.status import SAMPLES

ENDS = ("turn_finished", "approval_requested")
"""There is no user to approve a call, so a turn that asks for it would never finish."""


class Metered(Wrapper[Model]):
    """A model that counts its usage and its calls of tools per map, those of the analyst included.

    That a call was refused is seen in the request that follows it."""

    def __init__(self, inner: Model) -> None:
        super().__init__(inner)
        self.used: defaultdict[str, Usage] = defaultdict(Usage)
        self.requests: defaultdict[str, int] = defaultdict(int)
        self.calls: defaultdict[str, int] = defaultdict(int)
        self.refused: defaultdict[str, int] = defaultdict(int)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        session = getattr(request.context, "map", None)
        last = request.messages[-1] if request.messages else None
        results = last.results if isinstance(last, ToolMessage) else ()
        called = 0
        stream: AsyncIterator[ModelEvent] = self._inner.stream(request)
        async with aclosing(stream) as events:  # type: ignore[type-var]
            async for event in events:
                called += isinstance(event, ToolCall)
                if isinstance(event, Completed) and session is not None:
                    self.used[session.map_id] += event.usage
                    self.requests[session.map_id] += 1
                    self.calls[session.map_id] += called
                    self.refused[session.map_id] += sum(not result.ok for result in results)
                yield event


@dataclass(frozen=True)
class Attempt:
    """A case, its outcome, and the judgement."""

    case: Case
    outcome: Outcome
    judgement: Judgement


@dataclass(frozen=True)
class Evaluation:
    """`seconds` limits one case, all its messages together."""

    server: Server
    model: Metered
    seconds: float = 300.0

    def check_data(self) -> None:
        """Raise BadCases if the sample tables, which the cases are about, are missing."""
        missing = SAMPLES - {table.id for table in self.server.registry.tables()}
        if missing:
            raise BadCases(
                f"The database has no {', '.join(sorted(missing))}. The cases are about the sample data: use a "
                "database into which `geoagent serve` has loaded it (GEOAGENT_SAMPLES)."
            )

    async def run(
        self, cases: Sequence[Case], at_once: int = 1, on_result: Callable[[Attempt], None] = lambda _: None
    ) -> list[Attempt]:
        """Run all cases, `at_once` at a time; returns them in order and calls `on_result` after each."""
        self.check_data()
        gate = asyncio.Semaphore(at_once)

        async def attempt(case: Case) -> Attempt:
            async with gate:
                tried = await self.attempt(case)
            on_result(tried)
            return tried

        return await asyncio.gather(*(attempt(case) for case in cases))

    @asynccontextmanager
    async def new_map(self) -> AsyncIterator[str]:
        """The id of an empty map for one case; the map and its results are deleted afterwards."""
        map_id = await self.server.maps.log.create()
        try:
            yield map_id
        finally:
            async with self.server.database.owner.begin() as connection:
                await connection.execute(delete(map_table).where(map_table.c.id == map_id))
            await self.server.results.collect()

    async def attempt(self, case: Case) -> Attempt:
        """Play one case on a new map and judge it; the outcome has its tokens, cost and seconds."""
        async with self.new_map() as map_id:
            started = time.monotonic()
            outcome = await self.converse(case.say, map_id, case.focus)
            used = self.model.used.pop(map_id, Usage())
            outcome = replace(
                outcome,
                tokens_in=used.input_tokens,
                tokens_out=used.output_tokens,
                cost=used.cost,
                seconds=time.monotonic() - started,
            )
            return Attempt(case, outcome, judge(case, outcome))

    async def converse(self, messages: Sequence[str], map_id: str, focus: Focus | None = None) -> Outcome:
        """Say all messages; the last one with the focus."""
        log = self.server.maps.log
        outcome = Outcome(())
        for text in messages:
            before = (await log.reader.state(map_id)).layers
            pointed = focus if text == messages[-1] else None
            ending = _Ending()
            async with self.server.maps.hub.following(map_id, ending):
                turn = await self.server.maps.turns.submit(map_id, text, None, pointed)
                self.server.maps.runner.wake()
                fault = await self._ended(map_id, turn.turn_id, ending)
            events = await log.reader.read_turn(map_id, turn.turn_id)
            layers = (await log.reader.state(map_id)).layers
            shown = [await self._shown(layer) for layer in layers]
            outcome = Outcome(events, shown, before, fault)
            if fault is not None:
                break
        return outcome

    async def _ended(self, map_id: str, turn_id: str, ending: _Ending) -> str | None:
        """Wait for the end of a turn; returns why it did not end normally, else None."""
        try:
            async with asyncio.timeout(self.seconds):
                last = await ending.of(turn_id)
        except TimeoutError:
            fault = f"it was not done after {self.seconds:g} seconds"
        else:
            if last.name == "turn_finished":
                status = last.payload["status"]
                if status == "done":
                    return None
                events = await self.server.maps.log.reader.read_turn(map_id, turn_id)
                return f"the turn ended as {status}: {_last_words(events)}"
            fault = "it asked for an approval, which an evaluation cannot give"
        await self.server.maps.runner.cancel(map_id, turn_id)
        return fault

    async def _shown(self, layer: Layer) -> ShownLayer:
        """The layer with its rows, read from its table."""
        data = PostgisData(self.server.database.reader, self.server.registry)
        table = self.server.registry.get(layer.table)
        found = await data.query(layer.table, filter=layer.filter, limit=MAX_ROWS)
        ids = None
        if table.column("id") is not None:
            ids = int((await data.stats(layer.table, "id", layer.filter)).get("sum") or 0)
        return ShownLayer(layer, await data.count(layer.table, layer.filter), ids, found["rows"])


class _Ending:
    """Follows a map and returns the event that ended a turn."""

    def __init__(self) -> None:
        self._ends: defaultdict[str, asyncio.Future[Event]] = defaultdict(asyncio.Future)

    def begin(self, state: MapState) -> None:
        pass

    def see(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.name in ENDS and event.turn_id is not None and not self._ends[event.turn_id].done():
                self._ends[event.turn_id].set_result(event)

    async def of(self, turn_id: str) -> Event:
        return await self._ends[turn_id]


def _last_words(events: Sequence[Event]) -> str:
    answers = [event.payload["message"] for event in events if event.name == "ai_response"]
    return answers[-1] if answers else "no answer"
