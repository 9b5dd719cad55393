"""`@hook.system`, `@hook.review`, `@hook.response`, `@hook.annotation`, `@hook.before_tool`, `@hook.after_tool`,
`@hook.history`: an agent's own steps.

They go on methods of an agent, any number of each, sync or async; they run base class first, then in the
order in which they are declared. Collected once per class."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload
from weakref import WeakKeyDictionary

from agents.core.awaitables import awaited

F = TypeVar("F", bound=Callable[..., Any])
_KINDS = ("system", "review", "response", "annotation", "before_tool", "after_tool", "history")


@dataclass(frozen=True, slots=True)
class Hooked:
    """A hook method by name, and the tools that it applies to (None: all)."""

    method: str
    tools: frozenset[str] | None = None

    def serves(self, tool: str) -> bool:
        """Whether the hook runs for the tool of this name."""
        return self.tools is None or tool in self.tools

    async def run(self, agent: Any, *arguments: Any) -> Any:
        """The answer of the agent's method."""
        return await awaited(getattr(agent, self.method)(*arguments))


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of an agent, grouped by when they run, in the order of their declaration."""

    system: tuple[Hooked, ...] = ()
    review: tuple[Hooked, ...] = ()
    response: tuple[Hooked, ...] = ()
    annotation: tuple[Hooked, ...] = ()
    before_tool: tuple[Hooked, ...] = ()
    after_tool: tuple[Hooked, ...] = ()
    history: tuple[Hooked, ...] = ()


class hook:
    """The decorators. Each marks a method of an agent; see the method's signature in its docstring."""

    @staticmethod
    def system(function: F) -> F:
        """`(self) -> str | None`: a further part of the system message, asked for at every model call."""
        return _mark(function, "system", None)

    @staticmethod
    def review(function: F) -> F:
        """`(self, text) -> str | None`: why the model must write its answer again, as a message to it; at most once per
        turn. It is also called with the beginning of an answer that is being streamed."""
        return _mark(function, "review", None)

    @staticmethod
    def response(function: F) -> F:
        """`(self, text) -> str | None`: the final text as the user gets it; None leaves it."""
        return _mark(function, "response", None)

    @staticmethod
    def annotation(function: F) -> F:
        """`(self, text) -> mapping | None`: fields that go with the final text, which no longer changes."""
        return _mark(function, "annotation", None)

    @staticmethod
    def history(function: F) -> F:
        """`(self, messages) -> messages`: the history as the next model call sees it; the stored history is
        unchanged."""
        return _mark(function, "history", None)

    @overload
    @staticmethod
    def before_tool(function: F, /) -> F: ...
    @overload
    @staticmethod
    def before_tool(*tools: str) -> Callable[[F], F]: ...
    @staticmethod
    def before_tool(*given: Any) -> Any:
        """`(self, call, arguments) -> arguments | None`: runs before a valid call; raise `ToolFailed` to refuse it.

        `@hook.before_tool("add_map_layer")` is for those tools only."""
        return _for_tools("before_tool", given)

    @overload
    @staticmethod
    def after_tool(function: F, /) -> F: ...
    @overload
    @staticmethod
    def after_tool(*tools: str) -> Callable[[F], F]: ...
    @staticmethod
    def after_tool(*given: Any) -> Any:
        """`(self, call, result) -> result | None`: sees every `ToolResult`, and may replace it."""
        return _for_tools("after_tool", given)


def _for_tools(kind: str, given: tuple[Any, ...]) -> Any:
    if len(given) == 1 and callable(given[0]):
        return _mark(given[0], kind, None)
    return lambda function: _mark(function, kind, frozenset(given))


def _mark(function: F, kind: str, tools: frozenset[str] | None) -> F:
    marks = dict(getattr(function, "__hook__", {}))
    marks[kind] = tools
    function.__dict__["__hook__"] = marks
    return function


_collected: WeakKeyDictionary[type, Hooks] = WeakKeyDictionary()


def hooks_of(kind: type) -> Hooks:
    """The hooks of a class."""
    found = _collected.get(kind)
    if found is None:
        found = _collected[kind] = _collect(kind)
    return found


def _collect(kind: type) -> Hooks:
    marks: dict[str, dict[str, frozenset[str] | None]] = {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            own = getattr(value, "__hook__", None) if inspect.isroutine(value) else None
            if own:
                marks[name] = own
            elif value is None:
                marks.pop(name, None)
    chosen: dict[str, tuple[Hooked, ...]] = {
        one: tuple(Hooked(name, own[one]) for name, own in marks.items() if one in own) for one in _KINDS
    }
    return Hooks(**chosen)
