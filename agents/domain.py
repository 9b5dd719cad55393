"""Data types shared by the agents and the server that hosts them: tables, layers, styles, focus.

Values only. Coordinates are longitude and latitude in degrees (EPSG:4326) and a bounding box is
`(west, south, east, north)`; `west > east` means that it crosses the antimeridian."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints

from agents.areas import checked_area
from agents.geo.styling.doubles import as_doubles
from agents.geo.wording.texts import SAMPLE_OF
from agents.worded import Part

Finite = Annotated[float, Field(allow_inf_nan=False)]
Bounds = tuple[Finite, Finite, Finite, Finite]
Cql2 = dict[str, Any]  # a CQL2 filter as JSON (OGC 21-065r2)

ColumnKind = Literal["text", "integer", "number", "boolean", "date", "timestamp", "geometry", "json", "other"]
GeometryFamily = Literal["point", "line", "polygon", "mixed", "none"]
StyleKind = Literal[
    "single", "categorical", "graduated", "proportional", "heatmap", "hexbin", "grid", "cluster"
]
BINNED: frozenset[StyleKind] = frozenset(("hexbin", "grid", "cluster"))
"""Styles that draw cells with the number of features in them, in place of the features."""
USUAL_CELL_PX: dict[StyleKind, float] = {"hexbin": 32.0, "grid": 32.0, "cluster": 64.0}  # width of cells
USUAL_HEAT_PX = 18.0  # the radius of a point of a heat map where no size was asked for
CellStatistic = Literal["count", "sum", "mean", "min", "max"]
ClassMethod = Literal["quantile", "equal", "jenks"]
Blend = Literal["normal", "multiply", "screen", "add"]
USUAL_CLASSES = 5  # of a graduated style that does not say how many
LegendLabel = Annotated[str, StringConstraints(max_length=200)]
ColumnName = Annotated[str, StringConstraints(max_length=200)]
Zoom = Annotated[float, Field(ge=0, le=24)]


class Value(BaseModel):
    """An immutable value, compared by content. Unknown fields are refused, except in stored values (read with
    `extra="ignore"`), to which a newer version on the same database may have added some."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(Value):
    name: str
    kind: ColumnKind
    sql_type: str
    comment: str | None = None
    nullable: bool = True
    samples: tuple[str, ...] = ()
    """Most common values as text, from the planner's statistics; untrusted data."""
    minimum: float | str | None = None
    maximum: float | str | None = None


class Count(Value):
    """How many rows there are."""

    rows: int
    exact: bool = True
    """False where it is estimated from a sample."""


class LakeSource(Value):
    """The files of a lake table, of whose rows PostGIS holds a sample."""

    rows: int
    """Rows of all files, exactly."""
    sample_rows: int
    """Rows that PostGIS holds."""
    files: int
    bytes: int
    version: str
    """The version of the files, as `bytes`; it changes with them."""

    @property
    def is_sampled(self) -> bool:
        """Whether PostGIS holds fewer rows than the files."""
        return self.sample_rows < self.rows

    @property
    def factor(self) -> float:
        """How many rows of the table one row of the sample represents."""
        return self.rows / max(1, self.sample_rows)

    @property
    def words(self) -> str:
        """How answers name the sample: its rows and those of all files."""
        return SAMPLE_OF(n=self.sample_rows, total=self.rows)


_FAMILY_WORDS: tuple[tuple[GeometryFamily, tuple[str, ...]], ...] = (
    ("point", ("POINT",)), ("polygon", ("POLYGON", "SURFACE", "TIN", "TRIANGLE")), ("line", ("LINE", "CURVE")),
)  # fmt: skip
"""Parts of PostGIS type names; the first family with one of them counts."""


class Table(Value):
    """An entry of the registry. `id` is `schema.name`, each part quoted as SQL would where it holds `.` or `"`."""

    id: str
    schema_name: str
    name: str
    kind: Literal["table", "view", "materialized view", "foreign table"] = "table"
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    """Columns of the primary key, or of a unique not-null index."""
    references: tuple[tuple[str, str, str], ...] = ()
    """Its foreign keys of one column: the column, the id of the other table, and the column there."""
    geometry_column: str | None = None
    geometry_type: str | None = None
    """As PostGIS names it: POINT, MULTIPOLYGON, GEOMETRY ..."""
    srid: int = 0
    bounds: Bounds | None = None
    row_estimate: int = 0
    comment: str | None = None
    is_result: bool = False
    """An analysis made it: it belongs to the map that asked, and no other map sees it."""
    is_private: bool = False
    """It was uploaded to a map and is not shared: no other map sees it."""
    lake: LakeSource | None = None
    """Where PostGIS holds only a sample of the rows; `row_estimate` and `bounds` are then of all rows."""

    @property
    def stored_rows(self) -> int:
        """Rows in PostGIS, about."""
        return self.row_estimate if self.lake is None else self.lake.sample_rows

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    @property
    def title(self) -> str:
        """Its name in sentences: for a result the title of its step, which is the beginning of its comment."""
        title = (self.comment or "").partition(": ")[0] if self.is_result else ""
        return title or self.name

    @property
    def geometry_family(self) -> GeometryFamily:
        """By the declared type: `mixed` if that allows several, `none` without a geometry."""
        if self.geometry_column is None:
            return "none"
        kind = (self.geometry_type or "").upper()
        for family, words in _FAMILY_WORDS:
            if any(word in kind for word in words):
                return family
        return "mixed"


