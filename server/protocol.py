"""The Socket.IO protocol as types: requests, acknowledgements, persisted events and transient ones.

This is the contract with browsers and other programs. AsyncAPI and the client's TypeScript types are
generated from here (`geoagent protocol`). Requests refuse unknown fields; events may gain fields, never lose
them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agents.domain import Bounds, Cql2, Focus, Layer, StyleSpec

MapId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
LayerId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=8000)]
LayerName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Seq = Annotated[int, Field(ge=0, le=2**53)]


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
    table: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    layer_id: LayerId | None = None
    name: LayerName | None = None
    filter: Cql2 | str | None = None
    style: StyleSpec = StyleSpec()
    visible: bool = True
    opacity: Annotated[float, Field(ge=0, le=1)] = 1.0


class LayerUpdate(MapRequest):
    """Only fields that are sent change; `filter: null` removes the filter."""

    layer_id: LayerId
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


class Receipt(MapRequest):
    """A browser's word that a version of a layer drew, and how many features of it are in view."""

    layer_id: LayerId
    version: int
    features: Annotated[int, Field(ge=0)]
    error: Annotated[str, StringConstraints(max_length=500)] | None = None


class View(MapRequest):
    bounds: Bounds
    zoom: Annotated[float, Field(ge=0, le=30)]


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
    "undo": MapRequest,
    "redo": MapRequest,
    "receipt": Receipt,
    "view": View,
}


class Fault(BaseModel):
    """Why a request was refused. `code` is for programs, `message` tells people what was wrong."""

    code: Literal[
        "invalid_payload",
        "unknown_map",
        "unknown_layer",
        "unknown_table",
        "invalid_filter",
        "invalid_style",
        "conflict",
        "not_joined",
        "nothing_to_undo",
        "unavailable",
        "forbidden",
        "too_large",
        "rate_limited",
        "internal",
    ]
    message: str


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


class AiResponse(MapEvent):
    """What the agent says. `final` is false for words before further tool calls of the same turn."""

    type: Literal["ai_response"] = "ai_response"
    message: str
    final: bool = True


class LayerEvent(MapEvent):
    """A change to the layers. All others are chat."""

    undo_of: int | None = None
    """The seq of the change that this one undoes or redoes."""
    redo: bool = False
    """True when it redoes `undo_of`, false when it undoes it."""


class LayerAdded(LayerEvent):
    """`layer.order` is its place among the layers, 0 the bottom; those at and above that place move up."""

    layer: Layer


class LayerUpdated(LayerEvent):
    """The whole layer as it is now; its place does not change."""

    layer: Layer


class LayerRemoved(LayerEvent):
    layer_id: str


class LayersReordered(LayerEvent):
    """All layer ids, bottom first."""

    order: list[str]


class MapReset(LayerEvent):
    """All layers are gone."""


class ToolCalled(MapEvent):
    call_id: str
    name: str
    arguments: dict[str, Any]


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
    analysis_id: str
    goal: str
    plan: list[dict[str, Any]]


class AnalysisFinished(MapEvent):
    analysis_id: str
    summary: str
    table: str | None = None
    receipt: dict[str, Any] = {}


class AnalysisFailed(MapEvent):
    analysis_id: str
    step: int | None
    reason: str
    advice: str


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
    "tool_called": ToolCalled,
    "tool_finished": ToolFinished,
    "approval_requested": ApprovalRequested,
    "approval_answered": ApprovalAnswered,
    "analysis_started": AnalysisStarted,
    "analysis_finished": AnalysisFinished,
    "analysis_failed": AnalysisFailed,
    "turn_finished": TurnFinished,
}


class AiDelta(BaseModel):
    map_id: str
    turn_id: str
    text: str


class AnalysisProgress(BaseModel):
    map_id: str
    analysis_id: str
    step: int
    steps: int
    name: str
    percent: float | None
    rows: int | None
    elapsed_ms: float


class ViewRequested(BaseModel):
    map_id: str
    turn_id: str | None
    bounds: Bounds


class Presence(BaseModel):
    """Who is on the map now. `people` are connections, each with an id that means nothing elsewhere."""

    map_id: str
    people: list[str]


TRANSIENT: dict[str, type[BaseModel]] = {
    "ai_delta": AiDelta,
    "analysis_progress": AnalysisProgress,
    "view_requested": ViewRequested,
    "presence": Presence,
}


class EventEnvelope(BaseModel):
    """An event inside a `join` acknowledgement: its name, and its payload as it was sent live."""

    event: str
    data: dict[str, Any]


class Question(BaseModel):
    """A call that may only run when somebody on the map allows it."""

    call_id: str
    name: str
    arguments: dict[str, Any]


class TurnState(BaseModel):
    """`waiting` is a turn with open `questions`; the turns behind it stay queued until they are answered."""

    turn_id: str
    text: str
    status: Literal["queued", "running", "waiting"]
    questions: list[Question] = []


class Snapshot(BaseModel):
    """A map as of `seq`: layers bottom first, chat as the events that made it, turns under way."""

    map_id: str
    seq: int
    layers: list[Layer]
    chat: list[EventEnvelope]
    chat_complete: bool = True
    """False when older chat was left out; `join` with `after_seq: 0` reads everything from the beginning."""
    turns: list[TurnState]
    can_undo: bool
    can_redo: bool


class Ack(BaseModel):
    ok: Literal[True] = True


class JoinAck(Ack):
    """With `after_seq` the events after it, at most a page of them: then `more` is true, `seq` is the last
    one's, and the next `join` with that `after_seq` brings the next page. A client that is ahead of the map
    (the database was restored) gets a snapshot as well, and starts anew from it.

    To lose nothing and see nothing twice: keep `last`, the seq up to which the map is known. Apply a live
    event when its seq is `last + 1`, ignore it when it is not above `last`, else `join` with
    `after_seq: last`.
    """

    map_id: str
    seq: int
    snapshot: Snapshot | None = None
    events: list[EventEnvelope] | None = None
    more: bool = False


class ChatAck(Ack):
    """`seq` is the user message's."""

    turn_id: str
    seq: int


class CancelAck(Ack):
    """`cancelled` is false when there was nothing to cancel."""

    cancelled: bool
    turn_id: str | None = None


class ApproveAck(Ack):
    """`seq` is that of the `approval_answered`."""

    seq: int


class ChangeAck(Ack):
    """`seq` is the map's after the change."""

    seq: int
    layer_id: str | None = None


class UndoAck(Ack):
    """`what` was undone or redone, in words."""

    seq: int
    what: str = ""


class ErrorAck(BaseModel):
    ok: Literal[False] = False
    error: Fault
