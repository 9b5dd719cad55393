"""Asking the user before a tool runs.

A tool with `requires_approval` makes the turn yield `ApprovalNeeded` and wait for the agent's `approvals`.
The wait does not count against the turn's time. Without `approvals` the turn ends as `waiting`, its calls
pending in the history; `Agent.events(resume={call_id: answer})` goes on from there, in this process or, with
a history that was stored, in another one."""

from collections.abc import Awaitable, Callable

from agents.core.loop.events import ApprovalNeeded

Approvals = Callable[[ApprovalNeeded], Awaitable[bool]]
"""Asks the user and returns the answer; an exception in it counts as no."""