class ValueColor(Value):
    """A value of a categorical style and the CSS colour that it has."""

    value: bool | int | float | str
    color: str


class StyleSpec(Value):
    """The requested style of a layer. Sizes are CSS pixels; `color` is a CSS colour; `ramp` a named colour ramp."""

    kind: StyleKind = "single"
    color: str | None = None
    column: str | None = None
    """What categorical, graduated and proportional styles show; the weight of a heat map (optional)."""
    statistic: CellStatistic | None = None
    """Of the features in a cell of a hexbin or grid style; left out, their number."""
    method: ClassMethod = "quantile"
    classes: Annotated[int, Field(ge=2, le=9)] | None = None
    """Left out: USUAL_CLASSES of a number, and as many values as a legend shows well."""
    breaks: Annotated[tuple[FiniteFloat, ...], Field(max_length=12)] = ()
    """Limits between the classes of a graduated style, least first, in place of `method` and `classes`."""
    values: Annotated[tuple[ValueColor, ...], Field(max_length=24)] = ()
    """Of a categorical style: the values that have a colour, in the order of the legend. All others share one."""
    ramp: str | None = None
    size: Annotated[float, Field(gt=0, le=100)] | None = None
    """Circle radius or line width; of proportional circles the largest radius; of cells their width."""
    stroke: Annotated[float, Field(ge=0, le=20)] | None = None
    """Width of the outline of points and areas; left out, it grows with their size and the zoom."""
    stroke_color: str | None = None
    """Of that outline; left out, white or the colour of the layer."""
    extrude: str | None = None
    """A numeric column by which areas rise in 3D. Of areas in single, categorical and graduated styles."""
    extrude_scale: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None = None
    """Metres of height for each unit of that column; left out, the greatest value rises to a share of the extent."""
    hidden: Annotated[tuple[LegendLabel, ...], Field(max_length=24)] = ()
    """Labels of legend entries whose features are not drawn. A label that the legend does not have hides nothing."""
    blend: Blend = "normal"
    """How the colours combine with what lies below: `multiply` darkens, `screen` and `add` lighten."""
    label: Annotated[str, StringConstraints(max_length=300)] | None = None
    """The text beside the features: a column, or a text with columns in braces, as `{name} ({population})`."""
    label_size: Annotated[float, Field(ge=6, le=48)] | None = None
    label_overlap: bool = False
    """Labels are written even where they overlap."""
    label_min_zoom: Zoom | None = None
    """Labels are written from this zoom on."""
    tooltip: Annotated[tuple[ColumnName, ...], Field(max_length=8)] = ()
    """Columns whose values are shown beside the pointer, in this order."""
    min_zoom: Zoom | None = None
    """The layer is drawn from this zoom on."""
    max_zoom: Zoom | None = None
    """The layer is drawn below this zoom."""
    time: str | None = None
    """A column of dates, times or numbers (years) that tiles carry as a number, so that a slider can go through it."""


OTHERS = "other"
"""Label of the legend's entry for all values without an individual colour."""


class LegendEntry(Value):
    """One row of a legend. `size` is a circle's radius or a line's width in CSS pixels."""

    label: str
    """In English; clients in other languages word it by `code`."""
    code: Literal["range", "value", "other", "no_data", "few", "many", "name", "step"] = "name"
    """`range` is from `minimum` to just under `maximum`, of which `open` ends have no bound; `value` is `value`."""
    color: str
    size: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    open: Literal["below", "above", "both"] | None = None
    whole: bool = False
    """The values of a `range` are whole numbers."""
    value: str | float | bool | None = None
    count: int | None = None
    hidden: bool = False
    """Its features are not drawn, because the style hides them."""


class Legend(Value):
    """Derived from the expression that draws the layer. `shape` is that of a swatch; `wording` is that of `note`."""

    title: str
    kind: StyleKind = "single"
    shape: Literal["circle", "line", "fill", "gradient"] = "fill"
    entries: tuple[LegendEntry, ...] = ()
    note: str | None = None
    wording: tuple[Part, ...] = ()


class DrawLayer(Value):
    """One MapLibre style layer, without its id and source, which the client sets."""

    type: Literal["fill", "fill-extrusion", "line", "circle", "symbol", "heatmap"]
    paint: Annotated[dict[str, Any], AfterValidator(as_doubles)] = {}
    layout: Annotated[dict[str, Any], AfterValidator(as_doubles)] = {}
    filter: Annotated[list[Any] | None, AfterValidator(as_doubles)] = None
    minzoom: float | None = None
    maxzoom: float | None = None
    source_layer: Literal["features", "points"] = "features"
    """Its `source-layer` in the vector tile. `points` has one point on each feature, in one tile only: for
    labels, and for circles and heat maps over lines and polygons, which else repeat per tile or vertex."""


