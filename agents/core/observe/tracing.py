"""OpenTelemetry spans by the GenAI semantic conventions: `invoke_agent`, `chat`, `execute_tool`.

Switched on by `use_opentelemetry()` where opentelemetry-api is installed; off, it costs nothing. Messages and tool
arguments are recorded only if `content` is switched on, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from agents.core.loop.events import Finished
from agents.core.messages import ToolCall, ToolResult
from agents.core.model import Completed, ModelRequest
from agents.core.observe.telemetry import Telemetry
from agents.core.observe.telemetry import telemetry as shared


def use_opentelemetry(
    telemetry: Telemetry = shared, *, tracer_provider: Any = None, content: bool = False
) -> None:
    """Make spans of every turn from now on. Raises ImportError where opentelemetry-api is not installed."""
    from opentelemetry import trace

    tracer = trace.get_tracer("geoagent.agents", tracer_provider=tracer_provider)
    telemetry.tracing = Tracing(trace, tracer, content)


class Tracing:
    """Makes and ends the spans. The turn's is the parent of all others; a tool's is current while it runs."""

    def __init__(self, trace: Any, tracer: Any, content: bool) -> None:
        self._trace = trace
        self._tracer = tracer
        self._content = content

    def turn(self, agent: str) -> Any:
        """Start the span of a turn of the agent with this name."""
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
        return self._tracer.start_span(f"invoke_agent {agent}", attributes=attributes)

    def turn_done(self, span: Any, finished: Finished) -> None:
        """End the span of a turn."""
        span.set_attributes(
            {
                "gen_ai.usage.input_tokens": finished.usage.input_tokens,
                "gen_ai.usage.output_tokens": finished.usage.output_tokens,
                "geoagent.turn.status": finished.status,
                "geoagent.turn.steps": finished.steps,
            }
        )
        if finished.status == "failed":
            self._fail(span, finished.reason or "failed")
        span.end()

    def model(self, parent: Any, name: str, request: ModelRequest) -> Any:
        """Start the span of a model call within a turn."""
        span = self._tracer.start_span(
            f"chat {name}",
            context=self._trace.set_span_in_context(parent),
            kind=self._trace.SpanKind.CLIENT,
            attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": name},
        )
        if self._content:
            last = request.messages[-1] if request.messages else None
            span.add_event(
                "gen_ai.input", {"system": "\n\n".join(request.system), "last_message": repr(last)}
            )
        return span

    def model_done(
        self, span: Any, completed: Completed | None, text: str, calls: Sequence[ToolCall], error: str | None
    ) -> None:
        """End the span of a model call; `completed` is None if it failed with `error`."""
        if completed is not None:
            span.set_attributes(
                {
                    "gen_ai.response.model": completed.model,
                    "gen_ai.response.finish_reasons": [completed.finish],
                    "gen_ai.usage.input_tokens": completed.usage.input_tokens,
                    "gen_ai.usage.output_tokens": completed.usage.output_tokens,
                }
            )
        if self._content:
            span.add_event("gen_ai.output", {"text": text, "calls": [repr(call) for call in calls]})
        if error is not None:
            self._fail(span, error)
        span.end()

    @contextmanager
    def tool(self, parent: Any, call: ToolCall) -> Iterator[Any]:
        """A span around a tool call, current within the block."""
        span = self._tracer.start_span(
            f"execute_tool {call.name}",
            context=self._trace.set_span_in_context(parent),
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": call.name,
                "gen_ai.tool.call.id": call.id,
                "gen_ai.tool.type": "function",
            },
        )
        if self._content:
            span.set_attribute("gen_ai.tool.call.arguments", call.arguments)
        with self._trace.use_span(span, end_on_exit=True):
            yield span

    def tool_done(self, span: Any, result: ToolResult) -> None:
        """Record the result in the span of a tool call."""
        if self._content:
            span.set_attribute("gen_ai.tool.call.result", result.content)
        if result.error is not None:
            self._fail(span, result.error)

    def _fail(self, span: Any, error: str) -> None:
        span.set_attribute("error.type", error)
        span.set_status(self._trace.StatusCode.ERROR, error)
