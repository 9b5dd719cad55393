"""Events that are sent to people who are on a map now, without a number, and not stored.

Events may gain fields and never lose them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from agents.domain import Bounds
from server.protocol.requests import Position, Selection


class AiDelta(BaseModel):
    """More of the text that a turn is streaming. A new text begins at offset 0 after each `ai_response` and
    `tool_called` of the turn."""

    map_id: str
    turn_id: str
    text: str
    offset: int
    """UTF-16 code units of this text that were sent before. If it exceeds what the client has, it missed a part."""


class TurnWaiting(BaseModel):
    """The server is busy: `ahead` turns start before the map's next turn; null when it starts.

    Sent when the number changes, and every few seconds for people who have just joined."""

    map_id: str
    turn_id: str
    ahead: int | None


class AnalysisProgress(BaseModel):
    """Progress of the running step: `step` of `steps`, counted from 1, with the title `name`."""

    map_id: str
    analysis_id: str
    step: int
    steps: int
    name: str
    percent: float | None
    """How much of this step is done, by PostgreSQL's progress views and finished parts; null if unknown."""
    rows: int | None
    elapsed_ms: float
    estimate_ms: float | None = None
    """Estimated remaining time of the step at its present speed; null if unknown."""
    phase: Literal["waiting", "reconnecting", "preparing", "computing", "storing"] = "computing"
    """`waiting` until other analyses finish; `reconnecting` while the step runs again after a lost database
    connection; `storing` while key and index are built."""
    steps_known: bool = False
    """False if more steps than `steps` may follow."""
    engine: str | None = None
    """The name of the engine that runs the step, where that is not PostGIS: `Apache Spark`."""


class ExportProgress(BaseModel):
    """How far a file is that a turn writes; or a request `export`, which only its own connection is sent."""

    map_id: str
    turn_id: str | None = None
    name: str
    rows: int
    """Written so far."""
    total: int
    """0 until they are counted."""


class ViewRequested(BaseModel):
    """The turn asks browsers to show these bounds (EPSG:4326)."""

    map_id: str
    turn_id: str | None
    bounds: Bounds


class Someone(BaseModel):
    """A connection. `id` has no meaning outside of this map; `name` is empty until the person gave one."""

    id: str
    name: str = ""
    viewer: bool = False
    """Uses a view link: sees everything, cannot change or point at anything."""


class Presence(BaseModel):
    """Who is on the map. `people` are ids and `known` their details; of more than 50 people both list 50."""

    map_id: str
    people: list[str]
    known: list[Someone] = []
    count: int = 0
    """Number of people on the map, including those who are not listed."""
    viewers: int = 0
    """How many of them use a view link."""


class Pointing(BaseModel):
    """What one person points at and sees. Only changed fields are present; null clears one."""

    person: str
    pointer: Position | None = None
    selection: Selection | None = None
    bounds: Bounds | None = None


class Gestures(BaseModel):
    """What people on the map pointed at since the last of these events, which is sent a few times a second at most."""

    map_id: str
    people: list[Pointing]


class AccessWithdrawn(BaseModel):
    """The view link that this client used was withdrawn."""

    map_id: str


class ServerClosing(BaseModel):
    """This server shuts down and closes the connection. Connect again after this delay; each client has its own."""

    reconnect_after_ms: int


TRANSIENT: dict[str, type[BaseModel]] = {
    "ai_delta": AiDelta, "turn_waiting": TurnWaiting,
    "analysis_progress": AnalysisProgress, "export_progress": ExportProgress, "view_requested": ViewRequested,
    "presence": Presence, "gestures": Gestures, "access_withdrawn": AccessWithdrawn,
    "server_closing": ServerClosing,
}  # fmt: skip
