"""What a client may ask of the server. Requests refuse unknown fields."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agents.charts import ChartDraft
from agents.domain import Bounds, Cql2, Focus, StyleSpec

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
FeatureId = int | Annotated[str, StringConstraints(max_length=30)]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Join(Request):
    """Enter a map; without `map_id` a new one is made. With `after_seq`, only what came later is sent."""

    map_id: MapId | None = None
    after_seq: Seq | None = None


class MapRequest(Request):
    map_id: MapId


class Chat(MapRequest):
    """A user's message. The same `client_id` on the same map is one turn, however often it is sent."""

    text: Text
    client_id: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None
    focus: Focus | None = None


class Cancel(MapRequest):
    """Stop a turn; without `turn_id` the one that is running or waits for an answer."""

    turn_id: Annotated[str, StringConstraints(max_length=64)] | None = None


class Approve(MapRequest):
    """The answer to an `approval_requested`. Of several people's the first counts; the others get `conflict`."""

    turn_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    call_id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    approved: bool


class LayerAdd(MapRequest):
    table: TableName
    layer_id: LayerId | None = None
    name: LayerName | None = None
    filter: Cql2 | str | None = None
    style: StyleSpec = StyleSpec()
    visible: bool = True
    opacity: Annotated[float, Field(ge=0, le=1)] = 1.0


class LayerUpdate(MapRequest):
    """Only fields that are sent change; `filter: null` removes the filter.

    `seen_version` is the version of the layer that the person saw: where its filter was changed since, a new filter
    is refused with `conflict`.
    """

    layer_id: LayerId
    seen_version: Annotated[int, Field(ge=1)] | None = None
    filter: Cql2 | str | None = None
    style: StyleSpec | None = None
    name: LayerName | None = None
    visible: bool | None = None
    opacity: Annotated[float, Field(ge=0, le=1)] | None = None


class LayerRemove(MapRequest):
    layer_id: LayerId


class LayerReorder(MapRequest):
    """`order` is layer ids, bottom first."""

    order: Annotated[list[LayerId], Field(max_length=1000)]


class ChartAdd(MapRequest):
    """A chart of a layer or of a table; `chart` says which columns play which role."""

    chart: ChartDraft


class ChartRequest(MapRequest):
    """`chart_refresh` reads the data of a chart anew, `chart_remove` takes it away."""

    chart_id: ChartId


class ResultDrop(MapRequest):
    """Take a result of this map, and the steps that led to it, out of the database; no layer may show it."""

    table: TableName


class RecipeSave(MapRequest):
    """Save the plan of an analysis under a name; `parameters` of those that it suggests, all when null."""

    analysis_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    name: RecipeName
    parameters: Annotated[list[ParameterName], Field(max_length=100)] | None = None


class RecipeRun(MapRequest):
    """Run it with these values, as a turn of the map: its text says which. The same `client_id` is one turn."""

    name: RecipeName
    values: Annotated[dict[ParameterName, str | float | bool], Field(max_length=100)] = {}
    client_id: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None


class RecipeRename(MapRequest):
    name: RecipeName
    new_name: RecipeName


class RecipeRemove(MapRequest):
    name: RecipeName


class Receipt(MapRequest):
    """A browser's word that a version of a layer drew, and how many features of it are in view."""

    layer_id: LayerId
    version: int
    features: Annotated[int, Field(ge=0)]
    error: Annotated[str, StringConstraints(max_length=500)] | None = None


class Restore(MapRequest):
    """Make the layers as they were after the event `seq`, by one change that one `undo` takes back."""

    seq: Seq


class Share(MapRequest):
    """The map's view link: `view: true` makes one, `false` withdraws it, without `view` it is only told."""

    view: bool | None = None


class Introduce(Request):
    """By what name the others on a map know this person; an empty one takes it away."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=40, pattern=r"^[^\r\n\t]*$")]


class Selection(Request):
    """Features of a layer that somebody points at."""

    layer_id: LayerId
    feature_ids: Annotated[list[FeatureId], Field(max_length=200)]


class Gesture(MapRequest):
    """What a person points at, for the others to see. Only fields that are sent change; null takes away."""

    pointer: Position | None = None
    """Longitude and latitude, in degrees."""
    selection: Selection | None = None


class View(MapRequest):
    """What part of the map is seen. From the first one on, the server counts on this browser's receipts."""

    bounds: Bounds
    zoom: Annotated[float, Field(ge=0, le=30)]


class FindPlace(MapRequest):
    """Places by name, in the tables that this server reads; `Paris, Texas` prefers rows that also say Texas."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
    limit: Annotated[int, Field(ge=1, le=20)] = 6


REQUESTS: dict[str, type[Request]] = {
    "join": Join,
    "leave": MapRequest,
    "chat": Chat,
    "cancel": Cancel,
    "approve": Approve,
    "layer_add": LayerAdd,
    "layer_update": LayerUpdate,
    "layer_remove": LayerRemove,
    "layer_reorder": LayerReorder,
    "chart_add": ChartAdd,
    "chart_refresh": ChartRequest,
    "chart_remove": ChartRequest,
    "result_drop": ResultDrop,
    "recipe_save": RecipeSave,
    "recipe_run": RecipeRun,
    "recipe_rename": RecipeRename,
    "recipe_remove": RecipeRemove,
    "undo": MapRequest,
    "redo": MapRequest,
    "receipt": Receipt,
    "view": View,
    "find_place": FindPlace,
    "restore": Restore,
    "copy": MapRequest,
    "share": Share,
    "introduce": Introduce,
    "gesture": Gesture,
}
