"""The interfaces that GeoAgent needs from its host. The server implements them and `server/app.py` passes them in.

Every method raises `agents.core.ToolFailed` for a fault that the model can correct (unknown column, bad filter): its
message names the fault, what was expected and the nearest valid value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from agents.charts import Chart, ChartData, ChartDraft
from agents.core import ToolContext
from agents.domain import (
    Bounds,
    Count,
    Cql2,
    Focus,
    FoundPlaces,
    Layer,
    LayerChange,
    LayerDraft,
    RecipeCard,
    SqlAnswer,
    StyleSpec,
    Table,
)
from agents.exports import ExportReport
from agents.lake import LakeAdded
from agents.text_search import TextSearch

Filter = Cql2 | str | None


class TableRegistry(Protocol):
    """The live catalogue of readable tables. `version` grows with every change."""

    @property
    def version(self) -> int:
        """Grows with every change of the catalogue."""

    def tables(self) -> Sequence[Table]:
        """All tables, sorted by id."""

    def shared(self) -> Sequence[Table]:
        """The tables that every map may read, sorted by id. The same object until one of them changes, so that
        callers can cache what they compute from thousands of tables."""

    def own(self) -> Sequence[Table]:
        """The other tables, sorted by id: results of analyses and uploads of this map."""

    def get(self, table_id: str) -> Table:
        """The table with this id, or with this bare name if only one has it. Raises ToolFailed with the nearest
        ids."""

    async def search(self, text: str, limit: int = 20) -> Sequence[Table]:
        """Tables that match the text by names, columns and comments, best first."""


class MapSession(Protocol):
    """One map within one turn: each change is an event of that turn, and everyone on the map sees it."""

    @property
    def map_id(self) -> str:
        """The id of the map."""

    @property
    def focus(self) -> Focus | None:
        """What the user points at: a selection, a drawn area or the viewport; None if unknown."""

    def layers(self) -> Sequence[Layer]:
        """The layers, bottom first, as of the last event."""

    async def add_layer(self, draft: LayerDraft) -> tuple[Layer, str]:
        """Add a layer; returns it as drawn, and the browsers' report: `drawn: 812 features in view`, or `no
        browser is watching`."""

    async def update_layer(self, layer_id: str, change: LayerChange) -> tuple[Layer, str]:
        """Change a layer; returns it with the browsers' report, as `add_layer` does."""

    async def remove_layer(self, layer_id: str) -> None:
        """Remove a layer from the map; its table stays."""

    async def reorder(self, layer_ids: Sequence[str]) -> None:
        """Draw the layers in this order, bottom first; layers that are not named keep their order below these."""

    async def group_layer(self, layer_id: str, group: str | None) -> None:
        """Put a layer into the group of this name, next to its other layers; with None take it out of its group."""

    async def reset(self) -> int:
        """Remove all layers; returns how many there were."""

    def charts(self) -> Sequence[Chart]:
        """The charts, oldest first, as of the last event."""

    async def add_chart(self, draft: ChartDraft) -> tuple[Chart, ChartData]:
        """Compute a chart in the database and put it on the map; returns it with the data that it draws."""

    async def remove_chart(self, chart_id: str) -> Chart:
        """Remove a chart from the map; returns it."""

    async def zoom_to(self, bounds: Bounds) -> None:
        """Show these bounds (EPSG:4326: west, south, east, north) in all browsers on the map."""

    async def undo(self) -> str | None:
        """Undo the newest change that is not undone; returns it, or None if nothing can be undone."""

    async def redo(self) -> str | None:
        """Redo the change that was undone last; returns it, or None if nothing can be redone."""


class DataSource(Protocol):
    """Read-only questions to PostGIS, with time and row limits."""

    async def count(self, table: str, filter: Filter = None, within: Mapping[str, Any] | None = None) -> int:
        """Number of rows that pass the filter and, with `within` (GeoJSON, EPSG:4326), intersect it."""

    async def counted(
        self, table: str, filter: Filter = None, within: Mapping[str, Any] | None = None
    ) -> Count:
        """As `count`, with whether the number is exact."""

    async def bounds(self, table: str) -> Mapping[str, Any]:
        """`bounds` in the table's own reference system and `bounds_lonlat`, each `{crs, box, exact}`; only `bounds`
        where that is longitude and latitude; nothing without geometries."""

    async def quality(self, table: str) -> Mapping[str, Any]:
        """What the table needs cleaned: `{exact, rows, geometries: {types, missing, empty, invalid, duplicates}, nulls,
        empty_texts, duplicate_keys}`, the last three by column; without what does not apply."""

    async def stats(self, table: str, column: str, filter: Filter = None) -> Mapping[str, Any]:
        """`{count, nulls, distinct, minimum, maximum, mean, median, sum, top: [{value, count}]}`, as they apply."""

    async def query(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        filter: Filter = None,
        sort: str | None = None,
        descending: bool = False,
        limit: int = 20,
        *,
        lonlat: bool = False,
    ) -> Mapping[str, Any]:
        """`{columns, rows, total, truncated}`. Geometry columns are left out unless named; they are then GeoJSON
        in the table's CRS, or in EPSG:4326 with `lonlat`, as `geometry_crs` says for each."""

    async def find_texts(self, search: TextSearch) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The rows that hold the texts, by table id, each with the `columns` of the search. Tables that cannot be
        read are left out."""

    async def find_place(self, text: str, limit: int = 5) -> FoundPlaces:
        """Find places by name in the user's tables, best match first."""


class SqlRunner(Protocol):
    """Runs one SELECT that a model wrote, if it is harmless."""

    async def run(self, statement: str) -> SqlAnswer:
        """Run one SELECT, read-only. Raises ToolFailed if it is refused or fails."""


@dataclass(frozen=True)
class AnalysisReport:
    """The outcome of an analysis: a text for the user, and for the calling model the tables that it can use now."""

    text: str
    finished: bool = True
    """False where the analysis was refused."""
    outputs: Sequence[Mapping[str, Any]] = ()
    """Each with `table`, `rows`, `geometry`, `crs`, `columns`."""


class Analyst(Protocol):
    """Plans and runs spatial analyses, and manages their results."""

    def operations(self) -> Sequence[OperationInfo]:
        """The operations that its analyses can use."""

    async def run(self, goal: str, session: MapSession, context: ToolContext) -> AnalysisReport:
        """Answer a question by a new analysis, on behalf of a tool call.

        Raises ToolFailed where the analyst could not finish: its model failed, or a limit was reached."""

    async def drop_result(self, table: str, session: MapSession) -> None:
        """Delete a result of the map for good; no layer may show it."""

    async def recipes(self, session: MapSession) -> Sequence[RecipeCard]:
        """The recipes of the map, by name."""

    async def save_recipe(
        self, name: str, parameters: Sequence[str] | None, session: MapSession
    ) -> RecipeCard:
        """Save the plan of the map's latest finished analysis. `parameters` are the values that a run may change;
        None takes all."""

    async def run_recipe(self, recipe: str, values: Mapping[str, Any], session: MapSession) -> AnalysisReport:
        """Run a recipe as a new analysis, with `values` by parameter; missing ones are as saved."""

    async def rename_recipe(self, recipe: str, name: str, session: MapSession) -> None:
        """Rename a recipe of the map. Raises ToolFailed if there is no such recipe or the name is taken."""

    async def remove_recipe(self, recipe: str, session: MapSession) -> None:
        """Remove a recipe from the map. Raises ToolFailed if there is none with this name."""


class Exporter(Protocol):
    """Writes files for a map."""

    async def export(self, request: dict[str, Any], session: MapSession) -> ExportReport:
        """Write the file that `agents.exports.ExportRequest` describes, and give a link to it.

        Raises ToolFailed for what the format cannot hold, and for what the request names wrongly."""


class LakeTables(Protocol):
    """Registers datasets of Parquet files as tables of a map."""

    async def add(self, location: str, name: str | None, srid: int | None, session: MapSession) -> LakeAdded:
        """`location` is a path on the server; without a `name` the table is named after the file or folder.
        `srid` (EPSG) applies where the files name no CRS.

        Raises ToolFailed with the reason where the path may not be read, holds no dataset, or the name is taken."""


class InfoStore(Protocol):
    """Markdown notes about the data."""

    async def query(self, text: str, k: int = 3) -> Sequence[str]:
        """The `k` notes most relevant to a text, best first, as Markdown."""


@dataclass(frozen=True)
class StepOutcome:
    """The result of an analysis step: a table, which later steps refer to by `step`."""

    step: str
    """The id by which later steps refer to it: `step_1`."""
    table: Table
    rows: int
    notes: Sequence[str] = ()
    """How it was computed, and what happened to the data."""
    breakdown: Mapping[str, int] = field(default_factory=dict)
    """Rows by class, where the operation has classes."""
    title: str = ""
    """The title of the step in the plan; empty if it has none."""
    method: Sequence[str] = ()
    """Those notes that say how it was computed: CRS, units, method, expected error."""


OperationTrait = Literal[
    "keeps_geometry",
    "makes_areas",
    "counts",
    "groups",
    "joins",
    "matches",
    "ranks",
    "measures_distance",
    "tabular",
]
"""Properties of an operation and its result.

- `keeps_geometry`: it has the kind of geometry of the source.
- `makes_areas`: `the largest` of it are those with the greatest area.
- `counts`: `the largest` of it are those with the greatest count or sum.
- `groups`: its rows are groups of the source's rows, or all of these together, with a `count`.
- `joins`: its rows are those of the source with something of the other table.
- `matches`: its rows are those of the source whose `key` occurs, or does not, as `other_key` of the other table.
- `ranks`: its rows are the first `n` of the source by the column `by`.
- `measures_distance`: it has a column `distance_m`, from each row of the source where it keeps the geometry.
- `tabular`: it takes tables without geometry, too."""


@dataclass(frozen=True, eq=False)
class OperationInfo:
    """One operation that an analyst may plan. `schema` is a JSON schema of its arguments.

    A property with `x-refers-to: table` names a table or an earlier step; with `x-refers-to: column` a column of the
    table in the argument that `x-of` names."""

    name: str
    """The name of the tool: `buffer`."""
    summary: str
    """One sentence for the model."""
    schema: Mapping[str, Any]
    traits: frozenset[OperationTrait] = frozenset()
    """Properties of its result."""
    phrases: Sequence[str] = ()
    """Templates of user requests for it, which the offline model reads; names in braces, such as `source`, are
    arguments."""


class AnalysisSession(Protocol):
    """One analysis on one map: it is watched, can be stopped, and leaves a receipt."""

    def operations(self) -> Sequence[OperationInfo]:
        """All operations that steps can run."""

    def outcomes(self) -> Sequence[StepOutcome]:
        """The steps that succeeded, in order."""

    async def plan(self, steps: Sequence[tuple[str, str]]) -> None:
        """Announce all steps that have not run yet, as (operation, title)."""

    async def run_step(self, operation: str, arguments: Mapping[str, Any], title: str) -> StepOutcome:
        """Run one step and announce it; its result is stored as a table. Raises ToolFailed, after which the analyst
        may repair the step."""

    async def finish(
        self,
        summary: str,
        style: StyleSpec | None = None,
        figures: Mapping[str, Any] | None = None,
        outputs: Sequence[str] = (),
    ) -> str:
        """Add the last step's table to the map and end the analysis as finished; returns the browsers' report of the
        layer.

        `outputs` are earlier steps whose tables are kept and shown as results, too.

        Without a style, one is chosen that shows what the steps found. `figures` are the sources of the numbers in
        the summary, as `agents.provenance.annotation` gives them."""

    async def fail(self, reason: str, advice: str) -> None:
        """End the analysis as failed, with the reason and what to try; finished steps are kept."""
