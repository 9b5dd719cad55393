"""An analysis in memory: filter, select_by_location by distance, nearest and top work on rows; all steps are kept.

What it cannot compute on points (shapes, buffers) leaves the rows of its source; tests of those look at the steps.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

from agents.analyst import Analyst
from agents.core import ToolFailed
from agents.core.observe import receipts
from agents.domain import Column, ColumnKind, RecipeCard, StyleSpec, Table
from agents.offline import OfflineModel
from agents.ports import AnalysisReport, OperationInfo, StepOutcome
from server.gis.operations import OPERATIONS
from server.maps.analyses.offered import OFFERED
from tests.unit.geo_agent.filtering import passes
from tests.unit.geo_agent.making import Row
from tests.unit.geo_agent.world import World

METRES = {"m": 1.0, "km": 1000.0, "mi": 1609.344, "ft": 0.3048}


class MemoryAnalysis:
    """Each step adds a table to the registry, as the real one does."""

    def __init__(self, world: World, operations: Sequence[str] = tuple(OPERATIONS)) -> None:
        self.world = world
        self.known = [_bare(each) for each in OFFERED if each.name in operations]
        self.steps: list[tuple[str, dict[str, Any]]] = []
        self.titles: list[str] = []
        self.results: dict[str, list[Row]] = {}
        self.done: list[StepOutcome] = []
        self.planned: list[tuple[str, str]] = []
        self.finished: str | None = None
        self.style: StyleSpec | None = None
        self.failed: tuple[str, str] | None = None

    def operations(self) -> Sequence[OperationInfo]:
        return self.known

    def outcomes(self) -> Sequence[StepOutcome]:
        return self.done

    async def plan(self, steps: Sequence[tuple[str, str]]) -> None:
        self.planned = list(steps)

    async def run_step(self, operation: str, arguments: Mapping[str, Any], title: str) -> StepOutcome:
        self.steps.append((operation, dict(arguments)))
        self.titles.append(title)
        step = f"step_{len(self.steps)}"
        compute = getattr(self, f"_{operation}", self._as_it_is)
        rows = self.results[step] = compute(**arguments)
        name = f"{title.lower().replace(' ', '_')}_{len(self.world.data.rows)}"
        table = Table(
            id=f"analysis.{name}",
            schema_name="analysis",
            name=name,
            columns=_columns_of(rows),
            row_estimate=len(rows),
            is_result=True,
        )
        self.world.registry.add(table)
        self.world.data.rows[table.id] = rows
        self.done.append(
            StepOutcome(
                step,
                table,
                len(rows),
                ("Measured on a sphere", "2 rows were left out"),
                method=("Measured on a sphere",),
            )
        )
        return self.done[-1]

    async def finish(
        self,
        summary: str,
        style: StyleSpec | None = None,
        figures: Mapping[str, Any] | None = None,
        outputs: Sequence[str] = (),
    ) -> str:
        self.outputs = outputs
        self.finished, self.style = summary, style
        return "drawn"

    async def fail(self, reason: str, advice: str) -> None:
        self.failed = (reason, advice)

    def _rows(self, source: str) -> list[Row]:
        return self.results[source] if source in self.results else self.world.data.rows[source]

    def _as_it_is(self, source: str = "", sources: Sequence[str] = (), **_arguments: Any) -> list[Row]:
        return self._rows(source or sources[0])

    def _filter(self, source: str, filter: Any) -> list[Row]:
        return [row for row in self._rows(source) if passes(filter, row)]

    def _select_by_location(
        self, source: str, other: str, predicate: str, distance: str = "", invert: bool = False
    ) -> list[Row]:
        if predicate != "within_distance":
            return self._rows(source)
        number, unit = distance.split()
        limit = float(number) * METRES[unit]
        others = self._rows(other)
        return [r for r in self._rows(source) if any(apart(r, each) <= limit for each in others) != invert]

    def _select_by_attribute(
        self, source: str, other: str, key: str, other_key: str, invert: bool = False
    ) -> list[Row]:
        keys = {row[other_key] for row in self._rows(other)} - {None}
        return [row for row in self._rows(source) if (row[key] in keys) != invert]

    def _join_by_attribute(
        self, source: str, other: str, key: str, other_key: str, columns: Sequence[str] = (), **options: Any
    ) -> list[Row]:
        """With columns of the first row of its key; a name that is taken is preceded by that of the table."""
        partners = {row.get(other_key): row for row in reversed(self._rows(other))}
        kept = [
            row for row in self._rows(source) if row.get(key) in partners or options.get("rows") != "matched"
        ]
        table = other.rpartition(".")[2]
        return [
            {
                **row,
                **{
                    f"{table}_{name}" if name in row else name: partners.get(row.get(key), {}).get(name)
                    for name in columns
                },
            }
            for row in kept
        ]

    def _nearest(self, source: str, target: str, k: int) -> list[Row]:
        targets = self._rows(target)
        if not targets:
            raise ToolFailed("The target is empty.")
        found = []
        for row in self._rows(source):
            near = min(targets, key=lambda each: apart(row, each))
            told = {_free(f"near_{name}", row): value for name, value in near.items() if name != "geom"}
            found.append({**row, **told, _free("distance_m", row): apart(row, near)})
        return found

    def _distance_from_point(self, source: str, longitude: float, latitude: float) -> list[Row]:
        point: Row = {"geom": (longitude, latitude)}
        return [{**row, _free("distance_m", row): apart(row, point)} for row in self._rows(source)]

    def _top(
        self,
        source: str,
        by: str,
        n: int,
        smallest: bool = False,
        ties: bool = False,
        per: Sequence[str] = (),
    ) -> list[Row]:
        known = [row for row in self._rows(source) if row[by] is not None]
        ranked = sorted(known, key=lambda row: row[by], reverse=not smallest)
        if per:
            places: Counter[tuple[Any, ...]] = Counter()
            kept = []
            for row in ranked:
                group = tuple(row[name] for name in per)
                places[group] += 1
                kept += [row] if places[group] <= n else []
            return kept
        tied = [row for row in ranked[n:] if row[by] == ranked[n - 1][by]] if ties else []
        return ranked[:n] + tied

    def _buffer(self, source: str, distance: str, dissolve: bool = False) -> list[Row]:
        return self._rows(source)[:1] if dissolve else self._rows(source)

    def _spatial_join(self, source: str, other: str, predicate: str, **_aggregates: Any) -> list[Row]:
        return [{**row, _free("count", row): 1} for row in self._rows(source)]

    def _measure(self, source: str, measures: Sequence[str] = ("area",)) -> list[Row]:
        name = "length_m" if measures[0] == "length" else "area_m2"
        return [{**row, _free(name, row): float(row.get("id", 1))} for row in self._rows(source)]

    def _columns(self, source: str, changes: Sequence[Mapping[str, Any]]) -> list[Row]:
        """The place of points, parts of dates as their first letters, and cases; other changes leave the rows alone."""
        rows, change = self._rows(source), changes[0]
        if change["function"] in ("cast", "date_part") and "name" in change:
            long = len(change.get("format", "MM"))
            return [{**row, change["name"]: str(row[change["column"]])[:long]} for row in rows]
        if change["function"] == "case":
            cases = change["cases"]
            met = [next((each["then"] for each in cases if passes(each["when"], row)), None) for row in rows]
            return [{**row, change["name"]: each} for row, each in zip(rows, met, strict=True)]
        if change["function"] == "date_difference":
            ends = (change["column"], change["other"])
            spans = [[date.fromisoformat(row[name]) for name in ends if row[name]] for row in rows]
            days = [(each[-1] - each[0]).days if len(each) > 1 else None for each in spans]
            return [{**row, change["name"]: each} for row, each in zip(rows, days, strict=True)]
        if change["function"] != "geometry" or "name" not in change or len(changes) > 1:
            return rows
        axis = 0 if change["fact"].startswith(("x", "lon")) else 1
        return [{**row, change["name"]: row["geom"][axis]} for row in rows]

    def _calculate(self, source: str, name: str, expression: str) -> list[Row]:
        difference = re.fullmatch(r'"([^"]+)" - "([^"]+)"', expression)
        if difference is not None:
            after, before = difference.groups()
            return [{**row, name: row[after] - row[before]} for row in self._rows(source)]
        if expression != "abs(latitude)":
            return [{**row, name: float(row.get("id", 1))} for row in self._rows(source)]
        return [{**row, name: abs(row["latitude"])} for row in self._rows(source)]

    def _summarise(
        self, source: str, by: Sequence[str] = (), aggregates: Sequence[Mapping[str, Any]] = ()
    ) -> list[Row]:
        if not by:
            rows = self._rows(source)
            column = aggregates[-1]["column"]
            figure = sum(row[column] for row in rows)
            return [{"count": len(rows), f"{aggregates[-1]['function']}_{column}": figure}]
        return self._groups(source, by, aggregates or [{"function": "count"}])

    def _dissolve(
        self, source: str, by: Sequence[str] = (), aggregates: Sequence[Mapping[str, Any]] = ()
    ) -> list[Row]:
        """Counts and sums of each value of a column, where they have names; else the rows as they are."""
        if not any("name" in each for each in aggregates):
            return self._rows(source)
        return [{**row, "geom": (0.0, 0.0)} for row in self._groups(source, by, aggregates)]

    def _groups(self, source: str, by: Sequence[str], aggregates: Sequence[Mapping[str, Any]]) -> list[Row]:
        """Counts and sums of each value of the columns."""
        made: dict[tuple[Any, ...], Row] = {}
        for row in self._rows(source):
            group = made.setdefault(tuple(row.get(name) for name in by), {name: row.get(name) for name in by})
            for each in aggregates:
                name = each.get("name") or "_".join(
                    each[part] for part in ("function", "column") if part in each
                )
                added = 1 if each["function"] == "count" else row[each["column"]] or 0
                group[name] = group.get(name, 0) + added
        return list(made.values())

    def _intersection(self, source: str, other: str) -> list[Row]:
        """The rows of the source, a name that both have after the name of its table."""
        first, second = self._rows(source), self._rows(other)
        shared = {name for row in second[:1] for name in row} - {"geom"}
        called = source.rpartition(".")[2]
        return [
            {f"{called}_{name}" if name in shared else name: value for name, value in row.items()}
            for row in first
        ]

    def _grid(self, source: str, size: str, shape: str) -> list[Row]:
        return [{"id": row["id"], "count": 1, "geom": row["geom"]} for row in self._rows(source)]


def _columns_of(rows: Sequence[Row]) -> tuple[Column, ...]:
    first = rows[0] if rows else {}
    return tuple(Column(name=name, kind=_kind(item), sql_type="x") for name, item in first.items())


@cache
def _bare(operation: OperationInfo) -> OperationInfo:
    """Without defaults, so that the steps show what was said and nothing else."""
    properties = {
        name: {key: value for key, value in each.items() if key != "default"}
        for name, each in operation.schema["properties"].items()
    }
    return replace(operation, schema={**operation.schema, "properties": properties})


class Desk:
    """The port `Analyst`: an analysis of its own for every goal."""

    def __init__(self, world: World, operations: Sequence[str] = tuple(OPERATIONS)) -> None:
        self.world = world
        self.offered = operations
        self.analysis = MemoryAnalysis(world, operations)

    def operations(self) -> Sequence[OperationInfo]:
        return self.analysis.known

    async def run(self, goal: str, session: Any, context: Any) -> AnalysisReport:
        self.analysis = MemoryAnalysis(self.world, self.offered)
        analyst = Analyst(OfflineModel(), **self.world.ports, session=self.analysis)
        text = await analyst.chat(goal)
        for each in self.analysis.done[-1:]:
            receipts.note({"table": each.table.id})
        return AnalysisReport(text, analyst.finished)

    async def recipes(self, session: Any) -> list[RecipeCard]:
        return []


def _free(name: str, row: Row) -> str:
    """As the real operations call what they add."""
    number = 1
    while (free := name if number == 1 else f"{name}_{number}") in row:
        number += 1
    return free


def _kind(item: Any) -> ColumnKind:
    if isinstance(item, tuple):
        return "geometry"
    return "integer" if isinstance(item, int) else "number" if isinstance(item, float) else "text"


def apart(one: Row, other: Row) -> float:
    """Metres along a great circle."""
    (x1, y1), (x2, y2) = one["geom"], other["geom"]
    a, b, width = math.radians(y1), math.radians(y2), math.radians(x2 - x1)
    inner = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(width / 2) ** 2
    return 2 * 6_371_009 * math.asin(math.sqrt(inner))
