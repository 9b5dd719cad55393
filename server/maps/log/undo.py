"""The undo history of a map, computed from the log alone, so it survives restarts and is the same on all servers.

One unit is a run of changes of one turn, one change by a user, or several changes by a user with the same step id. A
change by another author ends a turn's run, so undo always reverts the newest change on the map. Undo during a turn
reverts the turn's changes so far; later changes of the turn are a new unit. A new change clears redo."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agents.geo.wording.chart_titles import chart_title
from agents.worded import Template, joined
from server import protocol
from server.maps.log.events import Change
from server.maps.log.replay import MapState, apply, inverse, repetition
from server.maps.log.sizes import step_weight

ADD = Template("did_add", "added {layer}")
CHANGE = Template("did_change", "changed {layer}")
REMOVE = Template("did_remove", "removed {layer}")
REORDER = Template("did_reorder", "reordered the layers")
RESET = Template("did_reset", "reset the map")
ADD_CHART = Template("did_add_chart", "added the chart {chart}")
REFRESH_CHART = Template("did_refresh_chart", "refreshed the chart {chart}")
REMOVE_CHART = Template("did_remove_chart", "removed the chart {chart}")

MAX_WEIGHT = 5_000
"""Changes that can be undone, fewer with large filters. Older states of the map can be restored."""


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """A recorded change, and the map before it."""

    event: protocol.ChangeEvent
    before: MapState
    weight: int


@dataclass(slots=True)
class UndoUnit:
    """The changes that one undo takes back."""

    turn_id: str | None
    step: int | None = None
    steps: list[ChangeStep] = field(default_factory=list)

    def takes(self, event: protocol.ChangeEvent) -> bool:
        """Whether the next change belongs to this unit."""
        if event.turn_id is None:
            return event.step is not None and event.step == self.step
        return event.turn_id == self.turn_id

    def holds(self, seq: int | None) -> bool:
        """Whether an event of this number is part of it."""
        return any(step.event.seq == seq for step in self.steps)

    @property
    def weight(self) -> int:
        """Approximate size in memory."""
        return sum(step.weight for step in self.steps)

    def describe(self) -> str:
        """The changes in words: `added airports, removed cities`."""
        return joined(", ", dict.fromkeys(describe(step) for step in self.steps))


class History:
    """The undo history: `advance` with every event of a map in order; `undo` and `redo` give the changes to append."""

    def __init__(self) -> None:
        self.state = MapState()
        self.seen = 0
        """The seq up to which all events have been read."""
        self.weight = 0
        """Approximate size of the changes that it keeps."""
        self._done: list[UndoUnit] = []
        self._undone: list[UndoUnit] = []
        self._grows = False

    def copy(self) -> History:
        """An independent copy that can be advanced."""
        other = History()
        other.state, other.seen, other.weight = self.state, self.seen, self.weight
        other._done, other._undone, other._grows = [*self._done], [*self._undone], self._grows
        if other._done:
            # Only the newest unit may still grow.
            other._done[-1] = replace(self._done[-1], steps=[*self._done[-1].steps])
        return other

    @property
    def can_undo(self) -> bool:
        """Whether anything can be undone."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether anything can be redone."""
        return bool(self._undone)

    def advance(self, event: protocol.MapEvent) -> None:
        """Take the next event of the log."""
        if isinstance(event, protocol.ChangeEvent) and not (
            isinstance(event, protocol.LayerUpdated) and event.cause == "data"
        ):
            if event.undo_of is None:
                self._record(event)
            else:
                self._move(event)
        self.state = apply(self.state, event)
        self.seen = event.seq

    def undo(self) -> tuple[UndoUnit, list[Change]] | None:
        """The newest unit that is not undone, and its inverse, newest change first; None if there is none."""
        if not self._done:
            return None
        unit = self._done[-1]
        return unit, [
            mark_undo(change, step.event.seq, redo=False)
            for step in reversed(unit.steps)
            for change in inverse(step.event, step.before)
        ]

    def redo(self) -> tuple[UndoUnit, list[Change]] | None:
        """What would be redone next, and the changes for that; None without any."""
        if not self._undone:
            return None
        unit = self._undone[-1]
        return unit, [mark_undo(repetition(step.event), step.event.seq, redo=True) for step in unit.steps]

    def _record(self, event: protocol.ChangeEvent) -> None:
        weight = step_weight(event)
        self.weight += weight - sum(unit.weight for unit in self._undone)
        self._undone.clear()
        mine = self._done[-1] if self._done else None
        if mine is None or not (self._grows and mine.takes(event)):
            mine = UndoUnit(event.turn_id, event.step)
            self._done.append(mine)
        mine.steps.append(ChangeStep(event, self.state, weight))
        self._grows = True
        while self.weight > MAX_WEIGHT and len(self._done) > 1:
            self.weight -= self._done.pop(0).weight

    def _move(self, event: protocol.ChangeEvent) -> None:
        """The first event of an undo moves its unit to the other stack; its further events find it moved."""
        source, target = (self._undone, self._done) if event.redo else (self._done, self._undone)
        if source and source[-1].holds(event.undo_of):
            target.append(source.pop())
        self._grows = False


def mark_undo(change: Change, undo_of: int, *, redo: bool) -> Change:
    """The change marked as the undo or redo of the event with seq `undo_of`."""
    return Change(change.name, {**change.payload, "undo_of": undo_of, "redo": redo})


def describe(step: ChangeStep) -> str:
    """A description of one change for users."""
    event, before = step.event, step.before
    if isinstance(event, protocol.LayerAdded):
        return ADD(layer=event.layer.name)
    if isinstance(event, protocol.LayerUpdated):
        return CHANGE(layer=event.layer.name)
    if isinstance(event, protocol.LayerRemoved):
        layer = before.layer(event.layer_id)
        return REMOVE(layer=layer.name if layer else event.layer_id)
    if isinstance(event, protocol.LayersReordered):
        return REORDER()
    if isinstance(event, protocol.MapReset):
        return RESET()
    if isinstance(event, protocol.ChartAdded):
        return ADD_CHART(chart=chart_title(event.chart))
    if isinstance(event, protocol.ChartUpdated):
        return REFRESH_CHART(chart=chart_title(event.chart))
    if isinstance(event, protocol.ChartRemoved):
        chart = before.chart(event.chart_id)
        return REMOVE_CHART(chart=chart_title(chart) if chart else event.chart_id)
    return event.__class__.__name__
