"""The ports in memory: a registry, a map and a data source over a few real rows. They filter, sort and count.

For unit tests of the agent and of the offline model; the same is tested on PostGIS in tests/integration."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from agents.charts import Axis, Chart, ChartData, ChartDraft
from agents.core import ToolFailed
from agents.domain import (
    USUAL_CLASSES,
    Bounds,
    Count,
    Focus,
    FoundPlaces,
    Layer,
    LayerChange,
    LayerDraft,
    Legend,
    LegendEntry,
    Place,
    Style,
    StyleSpec,
    Table,
)
from agents.geo.choices import next_layer_id
from agents.geo.styling.colours import CSS_NAMES, next_colour
from agents.text_search import TextSearch
from tests.unit.geo_agent.filtering import passes, properties
from tests.unit.geo_agent.making import Row, as_json, box_of
from tests.unit.geo_agent.tables import AIRPORTS, CITIES, COUNTRIES, EVERYTHING

_SHARED: dict[tuple[int, ...], tuple[Table, ...]] = {}
"""By the identities of the tables. What is worked out from the same tables is kept, as on a server."""


class MemoryRegistry:
    def __init__(self, tables: Sequence[Table]) -> None:
        self.version = 1
        self._keep(tables)

    def _keep(self, tables: Sequence[Table]) -> None:
        self._tables = tuple(sorted(tables, key=lambda table: table.id))
        shared = tuple(each for each in self._tables if not (each.is_result or each.is_private))
        self._shared = _SHARED.setdefault(tuple(map(id, shared)), shared)

    def tables(self) -> Sequence[Table]:
        return self._tables

    def shared(self) -> Sequence[Table]:
        return self._shared

    def own(self) -> Sequence[Table]:
        return [table for table in self._tables if table.is_result or table.is_private]

    def add(self, table: Table) -> None:
        self._keep([*self._tables, table])
        self.version += 1

    def replace(self, table: Table) -> None:
        self._tables = tuple(each for each in self._tables if each.id != table.id)
        self.add(table)

    def get(self, table_id: str) -> Table:
        named = [table for table in self._tables if table.id == table_id] or [
            table for table in self._tables if table.name == table_id
        ]
        if len(named) != 1:
            raise ToolFailed(
                f"There is no table {table_id!r}. Nearest: {', '.join(t.id for t in self._tables[:5])}."
            )
        return named[0]

    async def search(self, text: str, limit: int = 20) -> Sequence[Table]:
        words = {word.rstrip("s") for word in text.lower().split()}

        def rank(table: Table) -> int:
            said = f"{table.name} {table.comment or ''} {' '.join(c.name for c in table.columns)}".lower()
            return sum(word in said for word in words if len(word) > 2)

        ranked = sorted((table for table in self._tables if rank(table)), key=lambda table: -rank(table))
        return ranked[:limit]


class MemoryData:
    def __init__(self, rows: Mapping[str, list[Row]], registry: MemoryRegistry) -> None:
        self.rows = rows
        self.registry = registry
        self.names = {table.id: "name" for table, _ in (COUNTRIES, CITIES, AIRPORTS)}
        """The columns of names by tables: of those in which places are found."""

    def passing(self, table_id: str, filter: Any = None) -> list[Row]:
        table = self.registry.get(table_id)
        if isinstance(filter, str):
            import cql2

            filter = cql2.parse_text(filter).to_json()
        for name in properties(filter or {}):
            if table.column(name) is None:
                raise ToolFailed(f"{table.id} has no column {name!r}.")
        rows = self.rows.get(table.id, [])
        return [row for row in rows if filter is None or passes(filter, row)]

    async def count(self, table: str, filter: Any = None, within: Mapping[str, Any] | None = None) -> int:
        assert within is None
        return len(self.passing(table, filter))

    async def counted(self, table: str, filter: Any = None, within: Mapping[str, Any] | None = None) -> Count:
        return Count(rows=await self.count(table, filter, within))

    async def bounds(self, table: str) -> Mapping[str, Any]:
        found = self.registry.get(table)
        return (
            {"bounds": {"crs": "EPSG:4326", "box": list(found.bounds), "exact": True}} if found.bounds else {}
        )

    async def quality(self, table: str) -> Mapping[str, Any]:
        rows = self.passing(table)
        names = [column.name for column in self.registry.get(table).columns]
        nulls = {name: sum(row.get(name) is None for row in rows) for name in names}
        shapes = {"types": {"POINT": len(rows)}, "missing": 0, "empty": 0, "invalid": 0, "duplicates": 0}
        found = {"exact": True, "rows": len(rows), "nulls": {name: n for name, n in nulls.items() if n}}
        found["duplicate_keys"] = {}
        return found if self.registry.get(table).geometry_column is None else {**found, "geometries": shapes}

    async def stats(self, table: str, column: str, filter: Any = None) -> Mapping[str, Any]:
        all_values = [row[column] for row in self.passing(table, filter)]
        known = [value for value in all_values if value is not None]
        values = [value for value in known if not isinstance(value, float) or math.isfinite(value)]
        facts: dict[str, Any] = {
            "count": len(all_values),
            "nulls": len(all_values) - len(known),
            "not_finite": len(known) - len(values),
            "distinct": len(set(values)),
        }
        if values and not isinstance(values[0], bool):
            facts |= {"minimum": min(values), "maximum": max(values)}
        if values and isinstance(values[0], int | float) and not isinstance(values[0], bool):
            facts |= {
                "mean": statistics.fmean(values),
                "median": statistics.median(values),
                "sum": sum(values),
            }
        counts = sorted(
            ((values.count(value), str(value), value) for value in set(values)),
            key=lambda item: (-item[0], item[1]),
        )
        facts["top"] = [{"value": value, "count": count} for count, _, value in counts[:10]]
        return facts

    async def query(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        filter: Any = None,
        sort: str | None = None,
        descending: bool = False,
        limit: int = 20,
        *,
        lonlat: bool = False,
    ) -> Mapping[str, Any]:
        found = self.registry.get(table)
        rows = self.passing(table, filter)
        if sort:
            known = sorted(
                (row for row in rows if row[sort] is not None), key=lambda row: row[sort], reverse=descending
            )
            rows = known + [row for row in rows if row[sort] is None]
        names = list(columns) if columns else [c.name for c in found.columns if c.kind != "geometry"]
        shown = [{name: as_json(row[name]) for name in names} for row in rows[:limit]]
        return {"columns": names, "rows": shown, "total": len(rows), "truncated": len(rows) > limit}

    async def find_texts(self, search: TextSearch) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        found = {}
        for table, names in search.columns.items():
            ending = search.ending.get(table, ())
            found[table] = [
                {name: row[name] for name in names}
                for row in self.passing(table)
                if any(row[name] in search.texts for name in names)
                or any(str(row[name]).lower().endswith(tuple(search.endings)) for name in ending)
            ][: search.limit]
        return found

    async def find_place(self, text: str, limit: int = 5) -> FoundPlaces:
        places = []
        for table_id, name in self.names.items():
            for row in self.rows.get(table_id, []):
                if str(row.get(name)).casefold() == text.casefold():
                    x, y = row["geom"]
                    box = (x - 2, y - 2, x + 2, y + 2) if table_id == COUNTRIES[0].id else (x, y, x, y)
                    places.append(
                        Place(
                            name=row[name],
                            table=table_id,
                            kind=self.registry.get(table_id).name,
                            bounds=box,
                            longitude=x,
                            latitude=y,
                            detail=row.get("country") or "",
                        )
                    )
        return FoundPlaces(places=tuple(places[:limit]))


class MemoryMap:
    """A map whose every change can be undone."""

    def __init__(self, data: MemoryData, focus: Focus | None = None) -> None:
        self.map_id = "map"
        self.data = data
        self.focus = focus
        self.views: list[Bounds] = []
        self.drafts: list[ChartDraft] = []
        self._charts: tuple[Chart, ...] = ()
        self._layers: tuple[Layer, ...] = ()
        self._undo: list[tuple[str, tuple[Layer, ...]]] = []
        self._redo: list[tuple[str, tuple[Layer, ...]]] = []

    def layers(self) -> Sequence[Layer]:
        return self._layers

    def _now(self, what: str, layers: Sequence[Layer]) -> None:
        self._undo.append((what, self._layers))
        self._redo.clear()
        self._layers = tuple(layer.model_copy(update={"order": order}) for order, layer in enumerate(layers))

    async def add_layer(self, draft: LayerDraft) -> tuple[Layer, str]:
        table = self.data.registry.get(draft.table)
        taken = [layer.id for layer in self._layers]
        spec = draft.style
        if spec.kind == "single" and spec.color is None:
            spec = spec.model_copy(update={"color": next_colour(layer.style.color for layer in self._layers)})
        layer = Layer(
            id=draft.id or next_layer_id(table.id, taken),
            table=table.id,
            name=draft.name or table.name.replace("_", " ").capitalize(),
            geometry_type=table.geometry_family,
            filter=_json_filter(draft.filter),
            visible=draft.visible,
            opacity=draft.opacity,
            **self._drawn(table, draft.filter, spec),
        )
        self._now(f"layer {layer.name} added", [*self._layers, layer])
        return self._layers[-1], f"drawn: {layer.count} features in view"

    def _drawn(self, table: Table, filter: Any, spec: StyleSpec) -> dict[str, Any]:
        rows = self.data.passing(table.id, filter)
        if spec.column and table.column(spec.column) is None:
            raise ToolFailed(f"{table.id} has no column {spec.column!r}.")
        if spec.color:
            if not spec.color.startswith("#") and spec.color not in CSS_NAMES:
                raise ToolFailed(f"{spec.color!r} is not a colour.")
            spec = spec.model_copy(update={"color": CSS_NAMES.get(spec.color, spec.color)})
        entries: tuple[LegendEntry, ...] = (LegendEntry(label=table.name, color=spec.color or "#888888"),)
        if spec.kind == "graduated":
            values = sorted(row[spec.column] for row in rows if row[spec.column] is not None)
            step = max(len(values) // (spec.classes or USUAL_CLASSES), 1)
            entries = tuple(
                LegendEntry(label=f"{low:,} and more", color="#888888")
                for low in values[::step][: spec.classes or USUAL_CLASSES]
            )
        elif spec.kind == "categorical":
            entries = tuple(
                LegendEntry(label=str(item), color="#888888")
                for item in sorted({str(row[spec.column]) for row in rows})
            )
        legend = Legend(title=spec.column or table.name, kind=spec.kind, entries=entries)
        bounds = box_of([row["geom"] for row in rows])
        return {"style": Style(**spec.model_dump()), "count": len(rows), "bounds": bounds, "legend": legend}

    async def update_layer(self, layer_id: str, change: LayerChange) -> tuple[Layer, str]:
        before = self._find(layer_id)
        fields = {name: getattr(change, name) for name in change.model_fields_set}
        table = self.data.registry.get(before.table)
        filter = _json_filter(fields["filter"]) if "filter" in fields else before.filter
        spec = fields.pop("style", None) or StyleSpec(
            **before.style.model_dump(include=set(StyleSpec.model_fields))
        )
        fields |= {"filter": filter, **self._drawn(table, filter, spec), "version": before.version + 1}
        after = before.model_copy(update=fields)
        self._now(
            f"layer {before.name} changed",
            [after if layer.id == layer_id else layer for layer in self._layers],
        )
        return self._find(layer_id), f"drawn: {after.count} features in view"

    async def remove_layer(self, layer_id: str) -> None:
        name = self._find(layer_id).name
        self._now(f"layer {name} removed", [layer for layer in self._layers if layer.id != layer_id])

    async def reorder(self, layer_ids: Sequence[str]) -> None:
        named = {layer.id: layer for layer in self._layers}
        rest = [layer for layer in self._layers if layer.id not in layer_ids]
        self._now("layers reordered", [*rest, *(named[layer_id] for layer_id in layer_ids)])

    async def group_layer(self, layer_id: str, group: str | None) -> None:
        grouped = self._find(layer_id).model_copy(update={"group": group})
        self._now("grouped", [grouped if layer.id == layer_id else layer for layer in self._layers])

    async def reset(self) -> int:
        count = len(self._layers)
        if count:
            self._now("map reset", [])
        return count

    def charts(self) -> Sequence[Chart]:
        return self._charts

    async def add_chart(self, draft: ChartDraft) -> tuple[Chart, ChartData]:
        """Counts rows by the values of x, whatever kind was asked for."""
        self.drafts.append(draft)
        layer = self._find(draft.layer_id) if draft.layer_id else None
        table = self.data.registry.get(layer.table if layer else draft.table or "")
        for name in (draft.x, draft.y, draft.color):
            if name is not None and table.column(name) is None:
                raise ToolFailed(f"{table.id} has no column {name!r}.")
        rows = self.data.passing(table.id, layer.filter if layer else draft.filter)
        counts: dict[str, int] = {}
        for row in rows:
            key = str(row[draft.x]) if draft.x else table.name
            counts[key] = counts.get(key, 0) + 1
        chart = Chart(
            id=f"chart_{len(self.drafts)}",
            kind=draft.kind,
            title=draft.title or f"{draft.kind} of {draft.x or draft.y}",
            titled=bool(draft.title),
            table=table.id,
            layer_id=draft.layer_id,
            x=draft.x,
            y=draft.y,
            color=draft.color,
            aggregate=draft.aggregate,
            bins=draft.bins,
            period=draft.period,
            rows=len(rows),
            shown=len(rows),
        )
        self._charts = (*self._charts, chart)
        drawn = tuple(counts.values())
        axis = Axis(kind="category", column=draft.x or "", keys=tuple(counts))
        return chart, ChartData(x=axis, values=(tuple(map(float, drawn)),), counts=(drawn,))

    async def remove_chart(self, chart_id: str) -> Chart:
        chart = next(each for each in self._charts if each.id == chart_id)
        self._charts = tuple(each for each in self._charts if each.id != chart_id)
        return chart

    async def zoom_to(self, bounds: Bounds) -> None:
        self.views.append(bounds)

    async def undo(self) -> str | None:
        if not self._undo:
            return None
        what, before = self._undo.pop()
        self._redo.append((what, self._layers))
        self._layers = before
        return what

    async def redo(self) -> str | None:
        if not self._redo:
            return None
        what, after = self._redo.pop()
        self._undo.append((what, self._layers))
        self._layers = after
        return what

    def _find(self, layer_id: str) -> Layer:
        found = next((layer for layer in self._layers if layer.id == layer_id), None)
        if found is None:
            raise ToolFailed(f"There is no layer {layer_id!r}.")
        return found


def _json_filter(filter: Any) -> Any:
    if isinstance(filter, str):
        import cql2

        return cql2.parse_text(filter).to_json()
    return filter


class World:
    """All ports at once."""

    def __init__(self, *tables: tuple[Table, list[Row]], focus: Focus | None = None) -> None:
        chosen = tables or EVERYTHING
        self.registry = MemoryRegistry([table for table, _ in chosen])
        self.data = MemoryData({table.id: list(rows) for table, rows in chosen}, self.registry)
        self.map = MemoryMap(self.data, focus)

    @property
    def ports(self) -> dict[str, Any]:
        return {"registry": self.registry, "map": self.map, "data": self.data}
