"""From one call of a model to its result: check, fill, run, encode. It gets exactly one result, whatever happens.

`check_call` decides whether a call may run, `fill` asks the resolvers for what the model left out, `execute`
runs it and raises nothing but cancellation."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from agents.core.awaitables import awaited
from agents.core.errors import ToolRetry, ToolSignal, ToolUnavailable
from agents.core.loop.batch import Batch, Job
from agents.core.loop.history import cancelled
from agents.core.messages import ToolCall, ToolResult
from agents.core.observe.receipts import collecting
from agents.core.tools.argument_faults import Fault, missing
from agents.core.tools.blueprint import ArgumentFaults, Blueprint
from agents.core.tools.context import ToolContext
from agents.core.tools.repair import clip, describe, invalid_arguments, malformed_json, unknown_tool
from agents.core.tools.results import Result, content_of, encode
from agents.core.tools.schema_keywords import Slot
from agents.core.tools.snapshot import Snapshot, View
from agents.core.tools.tool import Tool
from agents.worded import Template

ITEMS = Template("call_items", "{n} items")
DONE = Template("call_done", "Done")

log = logging.getLogger("agents.core")
UNAVAILABLE = "unavailable"
"""Kind of error of a call whose tool raised `ToolUnavailable`; it ends the turn."""


@dataclass(slots=True)
class Prepared:
    """A checked call that may run: its tool, its arguments, and how they were changed."""

    call: ToolCall
    view: View
    owner: Any
    arguments: dict[str, Any]
    filled: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    complete: bool = False
    """Whether the resolvers have run."""

    @property
    def tool(self) -> Tool:
        """The tool to call."""
        return self.view.tool


Before = Callable[[Prepared], Any]


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode


def check_call(call: ToolCall, snapshot: Snapshot, agent: Any) -> Prepared | ToolResult:
    """Check a call against the snapshot that its model was shown; a refusal where it does not fit."""
    view = snapshot.views.get(call.name)
    if view is None:
        return refused(call, "unknown_tool", unknown_tool(call.name, list(snapshot.views)))
    try:
        raw = _decode(call.arguments) if call.arguments and not call.arguments.isspace() else {}
    except (ValueError, RecursionError) as error:
        return refused(call, "malformed_json", malformed_json(call.name, str(error), view.spec.parameters))
    if type(raw) is not dict:
        if raw is not None:
            why = "an object with the parameters' names is needed"
            return refused(call, "malformed_json", malformed_json(call.name, why, view.spec.parameters))
        raw = {}
    if call.approved_with:
        raw = {**raw, **call.approved_with}
    if call.approved_without:
        raw = {name: value for name, value in raw.items() if name not in call.approved_without}
    tool = view.tool
    blueprint = tool.blueprint
    warnings: list[str] = []
    if tool.options.drop_unknown and not blueprint.open:
        raw = _drop_unknown(raw, blueprint.checks, warnings)
    arguments, faults = blueprint.check(raw, view.slots)
    if faults and blueprint.droppable:
        faults = _drop_invalid(arguments, faults, blueprint.droppable, warnings)
    faults.extend(_missing(blueprint, arguments, blueprint.resolvers))
    if faults:
        return _invalid(call, view, faults)
    owner = agent if tool.owner is None else tool.owner
    filled = dict(call.approved_with or {})
    return Prepared(call, view, owner, arguments, filled, warnings, call.approved_with is not None)


def _missing(blueprint: Blueprint, arguments: Mapping[str, Any], but: Mapping[str, Any]) -> list[Fault]:
    return [missing(name) for name in blueprint.required if name not in arguments and name not in but]


async def fill(prepared: Prepared) -> ToolResult | None:
    """Ask the resolvers for what the model left out; a refusal if something required is still not there.

    Done as late as possible, so that of several calls in a row each one sees what those before it did."""
    blueprint = prepared.tool.blueprint
    if prepared.complete or not blueprint.resolvers:
        return None
    prepared.complete = True
    try:
        await _resolve(prepared)
    except ToolSignal as signal:
        return steered(prepared.call, signal)
    except (Exception, SystemExit) as error:
        return _crashed(prepared.call, error)
    faults = _missing(blueprint, prepared.arguments, {})
    return _invalid(prepared.call, prepared.view, faults) if faults else None


def freeze(prepared: Prepared) -> ToolCall:
    """The call with all that was filled in for the model, to be run just so once the user has approved it.

    Defaults that are asked for at every model call count as filled in: they may be others by then."""
    blueprint, slots = prepared.tool.blueprint, prepared.view.slots
    for name, value in blueprint.defaults.items():
        if name not in prepared.arguments and type(value) is Slot:
            prepared.arguments[name] = prepared.filled[name] = slots[value.index]
    left_out = tuple(sorted(blueprint.droppable - prepared.arguments.keys()))
    return replace(prepared.call, approved_with=dict(prepared.filled), approved_without=left_out)


def _drop_unknown(raw: dict[str, Any], known: Mapping[str, Any], warnings: list[str]) -> dict[str, Any]:
    for name in raw:
        if name not in known:
            warnings.append(f"{name[:80]} is not a parameter and was ignored")
    return {name: value for name, value in raw.items() if name in known}


def _drop_invalid(
    arguments: dict[str, Any], faults: Sequence[Fault], droppable: frozenset[str], warnings: list[str]
) -> list[Fault]:
    kept = []
    for fault in faults:
        if fault.path and fault.path[0] in droppable:
            arguments.pop(str(fault.path[0]), None)
            warnings.append(f"{describe(fault)}; it was left out")
        else:
            kept.append(fault)
    return kept


async def _resolve(prepared: Prepared) -> None:
    blueprint = prepared.tool.blueprint
    for name, resolver in blueprint.resolvers.items():
        if name in prepared.arguments:
            continue
        value = await awaited(resolver(prepared.owner, prepared.arguments))
        if value is None:
            continue
        faults: list[Fault] = []
        value = blueprint.checks[name](value, (name,), faults, prepared.view.slots)
        if faults:
            log.warning("the resolver of %s.%s gave a value that is not valid", prepared.tool.name, name)
            continue
        prepared.arguments[name] = prepared.filled[name] = value


def refused(call: ToolCall, error: str, content: str, summary: str = "") -> ToolResult:
    """The result of a call that did not run: `error` is the kind of error, `content` the text for the model."""
    return ToolResult(
        call.id, call.name, content, ok=False, error=error, summary=summary or _SUMMARIES[error]()
    )


def steered(call: ToolCall, signal: ToolSignal) -> ToolResult:
    """The result for a `ToolSignal`, whose message the tool wrote for the model."""
    error = "failed"
    if isinstance(signal, ToolRetry):
        error = "retry"
    elif isinstance(signal, ToolUnavailable):
        error = UNAVAILABLE
    return refused(call, error, clip(signal.message, 8000), signal.summary or clip(signal.message, 160))


_SUMMARIES = {
    "unknown_tool": Template("call_unknown", "No such tool"),
    "malformed_json": Template("call_garbled", "The call could not be read"),
    "invalid_arguments": Template("call_unfit", "The arguments were not valid"),
    "retry": Template("call_retry", "The tool asked for other arguments"),
    "failed": Template("call_no_success", "It did not work"),
    UNAVAILABLE: Template("call_unavailable", "Not available now"),
    "timeout": Template("call_too_long", "It took too long"),
    "cancelled": Template("call_cancelled", "Cancelled"),
    "denied": Template("call_not_allowed", "Not allowed by the user"),
}


def _invalid(call: ToolCall, view: View, faults: Sequence[Fault]) -> ToolResult:
    schema = view.spec.parameters
    if view.tool.blueprint.details:
        schema = {**schema, "properties": {**schema["properties"], **view.tool.blueprint.details}}
    return refused(call, "invalid_arguments", invalid_arguments(call.name, faults, schema))


def _crashed(call: ToolCall, error: BaseException) -> ToolResult:
    """The result for an unexpected exception: the log gets the details, the model and the user an id to find them."""
    number = os.urandom(4).hex()
    log.error("tool %s failed (error %s)", call.name, number, exc_info=error)
    content = f"{call.name} failed inside (error {number}). The same call again will not help."
    return refused(call, "failed", content, f"It failed (error {number})")


async def execute(prepared: Prepared, context: ToolContext, before: Before | None = None) -> ToolResult:
    """Run a prepared call. Raises only on cancellation; every other failure is a result."""
    with collecting() as receipts:
        result = await _executed(prepared, context, before)
    return replace(result, receipts=tuple(receipts)) if receipts else result


async def _executed(prepared: Prepared, context: ToolContext, before: Before | None) -> ToolResult:
    call, tool = prepared.call, prepared.tool
    started = perf_counter()
    try:
        if before is not None:
            await before(prepared)
        return _answered(prepared, await _timed(prepared, context), started)
    except ToolSignal as signal:
        result = steered(call, signal)
    except _TimedOut:
        content = f"{call.name} was given up after {tool.options.timeout:g} seconds. Ask it for less."
        result = refused(call, "timeout", content)
    except ArgumentFaults as error:
        result = _invalid(call, prepared.view, error.faults)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # The turn was not cancelled: the tool waited for something that was cancelled elsewhere.
        result = cancelled(call, f"{call.name} was interrupted before it was done.")
    except (Exception, SystemExit) as error:
        # A tool may call code that exits (SystemExit), which would end the server.
        why = getattr(context.agent, "why_unavailable", None)
        words = why(error) if why is not None else None
        result = steered(call, ToolUnavailable(words)) if words else _crashed(call, error)
    return _with_notes(prepared, result, started)


class _TimedOut(Exception):
    pass


async def _timed(prepared: Prepared, context: ToolContext) -> Any:
    seconds = prepared.tool.options.timeout
    if seconds is None:
        return await _value(prepared, context)
    bound = asyncio.timeout(seconds)
    try:
        async with bound:
            return await _value(prepared, context)
    except TimeoutError:
        if bound.expired():
            raise _TimedOut from None
        raise


async def _value(prepared: Prepared, context: ToolContext) -> Any:
    tool, owner = prepared.tool, prepared.owner
    arguments = tool.blueprint.convert(prepared.arguments, prepared.view.slots)
    if prepared.call.texts:
        known = {name: text for name, text in prepared.call.texts.items() if arguments.get(name) == text}
        arguments = {**arguments, **known}
    for step in tool.preprocess:
        changed = await awaited(step(owner, arguments))
        arguments = arguments if changed is None else changed
    if tool.threaded:
        value = await asyncio.to_thread(tool.run, arguments, context)
    else:
        value = tool.run(arguments, context)
    value = await awaited(value)
    for step in tool.postprocess:
        value = await awaited(step(owner, value))
    return value


def _answered(prepared: Prepared, value: Any, started: float) -> ToolResult:
    """A tool's answer as the result of its call."""
    call = prepared.call
    if isinstance(value, ToolResult):
        return _with_notes(prepared, replace(value, call_id=call.id, name=call.name), started)
    data, summary, words, answer = value, "", None, None
    warnings: tuple[str, ...] = tuple(prepared.warnings)
    if type(value) is Result:
        words, summary, answer = value.content, value.summary, value.answer
        warnings = (*warnings, *value.warnings)
        data, value = value.value if value.data is None else value.data, value.value
    content = content_of(value if words is None else words)
    return ToolResult(
        call.id,
        call.name,
        _noted(content, prepared.filled, warnings) if warnings or prepared.filled else content,
        data=data,
        filled=prepared.filled,
        warnings=warnings,
        ms=(perf_counter() - started) * 1000,
        summary=summary or _summary(value, words),
        answer=answer,
    )


