"""A named collection of tools: what an agent offers to its model, and a way to call tools without any agent.

Order is that of registration and stays so. Registering a name again replaces the tool in its place: the later
one wins. Copying is cheap; tools themselves are shared and never changed."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from agents.core.errors import DeclarationError
from agents.core.messages import ToolCall, ToolResult
from agents.core.tools.base_tool import BaseTool, as_tool
from agents.core.tools.snapshot import Snapshot, Snapshotter, static_snapshot
from agents.core.tools.tool import Tool, declaration_of, tool_of, tools_of


class ToolBox:
    """Tools by name. `version` grows with every change."""

    def __init__(self, tools: Iterable[Any] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self.version = 0
        self.hidden: frozenset[str] = frozenset()
        """Names of tools that models are not shown; see `hide`."""
        self._snapshotter = Snapshotter()
        for item in tools:
            self.register(item)

    @classmethod
    def of(cls, owner: Any) -> ToolBox:
        """A toolbox of the decorated methods of an object."""
        return cls(tools_of(owner))

    @classmethod
    def gather(cls, *modules: ModuleType | str) -> ToolBox:
        """The decorated functions and `BaseTool` instances of modules, by object or name; packages with all they hold.

        Nothing is registered anywhere by importing a module: two gatherings never share state."""
        box = cls()
        for module in modules:
            for part in _walk(importlib.import_module(module) if isinstance(module, str) else module):
                for value in vars(part).values():
                    own = declaration_of(value) is not None and value.__module__ == part.__name__
                    if own or isinstance(value, BaseTool):
                        box.register(value)
        return box

    def register(self, item: Any) -> Tool:
        """Add a function, bound method, `BaseTool` or `Tool`; the tool as registered is returned."""
        made = _as_tool(item)
        self._tools[made.name] = made
        self.version += 1
        return made

    def get(self, name: str) -> Tool | None:
        """The tool with this name, or None."""
        return self._tools.get(name)

    def has(self, name: str) -> bool:
        """Whether there is a tool with this name, hidden ones included."""
        return name in self._tools

    @property
    def names(self) -> list[str]:
        """The names of all tools, in order."""
        return list(self._tools)

    def render(self, details: bool = False) -> str:
        """The tools as a list: names, or with `details` names and the first line of each description."""
        if not details:
            return "\n".join(f"- {name}" for name in self._tools)
        lines = []
        for name, item in self._tools.items():
            first = str(item.get_tool_info()["description"]).partition("\n")[0]
            lines.append(f"- {name}: {first}" if first else f"- {name}")
        return "\n".join(lines)

    def extend(self, other: Iterable[Any]) -> ToolBox:
        """Add all of another toolbox (or tools); what is hidden there stays hidden. Of two tools with one name the
        later one wins, and is hidden if it was."""
        hidden = other.hidden if isinstance(other, ToolBox) else frozenset()
        added = {self.register(item).name for item in list(other)}
        self.hidden = (self.hidden - added) | hidden
        return self

    def filter(self, keep: Callable[[Tool], bool] | Iterable[str]) -> ToolBox:
        """A new toolbox with the tools that a predicate, or a collection of names, keeps."""
        if callable(keep):
            kept = ToolBox(item for item in self if keep(item))
        else:
            wanted = set(keep)
            kept = ToolBox(item for item in self if item.name in wanted)
        kept.hidden = self.hidden & set(kept.names)
        return kept

    def rename(self, names: Mapping[str, str] | Callable[[str], str]) -> ToolBox:
        """A new toolbox with other names. Raises ValueError if two tools would share one."""
        change = names if callable(names) else lambda name: names.get(name, name)
        renamed = [item.but(name=change(item.name)) for item in self]
        if len({item.name for item in renamed}) != len(renamed):
            raise ValueError("two tools would have the same name")
        box = ToolBox(renamed)
        box.hidden = frozenset(change(name) for name in self.hidden)
        return box

    def prefix(self, prefix: str) -> ToolBox:
        """A new toolbox whose names begin with `prefix`."""
        return self.rename(lambda name: prefix + name)

    def hide(self, names: Iterable[str]) -> None:
        """Hide tools from models until `reveal`; programs can still call them."""
        self.hidden = self.hidden | (set(names) & set(self._tools))
        self.version += 1

    def reveal(self, names: Iterable[str]) -> None:
        """Show hidden tools, after those that are shown already, so that the cached beginning of the prompt does not
        change."""
        found = [name for name in dict.fromkeys(names) if name in self.hidden]
        for name in found:
            self._tools[name] = self._tools.pop(name)
        if found:
            self.hidden = self.hidden - set(found)
            self.version += 1

    def remove(self, name: str) -> None:
        """Remove the tool with this name, if there is one."""
        if self._tools.pop(name, None) is not None:
            self.version += 1

    def clear(self) -> None:
        """Remove all tools."""
        self._tools.clear()
        self.version += 1

    def copy(self) -> ToolBox:
        """A toolbox with the same tools that can be changed independently."""
        other = ToolBox()
        other._tools, other.hidden = dict(self._tools), self.hidden
        return other

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __add__(self, other: ToolBox) -> ToolBox:
        return self.copy().extend(other)

    def __repr__(self) -> str:
        return f"<ToolBox {', '.join(self._tools)}>"

    async def snapshot(self, agent: Any = None, message: str = "") -> Snapshot:
        """The tools with their dynamic values as of now."""
        if agent is not self._snapshotter.agent:
            self._snapshotter = Snapshotter(agent)
        return await self._snapshotter.take(self, message)

    def static(self) -> Snapshot:
        """The tools without dynamic values: what exports and catalogues are made of."""
        return static_snapshot(self)

    async def invoke(
        self, call: ToolCall | str, arguments: Mapping[str, Any] | str | None = None, *, agent: Any = None
    ) -> ToolResult:
        """Call one tool as a model would. It never raises: `error` of the result names the kind of fault, such as
        `unknown_tool` (no such tool) or `failed` (the tool raised)."""
        (pair,) = await self.invoke_many(
            [call if isinstance(call, ToolCall) else (call, arguments)], agent=agent
        )
        return pair[1]

    async def invoke_many(
        self, calls: Sequence[Any], *, agent: Any = None
    ) -> list[tuple[ToolCall, ToolResult]]:
        """Call several tools at once, `sequential` ones alone; each call with its result, in the order given.

        A call is a `ToolCall`, or a name and its arguments."""
        from agents.core.loop.dispatch import invoke_all

        return await invoke_all(self, _calls(calls), agent)

    async def invoke_many_sequential(
        self, calls: Sequence[Any], *, agent: Any = None
    ) -> list[tuple[ToolCall, ToolResult]]:
        """Call several tools one after the other."""
        from agents.core.loop.dispatch import invoke_all

        return await invoke_all(self, _calls(calls), agent, in_order=True)


def _calls(given: Sequence[Any]) -> list[ToolCall]:
    from agents.core.tools.results import encode

    calls = []
    for number, item in enumerate(given, 1):
        if isinstance(item, ToolCall):
            calls.append(item)
        else:
            name, arguments = item
            text = arguments if isinstance(arguments, str) else encode(arguments or {})
            calls.append(ToolCall(f"call_{number}", name, text))
    return calls


def _as_tool(item: Any) -> Tool:
    if isinstance(item, Tool):
        return item
    if isinstance(item, type):
        raise DeclarationError(f"register an instance of {item.__name__}, not the class")
    if hasattr(item, "execute") and hasattr(item, "name"):
        return as_tool(item)
    if inspect.isroutine(item):
        return tool_of(item)
    raise DeclarationError(f"{item!r} is not a tool: give a function, a BaseTool or a Tool")


def _walk(module: ModuleType) -> Iterator[ModuleType]:
    import pkgutil

    yield module
    for info in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}."):
        yield from _walk(importlib.import_module(info.name))
