"""What the server tells everyone on a map: numbered events, which are kept, and transient ones, which are not.

Events may gain fields, never lose them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from agents.charts import Chart
from agents.domain import Bounds, Cql2, Focus, Layer, QueryReceipt, RecipeCard
from server.protocol.requests import Position, Selection


class MapEvent(BaseModel):
    """A numbered fact about a map. `seq` has no gaps within a map; `turn_id` is null for changes by hand."""

    map_id: str
    seq: int
    turn_id: str | None
    at: datetime


class UserMessage(MapEvent):
    text: str
    client_id: str | None = None
    focus: Focus | None = None
    author: str | None = None
    """The name by which the person is known on the map, if they gave one."""


class FigureSource(BaseModel):
    """Where figures of an answer come from: a tool call, and the query behind it where that is known."""

    call_id: str
    tool: str
    summary: str = ""
    """What the call did, in a line."""
    sql: str | None = None
    """Runnable in psql as it stands."""
    table: str | None = None
    filter: Cql2 | None = None
    """The rows of `table` that stand behind the figure; all of them without a filter."""
    key: str | None = None
    """The column by which figures name their row."""


class Figure(BaseModel):
    """A number in the answer. `start` and `end` count its characters (Unicode code points) in `message`."""

    start: int
    end: int
    text: str
    source: int | None = None
    """Its place in `sources`; null: the number was found in no result."""
    row: Any = None
    """The value of the source's `key`, where the figure is of one row."""
    how: Literal["stated", "rounded", "reckoned", "likely"] = "stated"
    """How it was found: as a result has it, rounded or in another unit, reckoned from several numbers, or only likely,
    because it agrees with a number and nothing else in the words ties it to that."""
    note: str = ""
    """The exact value, or how it was reckoned from several numbers: `7,895 ÷ 28,298 = 27.9 %`."""


class AiResponse(MapEvent):
    """What the agent says. `final` is false for words before further tool calls of the same turn.

    The numbers of a final answer are checked against the results of the tools, and are its `figures`.
    `memory` is what the model keeps with a final answer for later turns; it means nothing to clients.
    """

    type: Literal["ai_response"] = "ai_response"
    message: str
    final: bool = True
    figures: list[Figure] = []
    sources: list[FigureSource] = []
    memory: dict[str, Any] = {}


class ChangeEvent(MapEvent):
    """A change that can be undone."""

    undo_of: int | None = None
    """The seq of the change that this one undoes or redoes."""
    redo: bool = False
    """True when it redoes `undo_of`, false when it undoes it."""
    step: int | None = None
    """The seq of the first of several changes by hand that are one step, which one undo takes back."""


class LayerEvent(ChangeEvent):
    """A change to the layers. All others are chat."""


class LayerAdded(LayerEvent):
    """`layer.order` is its place among the layers, 0 the bottom; those at and above that place move up."""

    layer: Layer


class LayerUpdated(LayerEvent):
    """The whole layer as it is now; its place does not change."""

    layer: Layer
    author: str | None = None
    """The name of the person who changed it by hand, if they gave one."""


class LayerRemoved(LayerEvent):
    layer_id: str


class LayersReordered(LayerEvent):
    """All layer ids, bottom first."""

    order: list[str]


class MapReset(LayerEvent):
    """All layers are gone."""


class ChartEvent(ChangeEvent):
    """A change to the charts; those of a turn are part of its answer."""


class ChartAdded(ChartEvent):
    """Behind the charts that are there. What it draws is to be had from `chart.data`."""

    chart: Chart


class ChartUpdated(ChartEvent):
    """The whole chart as it is now, in the place that it had."""

    chart: Chart


class ChartRemoved(ChartEvent):
    chart_id: str


class ToolCalled(MapEvent):
    call_id: str
    name: str
    arguments: dict[str, Any]


class SqlShown(BaseModel):
    """A SELECT that the model wrote and its first rows, values as plain JSON in the order of the columns."""

    sql: str
    columns: list[str]
    rows: list[list[Any]]
    count: int
    """Rows that were read; `rows` holds the first of them."""
    truncated: bool
    """There were more rows than were read."""


class ToolFinished(MapEvent):
    call_id: str
    name: str
    ok: bool
    summary: str
    """A short line for people."""
    ms: float
    filled: dict[str, Any] = {}
    """Arguments that the model left out and the state of the map supplied."""
    result: str = ""
    """What the model read, at most its first 2000 characters."""
    sql: SqlShown | None = None
    """Of a call that ran a statement of the model's: the statement as it ran, and what it gave."""
    receipts: list[QueryReceipt] = []
    """The queries that the call made, without the cells of their rows."""


class ApprovalRequested(MapEvent):
    """The turn waits until somebody on the map allows this call, or does not. Later messages stay queued."""

    call_id: str
    name: str
    arguments: dict[str, Any]


class ApprovalAnswered(MapEvent):
    """After the last answer the turn goes on; a call that was not allowed fails with error `denied`."""

    call_id: str
    approved: bool


class AnalysisStarted(MapEvent):
    """`plan` is the steps as far as they are known, each `{id, operation, title, arguments}`."""

    analysis_id: str
    goal: str
    plan: list[dict[str, Any]]
    steps_known: bool = False
    """True when the plan has all steps; else it grows, and `analysis_planned` tells each time."""


class AnalysisPlanned(MapEvent):
    """The plan as it stands now, in place of the one before."""

    analysis_id: str
    plan: list[dict[str, Any]]
    steps_known: bool = False


