"""Rows farthest to the north, south, east or west, or closest to the equator, a pole or coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.geo.wording.positions import spot_words
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.meaning.conditions import OneOf, Spot, all_of
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.filters.geometries import positions
from agents.offline.meaning.steps import AddedColumn, AnalysisStep, step

_SIDES = {"north": ("ymax", False), "south": ("ymin", True), "east": ("xmax", False), "west": ("xmin", True)}
"""The edge of a shape in degrees, and whether the smallest value is farthest to that side."""
_DISTANCES = {
    "equator": "abs(latitude)",
    "north pole": "90 - latitude",
    "south pole": "90 + latitude",
}
_WGS84 = 4326


_TO_SPOT = "(to|from) [the] [(point|position|location|coordinates)] {spot:spot}"
_MOST = (
    "side=(northernmost|southernmost|easternmost|westernmost|most northern|most southern|most eastern|most western"
    "|most northerly|most southerly|most easterly|most westerly)"
)
_FAR = "side=((farthest|furthest) (north|south|east|west))"
_LINE = "line=(equator|north pole|south pole)"
_HOW = "how=(closest|nearest|farthest|furthest)"
_CLOSEST = (
    f"(<ask> [{{n:count}}] {{source:rows}} [that are|which are|that is|is|are|lie|lies] [the] {_HOW}"
    f"|[<ask>|<what>] [the] [{{n:count}}] {_HOW} {{source:rows}})"
)
RULES = Rules()
on = RULES.on


@on(
    f"([<ask>|<what>|(which|what) is] [the] [{{n:count}}] {_MOST} {{source:rows}} [{{more:condition}}]"
    f"|<ask> [one] [of] [{{n:count}}] {{source:rows}} (is|are|lies|lie) [the] ({_MOST}|{_FAR}) [one]"
    " [{more:condition}])",
    cost=-1.0,
)
def _side(bindings: Mapping[str, Any], _: Context) -> Steps | None:
    """`the northernmost airport`."""
    rows: Features = bindings["source"]
    if (more := bindings.get("more")) is not None:
        text = f"{rows.text} in {more.text}" if isinstance(more, OneOf) else rows.text
        rows = replace(rows, where=all_of(rows.where, more), text=text)
    if not (rows.named or rows.previous):
        return None
    side = next(name for name in _SIDES if name in bindings["side"])
    fact, smallest = _SIDES[side]
    name = "latitude" if fact.startswith("y") else "longitude"
    count = f"{bindings['n']} " if bindings.get("n") else ""
    placed, first = _ranked(bindings, rows, {"fact": fact, "name": name}, name, smallest=smallest)
    return placed, replace(first, title=f"The {count}{side}ernmost {rows.text.removeprefix('the ')}")


@on(f"{_CLOSEST} (to|from) [the] {_LINE}", cost=-3.0)
def _from_line(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which city is closest to the equator`: of points, by their latitude."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    if table is None or not rows.named or table.geometry_family != "point":
        return None
    line = next(name for name in _DISTANCES if name in bindings["line"].lower())
    smallest = bindings["how"].split()[-1] in ("closest", "nearest")
    placed, *_ = _ranked(bindings, rows, {"fact": "lat", "name": "latitude"}, "latitude", smallest=False)
    title = f"Degrees of latitude from the {line}"
    away = step("calculate", RESULT, title=title, name="degrees_away", expression=_DISTANCES[line])
    return (
        placed,
        away,
        _first(AddedColumn("degrees_away"), bindings, smallest),
    )


@on(f"{_CLOSEST} {_TO_SPOT}", cost=-3.0)
def _from_spot(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the monument closest to 53.69, -6.47`."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    if table is None or not rows.named or table.geometry_column is None:
        return None
    spot: Spot = bindings["spot"]
    longitude, latitude = positions(spot, (table.bounds,))[0]
    words = spot_words(longitude, latitude)
    title = f"Distance of {rows.text} from {words}"
    away = step("distance_from_point", rows, title=title, longitude=longitude, latitude=latitude)
    how, count = bindings["how"], bindings.get("n")
    smallest = how in ("closest", "nearest")
    title = f"{count or 'The'} {rows.text} {how} {'to' if smallest else 'from'} {words}"
    return away, replace(_first(AddedColumn("distance_m"), bindings, smallest), title=title)


def _ranked(
    bindings: Mapping[str, Any], rows: Features, fact: Mapping[str, str], name: str, *, smallest: bool
) -> tuple[AnalysisStep, AnalysisStep]:
    change, title = {"function": "geometry", "srid": _WGS84, **fact}, f"{name.capitalize()} of {rows.text}"
    placed = step("columns", rows, title=title, changes=[change])
    return (placed, _first(AddedColumn(name), bindings, smallest))


def _first(by: AddedColumn, bindings: Mapping[str, Any], smallest: bool) -> AnalysisStep:
    return step("top", RESULT, by=by, n=bindings.get("n") or 1, ties=True, smallest=smallest)
