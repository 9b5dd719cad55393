"""The requests that clients send. They refuse unknown fields."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agents.charts import ChartDraft
from agents.domain import Bounds, Cql2, Focus, StyleSpec
from agents.exports import ExportRequest

MapId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
LayerId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=8000)]
ChartId = LayerId
TableName = Annotated[str, StringConstraints(min_length=1, max_length=200)]
LayerName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
RecipeName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
ParameterName = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Seq = Annotated[int, Field(ge=0, le=2**53)]
Longitude = Annotated[float, Field(ge=-540, le=540)]
Latitude = Annotated[float, Field(ge=-90, le=90)]
Position = tuple[Longitude, Latitude]
DrawnFrom = Literal["all", "some", "sample"]
Projection = Literal["mercator", "globe"]
MapName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120, pattern=r"^[^\r\n\t]*$")]
BaseMapName = Annotated[str, StringConstraints(max_length=100)]
BookmarkId = LayerId
BookmarkName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80, pattern=r"^[^\r\n\t]*$")
]
ThreadId = LayerId
CommentText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
FeatureId = int | Annotated[str, StringConstraints(max_length=40)]


class Request(BaseModel):
    """The base of all requests."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Join(Request):
    """Enter a map; without `map_id` a new map is created. With `after_seq`, only later events are returned."""

    map_id: MapId | None = None
    after_seq: Seq | None = None


class MapRequest(Request):
    """A request about one map."""

    map_id: MapId


class Chat(MapRequest):
    """A user's message. Sending the same `client_id` on a map again returns the same turn."""

    text: Text
    client_id: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None
    focus: Focus | None = None


class Cancel(MapRequest):
    """Stop a turn; without `turn_id` the one that is running or waits for an answer."""

    turn_id: Annotated[str, StringConstraints(max_length=64)] | None = None


class Approve(MapRequest):
    """The answer to an `approval_requested`. The first answer counts; later ones get `conflict`."""

    turn_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    call_id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    approved: bool


class LayerAdd(MapRequest):
    """Add a table as a layer. Omitted fields get defaults that fit the table."""

    table: TableName
    layer_id: LayerId | None = None
    name: LayerName | None = None
    filter: Cql2 | str | None = None
    style: StyleSpec = StyleSpec()
    visible: bool = True
    opacity: Annotated[float, Field(ge=0, le=1)] = 1.0


class LayerUpdate(MapRequest):
    """Only fields that are sent change; `filter: null` removes the filter.

    `seen_version` is the version of the layer that the person saw: if its filter was changed since, a new
    filter is refused with `conflict`."""

    layer_id: LayerId
    seen_version: Annotated[int, Field(ge=1)] | None = None
    filter: Cql2 | str | None = None
    style: StyleSpec | None = None
    name: LayerName | None = None
    visible: bool | None = None
    opacity: Annotated[float, Field(ge=0, le=1)] | None = None


class LayerRemove(MapRequest):
    """Remove a layer."""

    layer_id: LayerId


class LayerReorder(MapRequest):
    """`order` lists layer ids, bottom first."""

    order: Annotated[list[LayerId], Field(max_length=1000)]


class LayerGroup(MapRequest):
    """Change several layers in one step: put them into the `group` of this name (null takes them out of theirs), show
    or hide them. Only fields that are sent change. `order` may list ids of layers, bottom first, as in `layer_reorder`.
    """

    layers: Annotated[list[LayerId], Field(min_length=1, max_length=1000)]
    group: LayerName | None = None
    visible: bool | None = None
    order: Annotated[list[LayerId], Field(max_length=1000)] = []


class ChartAdd(MapRequest):
    """A chart of a layer or of a table; `chart` says which columns play which role."""

    chart: ChartDraft


class ChartRequest(MapRequest):
    """`chart_refresh` reads the data of a chart again, `chart_remove` removes it."""

    chart_id: ChartId


class ResultDrop(MapRequest):
    """Drop a result of this map and the tables of its steps. Refused with `conflict` while a layer shows one."""

    table: TableName


class RecipeSave(MapRequest):
    """Save the plan of an analysis under a name. `parameters` selects from those that it suggests; null selects all."""

    analysis_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    name: RecipeName
    parameters: Annotated[list[ParameterName], Field(max_length=100)] | None = None


class RecipeRun(MapRequest):
    """Run a recipe with these values, as a turn of the map. The same `client_id` is one turn."""

    name: RecipeName
    values: Annotated[dict[ParameterName, str | float | bool], Field(max_length=100)] = {}
    client_id: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None


class RecipeRename(MapRequest):
    """Rename a recipe."""

    name: RecipeName
    new_name: RecipeName


class RecipeRemove(MapRequest):
    """Remove a recipe."""

    name: RecipeName


