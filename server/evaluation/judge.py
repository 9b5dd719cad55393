"""Compares an outcome with the case's expectation. Pure functions; each fault is a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from agents.domain import LegendEntry
from agents.provenance.numerals import numerals
from server.evaluation.cases import Case, ExpectedAnswer, ExpectedLayer
from server.evaluation.outcome import Outcome, ShownLayer
from server.gis.styles.colors import parse_color

RELATIVE_TOLERANCE = 0.01
"""Allows for rounding in answers and for different ellipsoids in distances."""
UNIT_FACTORS = (1.0, 1e-3, 1e3, 1e-6, 1e6)

Verdict = Literal["right", "asked", "declined", "wrong"]


@dataclass(frozen=True)
class Judgement:
    """`declined`: the model did nothing and answered so, although the request could be answered. Honest, but not
    right. `asked`: it did nothing and asked which of several things is meant."""

    verdict: Verdict
    faults: tuple[str, ...] = ()


def judge(case: Case, outcome: Outcome) -> Judgement:
    """The verdict on an outcome, with all faults."""
    if outcome.fault is not None:
        return Judgement("wrong", (outcome.fault,))
    faults = tuple(refusal_faults(case, outcome) if case.refused else answer_faults(case, outcome))
    if not faults:
        return Judgement("right")
    if outcome.asked:
        return Judgement("asked", faults)
    if outcome.declined:
        return Judgement("declined", faults)
    return Judgement("wrong", faults)


def refusal_faults(case: Case, outcome: Outcome) -> Iterator[str]:
    """Faults of a case that must be refused: by `cannot_do`, for the right reason, without changing the map."""
    if outcome.changed:
        names = ", ".join(shown.layer.name for shown in outcome.layers) or "none"
        yield f"the map was changed; its layers: {names}"
    if not outcome.refusals:
        yield f"it was not refused with cannot_do; the answer: {outcome.answer[:200]!r}"
        return
    text = " ".join([*outcome.refusals, outcome.answer]).casefold()
    if not any(word.casefold() in text for word in case.refused):
        yield f"the reason names none of {', '.join(case.refused)}: {outcome.refusals[-1][:200]!r}"


def answer_faults(case: Case, outcome: Outcome) -> Iterator[str]:
    """Faults of the layers and of the text of an answer."""
    if outcome.refusals:
        yield f"it was refused: {outcome.refusals[-1][:200]}"
    shown = list(outcome.layers)
    if len(shown) != len(case.layers):
        names = ", ".join(f"{each.layer.table} ({each.count})" for each in shown) or "none"
        yield f"{len(case.layers)} layers were expected, and there are {len(shown)}: {names}"
    for number, (expected, layer) in enumerate(zip(case.layers, shown, strict=False), 1):
        yield from (f"layer {number}: {fault}" for fault in layer_faults(expected, layer))
    yield from text_faults(case.answer, outcome.answer)


def layer_faults(expected: ExpectedLayer, shown: ShownLayer) -> Iterator[str]:
    """Faults of the rows and of the style of a layer."""
    yield from row_faults(expected, shown)
    layer = shown.layer
    style = layer.style
    shown_as = {
        "kind": style.kind,
        "column": style.column,
        "label": style.label,
        "opacity": layer.opacity,
        "name": layer.name,
    }
    for field, actual in shown_as.items():
        wanted = getattr(expected, field)
        if wanted is not None and not _alike(wanted, actual):
            yield f"its {field} is {actual!r}, not {wanted!r}"
    if layer.visible != expected.visible:
        yield f"it is {'shown' if layer.visible else 'hidden'}"
    if expected.color is not None and _color(style.color) != _color(expected.color):
        yield f"its colour is {style.color!r}, not {expected.color!r}"
    if expected.classes is not None and len(_classes(layer.legend.entries)) != expected.classes:
        yield f"it has {len(_classes(layer.legend.entries))} classes, not {expected.classes}"


def row_faults(expected: ExpectedLayer, shown: ShownLayer) -> Iterator[str]:
    """Faults of the features that a layer shows."""
    if expected.table == "analysis" and not shown.is_result:
        yield f"it shows {shown.layer.table}, not the result of an analysis"
    elif expected.table != "analysis" and shown.layer.table != expected.table:
        yield f"it shows {shown.layer.table}, not {expected.table}"
    for word, wanted, actual in (
        ("count", expected.count, shown.count),
        ("sum of ids", expected.ids, shown.ids),
    ):
        if wanted is not None and (actual is None or abs(actual - wanted) > expected.tolerance * abs(wanted)):
            yield f"its {word} is {actual}, not {wanted}"
    if shown.layer.count != shown.count:
        yield f"it says {shown.layer.count} features, and has {shown.count}"
    if expected.names is not None:
        names = sorted(str(row.get("name")) for row in shown.rows)
        if names != sorted(expected.names):
            yield f"its names are {', '.join(names[:30])}"
    for name, value in expected.values.items():
        rows = [row for row in shown.rows if any(text == name for text in row.values())]
        if not any(_holds(row, value) for row in rows):
            yield f"no column has {value:g} for {name}: {dict(rows[0]) if rows else 'there is no such row'}"


def text_faults(expected: ExpectedAnswer, answer: str) -> Iterator[str]:
    """Expected numbers and words that the answer lacks."""
    values = [reading.value for numeral in numerals(answer) for reading in numeral.readings]
    for number in expected.numbers:
        if not any(close(value, number) for value in values):
            yield f"the answer does not say {number:g}: {answer[:300]!r}"
    folded = answer.casefold().replace("\\", "")
    for word in expected.words:
        if word.casefold() not in folded:
            yield f"the answer does not say {word!r}: {answer[:300]!r}"


def close(value: float, wanted: float) -> bool:
    """Whether a value matches: exactly below a hundred, else within `RELATIVE_TOLERANCE`."""
    return abs(value - wanted) <= (
        RELATIVE_TOLERANCE * abs(wanted) if abs(wanted) >= 100 or wanted % 1 else 1e-9
    )


def _holds(row: Any, wanted: float) -> bool:
    values = [
        float(each) for each in row.values() if isinstance(each, int | float) and not isinstance(each, bool)
    ]
    return any(close(value * by, wanted) for value in values for by in UNIT_FACTORS)


def _alike(wanted: Any, actual: Any) -> bool:
    if isinstance(wanted, float) and isinstance(actual, int | float):
        return abs(wanted - actual) < 0.005
    if isinstance(wanted, str) and isinstance(actual, str):
        return wanted.casefold() == actual.casefold()
    return bool(wanted == actual)


def _color(text: str | None) -> str | None:
    return None if text is None else parse_color(text)


def _classes(entries: tuple[LegendEntry, ...]) -> list[LegendEntry]:
    """The classes of a legend, without the entry for missing values."""
    return [entry for entry in entries if entry.minimum is not None or entry.value is not None]
