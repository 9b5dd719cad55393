"""Events that are numbered, stored, and sent to everyone on a map. Events without a number are in `transient`.

Events may gain fields and never lose them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from agents.charts import Chart
from agents.domain import Focus, Layer, QueryReceipt, RecipeCard
from agents.worded import Part
from server.protocol.documents import Bookmark, Comment, CommentThread
from server.protocol.figures import Figure, FigureSource
from server.protocol.requests import Projection


class MapEvent(BaseModel):
    """A persisted event of a map. `seq` has no gaps within a map; `turn_id` is null for changes by people."""

    map_id: str
    seq: int
    turn_id: str | None
    at: datetime


class UserMessage(MapEvent):
    """A message of a person, which starts a turn."""

    text: str
    client_id: str | None = None
    focus: Focus | None = None
    author: str | None = None
    """The person's name on the map, if they gave one."""


class AiResponse(MapEvent):
    """A message of the agent. `final` is false for text before further tool calls of the same turn.

    `figures` are the numbers of a final answer, checked against the results of tools. `memory` is what the
    model keeps for later turns; clients ignore it."""

    type: Literal["ai_response"] = "ai_response"
    message: str
    wording: list[Part] = []
    """How the server made the message, to say the same in another language: the pieces that templates of
    `wordings.json` made, each with its code and values. Empty for what a language model wrote."""
    final: bool = True
    figures: list[Figure] = []
    sources: list[FigureSource] = []
    memory: dict[str, Any] = {}


class ChangeEvent(MapEvent):
    """A change that can be undone."""

    undo_of: int | None = None
    """The seq of the change that this one undoes or redoes."""
    redo: bool = False
    """True if it redoes `undo_of`, false if it undoes it."""
    step: int | None = None
    """Set if several changes by a person are one step for undo: the seq of the first of them."""


class LayerEvent(ChangeEvent):
    """A change to the layers."""


class LayerAdded(LayerEvent):
    """`layer.order` is its index among the layers, 0 at the bottom; layers at or above that index move up."""

    layer: Layer


class LayerUpdated(LayerEvent):
    """The whole layer as it is now; its index does not change."""

    layer: Layer
    author: str | None = None
    """The name of the person who changed it, if they gave one."""
    cause: Literal["data"] | None = None
    """`data`: no person changed the layer, but the rows of its table changed or its estimates became exact. Undo
    leaves it out."""


class LayerRemoved(LayerEvent):
    """A layer was removed."""

    layer_id: str


class LayersReordered(LayerEvent):
    """All layer ids, bottom first."""

    order: list[str]


class MapReset(LayerEvent):
    """All layers were removed."""


class ChartEvent(ChangeEvent):
    """A change to the charts. Charts that a turn adds are part of its answer."""


class ChartAdded(ChartEvent):
    """A chart was added after the existing ones. `chart.data` is the path of its data."""

    chart: Chart


class ChartUpdated(ChartEvent):
    """The whole chart as it is now; its index does not change."""

    chart: Chart


class ChartRemoved(ChartEvent):
    """A chart was removed."""

    chart_id: str


class ToolCalled(MapEvent):
    """A tool call has started."""

    call_id: str
    name: str
    arguments: dict[str, Any]


class SqlShown(BaseModel):
    """A SELECT that the model wrote, and its first rows: plain JSON values in the order of the columns."""

    sql: str
    columns: list[str]
    rows: list[list[Any]]
    count: int
    """Number of rows that were read; `rows` holds the first of them."""
    truncated: bool
    """There were more rows than were read."""


class ToolFinished(MapEvent):
    """A tool call has ended."""

    call_id: str
    name: str
    ok: bool
    summary: str
    """A short line for people."""
    wording: list[Part] = []
    """How `summary` was made, as in `ai_response`."""
    ms: float
    filled: dict[str, Any] = {}
    """Arguments that the model left out and that were filled from the state of the map."""
    result: str = ""
    """The text that the model got, at most its first 2000 characters."""
    sql: SqlShown | None = None
    """For a call that ran SQL of the model: the statement as it ran, and its rows."""
    receipts: list[QueryReceipt] = []
    """The queries of the call, without the values of their rows."""


class ApprovalRequested(MapEvent):
    """The turn waits until somebody on the map approves or denies this call. Later messages stay queued."""

    call_id: str
    name: str
    arguments: dict[str, Any]


class ApprovalAnswered(MapEvent):
    """After the last answer the turn continues; a denied call fails with the error `denied`."""

    call_id: str
    approved: bool


class AnalysisStarted(MapEvent):
    """`plan` lists the steps known so far, each `{id, operation, title, arguments, engine}`; `engine` is null for
    PostGIS and for steps of which it is not known yet."""

    analysis_id: str
    goal: str
    plan: list[dict[str, Any]]
    steps_known: bool = False
    """True if the plan has all steps; otherwise it grows, with an `analysis_planned` for each change."""


