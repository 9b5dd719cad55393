"""Runs the cases of the suite on a real server, each on a new map, and reads the files that they exported."""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from agents.core.messages import Usage
from server.evaluation.analyst import data
from server.evaluation.analyst.cases import AnalystCase
from server.evaluation.analyst.files import read_file
from server.evaluation.analyst.judge import file_faults
from server.evaluation.analyst.script import CaseScript
from server.evaluation.outcome import Outcome
from server.evaluation.run import Evaluation
from server.maps.faults import RequestFault

HEADER = (
    "| case | right | calls | refused calls | requests | tokens in | cached | tokens out | seconds |\n"
    "| --- | :---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)
_LINK = re.compile(r"\]\(exports/([^/()\s]+)/([^()\s]+)\)")


@dataclass(frozen=True)
class AnalystAttempt:
    """A case and its result; it has passed if there are no faults."""

    case: AnalystCase
    faults: tuple[str, ...]
    answer: str
    calls: int
    """Tool calls of the chat's model and of the analyst."""
    refused: int
    """Calls that ended with an error."""
    requests: int
    """Model calls."""
    used: Usage
    seconds: float


@dataclass(frozen=True)
class AnalystEvaluation:
    """`script` is the model, if that plays the cases' own replies."""

    evaluation: Evaluation
    script: CaseScript | None = None

    async def run(
        self, cases: Sequence[AnalystCase], on_result: Callable[[AnalystAttempt], None] = lambda _: None
    ) -> list[AnalystAttempt]:
        """Run all cases, one after the other, over freshly loaded data."""
        server, tried = self.evaluation.server, []
        async with data.loaded(server.database):
            await server.registry.refresh()
            for case in cases:
                tried.append(await self.attempt(case))
                on_result(tried[-1])
        await server.registry.refresh()
        return tried

    async def attempt(self, case: AnalystCase) -> AnalystAttempt:
        """Play one case on a new map and judge its results."""
        model = self.evaluation.model
        async with self.evaluation.new_map() as map_id:
            if self.script is not None:
                self.script.begin(map_id, case)
            started = time.monotonic()
            outcome = await self.evaluation.converse(case.say, map_id)
            seconds = time.monotonic() - started
            faults = (outcome.fault,) if outcome.fault else tuple(await self._faults(case, map_id, outcome))
            return AnalystAttempt(
                case,
                faults,
                outcome.answer,
                model.calls.pop(map_id, 0),
                model.refused.pop(map_id, 0),
                model.requests.pop(map_id, 0),
                model.used.pop(map_id, Usage()),
                seconds,
            )

    async def _faults(self, case: AnalystCase, map_id: str, outcome: Outcome) -> list[str]:
        """Faults of the newest file that the answer links."""
        links = _LINK.findall(outcome.answer)
        if not links:
            return [f"the answer links no file: {outcome.answer[:300]!r}"]
        export_id, name = links[-1][0], unquote(links[-1][1])
        try:
            async with self.evaluation.server.deliveries.opened(map_id, export_id) as path:
                return await asyncio.to_thread(_judged, case, path, name)
        except RequestFault as fault:
            return [f"the link does not work: {fault}"]


def _judged(case: AnalystCase, path: Path, name: str) -> list[str]:
    suffix = case.file.format
    if Path(name).suffix != f".{suffix}":
        return [f"the file is {name}, not a .{suffix}"]
    with tempfile.TemporaryDirectory(prefix="geoagent-eval-") as folder:
        # Under its own name, from which GDAL infers the format.
        own = Path(folder) / name
        with suppress(OSError):
            own.symlink_to(path)
        try:
            return list(file_faults(case.file, name, read_file(own, Path(folder))))
        except Exception as error:
            return [f"{name} cannot be read: {type(error).__name__}: {error}"]


def markdown(results: Sequence[AnalystAttempt], model: str) -> str:
    """One row per case, the sums, the mean size of a request and its cached share, and the faults."""
    lines = [f"Model: `{model}`", "", HEADER, *(_row(each.case.name, [each]) for each in results)]
    lines.append(_row("**all**", results))
    sums = dict(_numbers(results))
    if sums["requests"] and sums["tokens_in"]:
        mean, cached = sums["tokens_in"] / sums["requests"], sums["tokens_cached"] / sums["tokens_in"]
        lines += ["", f"A request has {mean:,.0f} tokens on average, {cached:.0%} of them from a cache."]
    faulty = [each for each in results if each.faults]
    if faulty:
        lines += [
            "",
            "Not right:",
            "",
            *(f"- **{each.case.name}**: {'; '.join(each.faults)}" for each in faulty),
        ]
    return "\n".join(lines)


def as_lines(results: Sequence[AnalystAttempt]) -> list[dict[str, Any]]:
    """The same as JSON."""
    return [
        {
            "name": each.case.name,
            "right": not each.faults,
            "faults": list(each.faults),
            "answer": each.answer,
            **dict(_numbers([each])),
        }
        for each in results
    ]


def _row(name: str, results: Sequence[AnalystAttempt]) -> str:
    right = sum(not each.faults for each in results)
    mark = f"{right} of {len(results)}" if len(results) != 1 else ("✓" if right else "✗")
    cells = [f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" for _, value in _numbers(results)]
    return f"| {name} | {mark} | {' | '.join(cells)} |"


def _numbers(results: Sequence[AnalystAttempt]) -> Iterator[tuple[str, int | float]]:
    yield "calls", sum(each.calls for each in results)
    yield "refused_calls", sum(each.refused for each in results)
    yield "requests", sum(each.requests for each in results)
    yield "tokens_in", sum(each.used.input_tokens for each in results)
    yield "tokens_cached", sum(each.used.cached_tokens for each in results)
    yield "tokens_out", sum(each.used.output_tokens for each in results)
    yield "seconds", float(sum(each.seconds for each in results))
