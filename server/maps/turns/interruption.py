"""Closes what a turn left open when its server was lost: calls without a result, analyses without an outcome.
Pure functions; the runner records the changes when it interrupts the turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.worded import Template, stored_wording
from server.maps.analyses.failures import GO_ON, failure
from server.maps.log.events import Change, Event

WAS_INTERRUPTED = Template("call_was_interrupted", "interrupted")

SERVER_STOPPED = Template("analysis_interrupted", "The server stopped while the analysis was running.")
REASON = SERVER_STOPPED()


def closing_changes(
    events: Sequence[Event], left: Mapping[str, Mapping[str, Any]] | None = None, reason: str = REASON
) -> list[Change]:
    """The missing ends, from all events of one turn. An analysis ends before the call that it belongs to.

    `left` holds, by analysis id, the step that ran and what had finished; `reason` is why they ended."""
    analyses = _open(events, "analysis_id", "analysis_started", ("analysis_finished", "analysis_failed"))
    calls = _open(events, "call_id", "tool_called", ("tool_finished",))
    return [
        *(_failed(each, left or {}, reason) for each in analyses),
        *(call_ended(each.payload["call_id"], each.payload["name"], WAS_INTERRUPTED()) for each in calls),
    ]


def _open(events: Sequence[Event], key: str, begins: str, ends: tuple[str, ...]) -> list[Event]:
    found: dict[str, Event] = {}
    for event in events:
        if event.name == begins:
            found[event.payload[key]] = event
        elif event.name in ends:
            found.pop(event.payload[key], None)
    return list(found.values())


def _failed(started: Event, left: Mapping[str, Mapping[str, Any]], reason: str) -> Change:
    analysis_id = started.payload["analysis_id"]
    known = {"step": None, **left.get(analysis_id, {})}
    return Change("analysis_failed", {"analysis_id": analysis_id, **failure(reason, GO_ON()), **known})


def call_ended(call_id: str, name: str, why: str) -> Change:
    """The end of a call that gave no result."""
    ended = {"call_id": call_id, "name": name, "ok": False, "summary": str(why), "ms": 0.0}
    return Change("tool_finished", {**ended, **stored_wording(why)})