class Style(StyleSpec):
    """A computed style: the request and the MapLibre layers that draw it, bottom first."""

    layers: tuple[DrawLayer, ...] = ()


class Layer(Value):
    """A table or analysis result as drawn on one map. `tiles` is a URL template; the tile's layer is `features`."""

    id: str
    table: str
    name: str
    geometry_type: GeometryFamily
    filter: Cql2 | None = None
    style: Style
    visible: bool = True
    opacity: Annotated[float, Field(ge=0, le=1)] = 1.0
    order: int = 0
    """0 is drawn first, at the bottom."""
    group: str | None = None
    """The name of the group that the layer belongs to. Layers of a group lie next to each other."""
    version: int = 1
    count: int
    """Features that pass the filter, counted in PostGIS."""
    estimated: bool = False
    """`count`, `bounds` and the numbers of the legend come from a sample of a large table; exact ones follow."""
    data: str = ""
    """The version of the table's data that `count`, `bounds` and the legend are of; empty where it is not known."""
    bounds: Bounds | None = None
    tiles: str = ""
    legend: Legend


class LayerDraft(Value):
    """A requested layer. Without an id, name or colour the map chooses free ones."""

    table: str
    id: str | None = None
    name: str | None = None
    filter: Cql2 | str | None = None
    """CQL2 as JSON or text."""
    style: StyleSpec = StyleSpec()
    visible: bool = True
    opacity: Annotated[float, Field(ge=0, le=1)] = 1.0


class LayerChange(Value):
    """Changes to a layer. Only fields that are set count; `filter=None`, when set, removes the filter."""

    filter: Cql2 | str | None = None
    style: StyleSpec | None = None
    name: str | None = None
    visible: bool | None = None
    opacity: Annotated[float, Field(ge=0, le=1)] | None = None


class RecipeParameter(Value):
    """A value in a recipe that may be changed for a run. `default` is what the analysis used; `step` names its step."""

    name: str
    kind: Literal["number", "length", "text", "choice", "yes_no", "table", "column"]
    default: str | int | float | bool
    step: str
    description: str = ""
    options: tuple[str, ...] = ()


class RecipeCard(Value):
    """A saved plan of an analysis as users and models see it: the titles of its steps, and its parameters."""

    name: str
    goal: str
    steps: tuple[str, ...]
    parameters: tuple[RecipeParameter, ...] = ()


class Focus(Value):
    """What the user points at. The first one present counts: selection, drawn area, viewport."""

    layer_id: str | None = None
    feature_ids: tuple[int | str, ...] = ()
    area: Annotated[dict[str, Any], AfterValidator(checked_area)] | None = None
    """A drawn GeoJSON Polygon or MultiPolygon."""
    bounds: Bounds | None = None
    zoom: Finite | None = None
    seq: Annotated[int, Field(ge=0)] | None = None
    """The last event of the map that was seen when this was pointed at: the version of what is meant."""


class QueryReceipt(Value):
    """A query that ran in PostGIS, with its numbers: the source of a figure in an answer."""

    sql: str
    """Can be run in psql unchanged."""
    table: str | None = None
    filter: Cql2 | None = None
    """The rows of `table` that the question was about, or that it made."""
    rows: int | None = None
    """Number of these rows, if they were counted."""
    values: dict[str, float] = {}
    """Numbers about all of these rows, by what they are: `count`, `mean`, `maximum`."""
    column: str | None = None
    """The column that `values` are the statistics of."""
    key: str | None = None
    cells: tuple[tuple[Any, dict[str, float]], ...] = ()
    """For queries of rows: the value of the column `key` and the numbers by column, row by row."""
    texts: tuple[tuple[str, ...], ...] = ()
    """Labels of the rows of `cells`: a few short texts of each."""
    notes: tuple[str, ...] = ()
    """Notes on the method: units, CRS, expected errors."""


class Place(Value):
    """A named place found in the user's tables."""

    name: str
    table: str
    kind: str
    bounds: Bounds
    longitude: float
    latitude: float
    detail: str = ""
    population: float | None = None
    whole: bool = True
    """The search text is its whole name, or its code in capitals; not a part of the name or a similar one."""


class FoundPlaces(Value):
    """Places with a name, best match first."""

    places: tuple[Place, ...] = ()
    not_searched: tuple[str, ...] = ()
    """Ids of tables that did not answer in time: a place of that name may be in them, too."""


class SqlAnswer(Value):
    """Rows of a SELECT that a model wrote. `sql` is the statement as it ran; values are plain JSON."""

    sql: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    """There are more rows than were read."""
    ms: float = 0.0
