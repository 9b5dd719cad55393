"""Outcomes with one thing wrong: what a case expects must not be found in any of them, or the case checks nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from server.evaluation.cases import Case
from server.evaluation.outcome import Outcome, ShownLayer
from server.maps.log.events import Event


def mutants(case: Case, outcome: Outcome) -> Iterator[tuple[str, Outcome]]:
    """Each with what is wrong in it, of a right outcome."""
    if case.refused:
        yield "nothing was refused", replace(outcome, events=_saying(outcome, "Done."))
        yield "something was drawn besides", replace(outcome, before=[*outcome.before, _somebody_elses()])
        return
    if case.answer.numbers or case.answer.words:
        yield "the answer says nothing", replace(outcome, events=_saying(outcome, "Done."))
    if case.answer.numbers:
        other = re.sub(r"\d+", "987654321", outcome.answer)
        yield "the answer has other numbers", replace(outcome, events=_saying(outcome, other))
    for place, (expected, shown) in enumerate(zip(case.layers, outcome.layers, strict=True)):
        yield f"layer {place} is not there", _with(outcome, place, None)
        other_table = shown.layer.model_copy(update={"table": "data.elsewhere"})
        yield f"layer {place} is of another table", _with(outcome, place, replace(shown, layer=other_table))
        if expected.count is not None:
            more = shown.count + 1 + int(2 * expected.tolerance * shown.count)
            counted = shown.layer.model_copy(update={"count": more})
            yield (
                f"layer {place} has other rows",
                _with(outcome, place, replace(shown, layer=counted, count=more)),
            )
        if expected.ids is not None and shown.ids is not None:
            wrong = shown.ids + 1 + int(2 * expected.tolerance * shown.ids)
            yield (
                f"layer {place} has others of as many rows",
                _with(outcome, place, replace(shown, ids=wrong)),
            )
        if expected.values:
            rows = [{name: _other(value) for name, value in row.items()} for row in shown.rows]
            yield f"layer {place} has other values", _with(outcome, place, replace(shown, rows=rows))
        hidden = shown.layer.model_copy(update={"visible": not shown.layer.visible})
        yield (
            f"layer {place} is not seen as it should be",
            _with(outcome, place, replace(shown, layer=hidden)),
        )
        if expected.kind or expected.color or expected.column:
            plain = {"kind": "heatmap", "color": "#123456", "column": "nothing"}
            restyled = shown.layer.model_copy(update={"style": shown.layer.style.model_copy(update=plain)})
            yield f"layer {place} looks otherwise", _with(outcome, place, replace(shown, layer=restyled))


def _other(value: object) -> object:
    return value * 1.7 + 1 if isinstance(value, int | float) and not isinstance(value, bool) else value


def _with(outcome: Outcome, place: int, layer: ShownLayer | None) -> Outcome:
    layers = [*outcome.layers[:place], *([] if layer is None else [layer]), *outcome.layers[place + 1 :]]
    return replace(outcome, layers=layers)


def _saying(outcome: Outcome, text: str) -> Sequence[Event]:
    """The events with other last words, and without any refusal."""
    kept = [event for event in outcome.events if event.name not in ("tool_called", "analysis_failed")]
    return [
        replace(event, payload={**event.payload, "message": text}) if event.name == "ai_response" else event
        for event in kept
    ]


def _somebody_elses() -> Any:
    """Not a layer at all; it only has to differ from those that are there."""
    return object()