class EmptiedBy(BaseModel):
    """The step after which no row was left."""

    step: int
    name: str


class AnalysisFinished(MapEvent):
    """`rows` is how many the result has. With none, `emptied_by` says which step took the last ones away. `figures` are
    the numbers of the summary with their `sources`, as in `ai_response`."""

    analysis_id: str
    summary: str
    table: str | None = None
    receipt: dict[str, Any] = {}
    rows: int | None = None
    emptied_by: EmptiedBy | None = None
    figures: list[Figure] = []
    sources: list[FigureSource] = []


class AnalysisFailed(MapEvent):
    """`step` and `name` are of the step that failed or was stopped; null when no step is to blame. Steps that
    had finished are in `receipt`, and the last one's table is kept as the result."""

    analysis_id: str
    step: int | None
    reason: str
    advice: str
    name: str | None = None
    table: str | None = None
    receipt: dict[str, Any] = {}


class ResultDropped(MapEvent):
    """The tables of an analysis are gone; its receipt stays."""

    analysis_id: str
    table: str


class RecipeSaved(MapEvent):
    """A plan was saved on the map, to be run again with other values."""

    recipe: RecipeCard


class RecipeRenamed(MapEvent):
    name: str
    new_name: str


class RecipeRemoved(MapEvent):
    name: str


class TurnUsage(BaseModel):
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    steps: int = 0
    ms: float = 0


class TurnFinished(MapEvent):
    status: Literal["done", "cancelled", "failed", "interrupted"]
    usage: TurnUsage


EVENTS: dict[str, type[MapEvent]] = {
    "user_message": UserMessage,
    "ai_response": AiResponse,
    "layer_added": LayerAdded,
    "layer_updated": LayerUpdated,
    "layer_removed": LayerRemoved,
    "layers_reordered": LayersReordered,
    "map_reset": MapReset,
    "chart_added": ChartAdded,
    "chart_updated": ChartUpdated,
    "chart_removed": ChartRemoved,
    "tool_called": ToolCalled,
    "tool_finished": ToolFinished,
    "approval_requested": ApprovalRequested,
    "approval_answered": ApprovalAnswered,
    "analysis_started": AnalysisStarted,
    "analysis_planned": AnalysisPlanned,
    "analysis_finished": AnalysisFinished,
    "analysis_failed": AnalysisFailed,
    "result_dropped": ResultDropped,
    "recipe_saved": RecipeSaved,
    "recipe_renamed": RecipeRenamed,
    "recipe_removed": RecipeRemoved,
    "turn_finished": TurnFinished,
}


class AiDelta(BaseModel):
    """More of the text that a turn writes now. A text begins anew, at offset 0, after each `ai_response` and
    `tool_called` of its turn."""

    map_id: str
    turn_id: str
    text: str
    offset: int
    """UTF-16 code units of this text that came before: where it is more than is known, something was missed."""


class TurnWaiting(BaseModel):
    """The server has no place for the map's next turn yet: so many turns start before it. Null: it starts now.

    Told when the place changes, and every few seconds for those who have just come.
    """

    map_id: str
    turn_id: str
    ahead: int | None


class AnalysisProgress(BaseModel):
    """How far the running step is: `step` of `steps`, counted from 1, `name` is its title."""

    map_id: str
    analysis_id: str
    step: int
    steps: int
    name: str
    percent: float | None
    """Of this step, as PostgreSQL and the portions done tell; null while nothing can be known."""
    rows: int | None
    elapsed_ms: float
    estimate_ms: float | None = None
    """What the step will still take if it goes on like this; null while nothing can be known."""
    phase: Literal["waiting", "reconnecting", "preparing", "computing", "storing"] = "computing"
    """`waiting` for other analyses to leave room, `reconnecting` while it runs again after the database connection
    was lost; `storing` is key and index."""
    steps_known: bool = False
    """False while more steps than `steps` may come."""


class ViewRequested(BaseModel):
    map_id: str
    turn_id: str | None
    bounds: Bounds


class Someone(BaseModel):
    """A connection. `id` means nothing elsewhere; `name` is empty until the person gave one."""

    id: str
    name: str = ""
    viewer: bool = False
    """Came by a view link: sees everything, changes nothing, points at nothing."""


class Presence(BaseModel):
    """Who is on the map now. `people` are ids, `known` says more of them; of a crowd of more than 50 both name 50."""

    map_id: str
    people: list[str]
    known: list[Someone] = []
    count: int = 0
    """How many are on the map, with those who are not named."""
    viewers: int = 0
    """How many of them came by a view link."""


class Pointing(BaseModel):
    """What one person points at and sees now. Only fields that are there changed; null takes away."""

    person: str
    pointer: Position | None = None
    selection: Selection | None = None
    bounds: Bounds | None = None


class Gestures(BaseModel):
    """What people on the map have just pointed at, gathered, a few times a second at most."""

    map_id: str
    people: list[Pointing]


class AccessWithdrawn(BaseModel):
    """The view link by which this client came shows nothing any more."""

    map_id: str


class ServerClosing(BaseModel):
    """This server ends, and closes the connection; connect again after this time, which differs between clients."""

    reconnect_after_ms: int


TRANSIENT: dict[str, type[BaseModel]] = {
    "ai_delta": AiDelta,
    "turn_waiting": TurnWaiting,
    "analysis_progress": AnalysisProgress,
    "view_requested": ViewRequested,
    "presence": Presence,
    "gestures": Gestures,
    "access_withdrawn": AccessWithdrawn,
    "server_closing": ServerClosing,
}