class Receipt(MapRequest):
    """A browser has drawn a version of a layer, with this many features in view, or failed with `error`."""

    layer_id: LayerId
    version: int
    features: Annotated[int, Field(ge=0)]
    error: Annotated[str, StringConstraints(max_length=500)] | None = None
    drawn_from: DrawnFrom = "all"
    """`some` where not all features in view are drawn, `sample` where they come from a sample of the rows."""


class Restore(MapRequest):
    """Restore the layers and charts as of the event `seq`, in one change that one `undo` takes back."""

    seq: Seq


class Share(MapRequest):
    """The map's view link: `view: true` creates it, `false` withdraws it, without `view` it is returned."""

    view: bool | None = None


class Introduce(Request):
    """The name that others on a map see for this person; an empty one removes it."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=40, pattern=r"^[^\r\n\t]*$")]


class Selection(Request):
    """Features of a layer that a person points at."""

    layer_id: LayerId
    feature_ids: Annotated[list[FeatureId], Field(max_length=200)]


class Gesture(MapRequest):
    """What a person points at, for others to see. Only fields that are sent change; null clears one."""

    pointer: Position | None = None
    """Longitude and latitude, in degrees."""
    selection: Selection | None = None


class View(MapRequest):
    """The visible part of the map. After the first one the server expects receipts from this browser."""

    bounds: Bounds
    zoom: Annotated[float, Field(ge=0, le=30)]


class FindPlace(MapRequest):
    """Places by name in the tables of this server; `Paris, Texas` prefers rows that also contain Texas."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
    limit: Annotated[int, Field(ge=1, le=20)] = 6


class Export(ExportRequest, MapRequest):
    """Write tables and layers into a file; the acknowledgement has the link to it."""


class Viewpoint(Request):
    """A camera and the layers that it shows."""

    center: Position
    """Longitude and latitude, in degrees."""
    zoom: Annotated[float, Field(ge=0, le=30)]
    bearing: Annotated[float, Field(ge=-360, le=360)] = 0
    """Degrees clockwise from north."""
    pitch: Annotated[float, Field(ge=0, le=90)] = 0
    """Degrees from straight down."""
    layers: Annotated[list[LayerId], Field(max_length=1000)] = []
    """Ids of the visible layers."""


class MapDescribe(MapRequest):
    """Change what is known of the map. Only fields that are sent change."""

    name: MapName | None = None
    base_map: BaseMapName | None = None
    projection: Projection | None = None


class BookmarkSave(MapRequest):
    """Save a view under a name; with `bookmark_id` in place of that bookmark."""

    name: BookmarkName
    view: Viewpoint
    bookmark_id: BookmarkId | None = None


class BookmarkRemove(MapRequest):
    bookmark_id: BookmarkId


class CommentPlace(Request):
    """Where a thread of comments is pinned: a position, and the feature there if it is about one."""

    position: Position
    """Longitude and latitude, in degrees."""
    layer_id: LayerId | None = None
    feature_id: FeatureId | None = None
    label: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    """The name of the feature, if it has one."""


class ThreadStart(MapRequest):
    """Pin a first comment to a place of the map or to a feature."""

    place: CommentPlace
    text: CommentText


class CommentAdd(MapRequest):
    """Reply in a thread. A reply to a resolved thread opens it again."""

    thread_id: ThreadId
    text: CommentText


class CommentRemove(MapRequest):
    """Remove a comment; with the only comment of a thread the thread goes."""

    thread_id: ThreadId
    comment_id: LayerId


class ThreadResolve(MapRequest):
    """Mark a thread as resolved, or open it again."""

    thread_id: ThreadId
    resolved: bool


class ThreadRemove(MapRequest):
    """Remove a thread with all its comments."""

    thread_id: ThreadId


REQUESTS: dict[str, type[Request]] = {
    "join": Join, "leave": MapRequest,
    "chat": Chat, "cancel": Cancel, "approve": Approve,
    "layer_add": LayerAdd, "layer_update": LayerUpdate, "layer_remove": LayerRemove,
    "layer_reorder": LayerReorder, "layer_group": LayerGroup,
    "chart_add": ChartAdd, "chart_refresh": ChartRequest, "chart_remove": ChartRequest,
    "result_drop": ResultDrop,
    "recipe_save": RecipeSave, "recipe_run": RecipeRun, "recipe_rename": RecipeRename, "recipe_remove": RecipeRemove,
    "undo": MapRequest, "redo": MapRequest,
    "receipt": Receipt, "view": View, "find_place": FindPlace, "export": Export,
    "restore": Restore, "copy": MapRequest, "share": Share,
    "introduce": Introduce, "gesture": Gesture,
    "map_describe": MapDescribe, "bookmark_save": BookmarkSave, "bookmark_remove": BookmarkRemove,
    "thread_start": ThreadStart, "comment_add": CommentAdd, "comment_remove": CommentRemove,
    "thread_resolve": ThreadResolve, "thread_remove": ThreadRemove,
}  # fmt: skip