def _with_notes(prepared: Prepared, result: ToolResult, started: float) -> ToolResult:
    warnings = (*prepared.warnings, *result.warnings)
    return replace(
        result,
        filled=prepared.filled,
        warnings=warnings,
        content=_noted(result.content, prepared.filled, warnings),
        ms=(perf_counter() - started) * 1000,
    )


def _noted(content: str, filled: Mapping[str, Any], warnings: Sequence[str]) -> str:
    """The content, preceded by notes about arguments that were filled in or dropped."""
    if filled:
        content = f"{content}\nFilled in for you: {encode(filled)}"
    for warning in warnings:
        content = f"{content}\nNote: {warning}"
    return content


def _summary(value: Any, words: str | None) -> str:
    """A default summary for tools that give none."""
    text = words if words is not None else value
    if not isinstance(text, str):
        return ITEMS(n=len(value)) if type(value) in (list, tuple) and len(value) != 1 else DONE()
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 160 else f"{line[:157]}..."


async def invoke_all(
    toolbox: Any, calls: Sequence[ToolCall], agent: Any, *, in_order: bool = False
) -> list[tuple[ToolCall, ToolResult]]:
    """Implements `ToolBox.invoke` and its variants: dispatch as in a turn, without a turn."""
    snapshot = await toolbox.snapshot(agent)
    batch = Batch([_job(call, snapshot, agent, in_order) for call in calls])
    async for _ in batch.run():
        pass
    return [
        (call, batch.results.get(index) or cancelled(call, f"{call.name} was interrupted."))
        for index, call in enumerate(calls)
    ]


def _job(call: ToolCall, snapshot: Snapshot, agent: Any, in_order: bool) -> Job:
    async def work() -> ToolResult:
        prepared = check_call(call, snapshot, agent)
        if isinstance(prepared, ToolResult):
            return prepared
        return await fill(prepared) or await execute(
            prepared, ToolContext(agent, call, getattr(agent, "context", None))
        )

    view = snapshot.views.get(call.name)
    if view is None:
        return Job(in_order, False, work)
    tool = view.tool
    return Job(in_order or tool.options.sequential, tool.suspends or tool.threaded, work)