class AnalysisPlanned(MapEvent):
    """The plan as it is now; it replaces the earlier one."""

    analysis_id: str
    plan: list[dict[str, Any]]
    steps_known: bool = False


class EmptiedBy(BaseModel):
    """The step that left no rows."""

    step: int
    name: str


class AnalysisOutput(BaseModel):
    """A table that is a result of an analysis."""

    table: str
    name: str | None = None
    rows: int


class AnalysisFinished(MapEvent):
    """`rows` is the number of rows of the result. If it is 0, `emptied_by` names the step that removed the last
    ones. `outputs` are further results, of earlier steps. `tables` are those results that have rows and no geometry,
    to be shown as tables. `figures` are the numbers of the summary with their `sources`, as in `ai_response`."""

    analysis_id: str
    summary: str
    wording: list[Part] = []
    """How `summary` was made, as in `ai_response`."""
    table: str | None = None
    outputs: list[AnalysisOutput] = []
    tables: list[AnalysisOutput] = []
    receipt: dict[str, Any] = {}
    rows: int | None = None
    emptied_by: EmptiedBy | None = None
    figures: list[Figure] = []
    sources: list[FigureSource] = []


class AnalysisFailed(MapEvent):
    """`step` and `name` are those of the step that failed or was stopped; null if no step caused the failure.
    Finished steps are in `receipt`, and the last one's table is kept as the result."""

    analysis_id: str
    step: int | None
    reason: str
    advice: str
    wording: list[Part] = []
    """How `reason` was made, as in `ai_response`."""
    advice_wording: list[Part] = []
    name: str | None = None
    table: str | None = None
    receipt: dict[str, Any] = {}


class ResultDropped(MapEvent):
    """The tables of an analysis were dropped; its receipt is kept."""

    analysis_id: str
    table: str


class RecipeSaved(MapEvent):
    """A plan was saved on the map so that it can run again with other values."""

    recipe: RecipeCard


class RecipeRenamed(MapEvent):
    """A recipe has another name."""

    name: str
    new_name: str


class RecipeRemoved(MapEvent):
    """A recipe was removed."""

    name: str


class DocumentEvent(MapEvent):
    """A change to the name, the base map or the bookmarks of the map. Undo leaves these as they are."""


class MapDescribed(DocumentEvent):
    """The whole description as it is now."""

    name: str
    base_map: str | None = None
    projection: Projection | None = None


class BookmarkSaved(DocumentEvent):
    """A new bookmark, behind the others, or one in place of that with its id."""

    bookmark: Bookmark


class BookmarkRemoved(DocumentEvent):
    bookmark_id: str


class CommentEvent(MapEvent):
    """A change to the comments on the map. Undo leaves comments as they are."""


class ThreadStarted(CommentEvent):
    """A new thread with its first comment."""

    thread: CommentThread


class CommentAdded(CommentEvent):
    """A reply; the thread is open again if it was resolved."""

    thread_id: str
    comment: Comment


class CommentRemoved(CommentEvent):
    """One comment of a thread was removed; others are left."""

    thread_id: str
    comment_id: str


class ThreadResolved(CommentEvent):
    """The thread was resolved, or opened again."""

    thread_id: str
    resolved: bool
    author: str | None = None
    """The name of the person who did it, if they gave one."""


class ThreadRemoved(CommentEvent):
    """The thread was removed with all its comments."""

    thread_id: str


class TurnUsage(BaseModel):
    """What a turn used: `cost` in US dollars (null if a part is unknown), `steps` replies of the model, `ms`
    milliseconds."""

    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    steps: int = 0
    ms: float = 0


class TurnFinished(MapEvent):
    """A turn has ended."""

    status: Literal["done", "cancelled", "failed", "interrupted"]
    usage: TurnUsage


EVENTS: dict[str, type[MapEvent]] = {
    "user_message": UserMessage, "ai_response": AiResponse,
    "layer_added": LayerAdded, "layer_updated": LayerUpdated, "layer_removed": LayerRemoved,
    "layers_reordered": LayersReordered, "map_reset": MapReset,
    "chart_added": ChartAdded, "chart_updated": ChartUpdated, "chart_removed": ChartRemoved,
    "tool_called": ToolCalled, "tool_finished": ToolFinished,
    "approval_requested": ApprovalRequested, "approval_answered": ApprovalAnswered,
    "analysis_started": AnalysisStarted, "analysis_planned": AnalysisPlanned,
    "analysis_finished": AnalysisFinished, "analysis_failed": AnalysisFailed, "result_dropped": ResultDropped,
    "recipe_saved": RecipeSaved, "recipe_renamed": RecipeRenamed, "recipe_removed": RecipeRemoved,
    "turn_finished": TurnFinished,
    "map_described": MapDescribed, "bookmark_saved": BookmarkSaved, "bookmark_removed": BookmarkRemoved,
    "thread_started": ThreadStarted, "comment_added": CommentAdded, "comment_removed": CommentRemoved,
    "thread_resolved": ThreadResolved, "thread_removed": ThreadRemoved,
}  # fmt: skip
