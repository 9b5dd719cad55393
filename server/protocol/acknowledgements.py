"""The server's answers to requests: an acknowledgement of the request's own type, or a fault."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from agents.charts import Chart
from agents.domain import Layer, Place, RecipeCard
from agents.exports import ExportReport
from agents.worded import Part
from server.protocol.documents import CommentThread, MapDocument
from server.protocol.transient import AnalysisProgress, Pointing


class Fault(BaseModel):
    """Why a request was refused. `code` is for programs, `message` is for people."""

    code: Literal[
        "invalid_payload", "unknown_map", "unknown_layer", "unknown_table", "unknown_chart", "unknown_recipe",
        "not_found", "invalid_filter", "invalid_style", "conflict", "not_joined", "nothing_to_undo", "unavailable",
        "forbidden", "read_only", "too_large", "rate_limited", "busy", "internal",
    ]  # fmt: skip
    message: str
    wording: list[Part] = []
    """Codes and values of the pieces of `message`, as in `ai_response`; empty if it has none."""
    retry_after: float | None = None
    """With `rate_limited` and `busy`: seconds after which the same request may be granted."""


class EventEnvelope(BaseModel):
    """An event inside a `join` acknowledgement: its name, and its payload as it was sent live."""

    event: str
    data: dict[str, Any]


class Question(BaseModel):
    """A tool call that only runs after somebody on the map approves it."""

    call_id: str
    name: str
    arguments: dict[str, Any]


class TurnState(BaseModel):
    """A turn that has not ended. A `waiting` turn has open `questions`; the turns behind it stay queued until
    they are answered."""

    turn_id: str
    text: str
    status: Literal["queued", "running", "waiting"]
    questions: list[Question] = []


class Snapshot(BaseModel):
    """A map as of `seq`: its layers (bottom first), its chat as events, and its open turns."""

    map_id: str
    seq: int
    layers: list[Layer]
    charts: list[Chart] = []
    chat: list[EventEnvelope]
    chat_complete: bool = True
    """False if older chat was left out; `join` with `after_seq: 0` reads everything."""
    turns: list[TurnState]
    progress: list[AnalysisProgress] = []
    """The progress of running analyses, as last reported."""
    recipes: list[RecipeCard] = []
    """Plans that were saved on the map, sorted by name."""
    document: MapDocument = MapDocument()
    threads: list[CommentThread] = []
    """Comments on the map, by thread, oldest first."""
    can_undo: bool
    can_redo: bool


class Ack(BaseModel):
    """A request that succeeded."""

    ok: Literal[True] = True


class DraftText(BaseModel):
    """The text that a turn has streamed so far; `ai_delta` continues it."""

    turn_id: str
    text: str


class JoinAck(Ack):
    """A map, or with `after_seq` the events after it.

    If `more` is true, this is one page of events: `seq` is that of its last event, and the next `join` with
    that `after_seq` returns the next page. A client that is ahead of the map (the database was restored) gets a
    snapshot as well and starts from it.

    To miss no event and apply none twice: keep `last`, the seq up to which the map is known. Apply a live event
    if its seq is `last + 1`, ignore it if its seq is `last` or less, otherwise `join` with `after_seq: last`."""

    map_id: str
    seq: int
    snapshot: Snapshot | None = None
    events: list[EventEnvelope] | None = None
    more: bool = False
    progress: list[AnalysisProgress] = []
    """With `events`: of running analyses, as last reported. A snapshot has its own."""
    drafts: list[DraftText] = []
    """Answers that are being streamed now."""
    may_change: bool = True
    """False if the client used a view link: changes are refused with `read_only`."""
    person: str = ""
    """The id of this connection in `presence` and `gestures`."""
    gestures: list[Pointing] = []
    """What the others point at now."""
    max_bytes: int = 0
    """Bytes. A longer message is refused with `too_large`; one above 4 MiB ends the connection."""


class CopyAck(Ack):
    """The id of a new map with the same layers and charts."""

    map_id: str


class ShareAck(Ack):
    """`view_key` replaces the map's id in `/m/{map_id}`; null if there is no view link."""

    view_key: str | None


class ChatAck(Ack):
    """`seq` is that of the user message. `ahead` turns, of this map and others, start before this one."""

    turn_id: str
    seq: int
    ahead: int = 0


class CancelAck(Ack):
    """`cancelled` is false when there was nothing to cancel."""

    cancelled: bool
    turn_id: str | None = None


class ApproveAck(Ack):
    """`seq` is that of the event `approval_answered`."""

    seq: int


class ChangeAck(Ack):
    """`seq` is the map's after the change."""

    seq: int
    layer_id: str | None = None
    chart_id: str | None = None


class BookmarkAck(Ack):
    """`seq` is the map's after the change."""

    seq: int
    bookmark_id: str


class ThreadAck(Ack):
    """`seq` is the map's after the change."""

    seq: int
    thread_id: str
    comment_id: str


class PlacesAck(Ack):
    """Places, best match first; empty if nothing has such a name. Tables in `not_searched` did not answer in time."""

    places: list[Place]
    not_searched: list[str] = []


class ExportAck(Ack):
    """A file that was written."""

    file: ExportReport


class UndoAck(Ack):
    """`what` describes the change that was undone or redone."""

    seq: int
    what: str = ""
    wording: list[Part] = []


class ErrorAck(BaseModel):
    """A request that was refused."""

    ok: Literal[False] = False
    error: Fault
