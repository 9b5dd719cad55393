"""What the server answers to a request: an acknowledgement of its own, or a fault."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from agents.charts import Chart
from agents.domain import Layer, Place, RecipeCard
from server.protocol.events import AnalysisProgress, Pointing


class Fault(BaseModel):
    """Why a request was refused. `code` is for programs, `message` tells people what was wrong."""

    code: Literal[
        "invalid_payload",
        "unknown_map",
        "unknown_layer",
        "unknown_table",
        "unknown_chart",
        "unknown_recipe",
        "not_found",
        "invalid_filter",
        "invalid_style",
        "conflict",
        "not_joined",
        "nothing_to_undo",
        "unavailable",
        "forbidden",
        "read_only",
        "too_large",
        "rate_limited",
        "busy",
        "internal",
    ]
    message: str
    retry_after: float | None = None
    """With `rate_limited` and `busy`: seconds after which the same request may be granted."""


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
    charts: list[Chart] = []
    chat: list[EventEnvelope]
    chat_complete: bool = True
    """False when older chat was left out; `join` with `after_seq: 0` reads everything from the beginning."""
    turns: list[TurnState]
    progress: list[AnalysisProgress] = []
    """Of analyses that run, as it was told last."""
    recipes: list[RecipeCard] = []
    """Plans that were saved on the map, by name."""
    can_undo: bool
    can_redo: bool


class Ack(BaseModel):
    ok: Literal[True] = True


class DraftText(BaseModel):
    """The text that a turn has written so far; `ai_delta` goes on from its end."""

    turn_id: str
    text: str


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
    progress: list[AnalysisProgress] = []
    """With `events`: of analyses that run, as it was told last. A snapshot brings its own."""
    drafts: list[DraftText] = []
    """Answers that are being written now."""
    may_change: bool = True
    """False for who came by a view link: what would change the map is refused with `read_only`."""
    person: str = ""
    """Who this connection is to the others, in `presence` and `gestures`."""
    gestures: list[Pointing] = []
    """What the others point at now."""
    max_bytes: int = 0
    """A longer message is refused with `too_large`; one of twice this size ends the connection."""


class CopyAck(Ack):
    """The id of a new map with the same layers."""

    map_id: str


class ShareAck(Ack):
    """`view_key` takes the place of the map's id in `/m/{map_id}`; null when there is no view link."""

    view_key: str | None


class ChatAck(Ack):
    """`seq` is the user message's. `ahead` turns, of this map and others, start before this one."""

    turn_id: str
    seq: int
    ahead: int = 0


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
    chart_id: str | None = None


class PlacesAck(Ack):
    """Best first; empty when no row of any table has such a name."""

    places: list[Place]


class UndoAck(Ack):
    """`what` was undone or redone, in words."""

    seq: int
    what: str = ""


class ErrorAck(BaseModel):
    ok: Literal[False] = False
    error: Fault
