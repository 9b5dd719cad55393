"""The tools as one model call sees them: dynamic values evaluated once, for the request and for its check.

A `Snapshotter` belongs to one agent. Where nothing changed it returns the very same `Snapshot`; where an enum
changed, only the dicts above that enum are replaced. A value the model was not shown can therefore never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from agents.core.awaitables import awaited
from agents.core.model import ToolSpec
from agents.core.tokens import schema_size, size_of
from agents.core.tools.blueprint import DynamicPlace
from agents.core.tools.param import adapt_arity
from agents.core.tools.schema_keywords import Choices
from agents.core.tools.tool import Tool

_UNSET = object()
_SPEC_BYTES = 80
"""Bytes that a provider's form of a tool takes in addition to its name, description and schema."""
_MAX_TAKES = 3
"""Attempts to evaluate values while the toolbox keeps changing; the last one keeps the toolbox as it was at its
start."""


@dataclass(frozen=True, slots=True)
class View:
    """One tool of a snapshot: `spec` is what the model sees, `slots` what its arguments are checked against."""

    tool: Tool
    spec: ToolSpec
    slots: tuple[Any, ...] = ()
    size: int = 0
    """Approximate size of `spec` as sent, in bytes."""
    is_offered: bool = True


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The tools of one model call: `specs` is what the model is shown, `views` what its calls are checked against.

    A tool that is hidden, or has nothing to choose from, has a view and no spec: a model that learned of it otherwise
    may call it."""

    views: Mapping[str, View]
    specs: tuple[ToolSpec, ...]
    size: int = 0
    """Approximate size of all specs as sent, in bytes."""


NO_TOOLS = Snapshot({}, ())


class _Source:
    """One dynamic callable and its owner, shared by the tools that use it; called once per snapshot."""

    __slots__ = ("ask", "changed", "is_enum", "narrow", "owner", "raw", "value")

    def __init__(self, place: DynamicPlace | None, ask: Any, owner: Any) -> None:
        self.ask = ask
        self.owner = owner
        self.narrow = place.narrow if place is not None else None
        self.is_enum = place is not None and place.keyword == "enum"
        self.raw: Any = _UNSET
        self.value: Any = None
        self.changed = False
        """Whether the last value differs from the one before."""

    def take(self, raw: Any) -> bool:
        """Accept a fresh value; returns whether it differs from the previous one."""
        if type(raw) is tuple and raw is self.raw:
            self.changed = False
        else:
            self.changed = self._differs(raw)
        return self.changed

    def _differs(self, raw: Any) -> bool:
        if not self.is_enum:
            changed = self.raw is _UNSET or type(raw) is not type(self.raw) or raw != self.raw
            self.raw = self.value = raw
            return changed
        if raw is not None and type(raw) is not list and type(raw) is not tuple:
            raw = list(raw)
        if self.raw is not _UNSET and self.value is not None and raw is not None:
            known = self.value.values
            if len(raw) == len(known) and (raw == known if type(raw) is list else list(raw) == known):
                self.raw = raw
                return False
        elif raw is None and self.raw is None:
            return False
        self.raw = raw
        # A copy: the caller may go on changing its list, and the model must be held to what it was shown.
        self.value = None if raw is None else Choices(list(raw))
        return True


class _Sources:
    """The dynamic callables of one version of a toolbox, and which tool uses them where."""

    def __init__(self, toolbox: Any, agent: Any) -> None:
        self.toolbox = toolbox
        self.version = -1 if toolbox is None else toolbox.version
        self.tools: list[Tool] = list(toolbox or ())
        self.hidden: AbstractSet[str] = frozenset() if toolbox is None else toolbox.hidden
        self.uses: dict[str, list[tuple[DynamicPlace | None, _Source]]] = {}
        found: dict[tuple[int, int, int, bool], _Source] = {}
        for tool in self.tools:
            owner = agent if tool.owner is None else tool.owner
            uses: list[tuple[DynamicPlace | None, _Source]] = []
            for place in tool.blueprint.places:
                key = (id(place.source), id(owner), id(place.narrow), place.keyword == "enum")
                source = found.setdefault(key, _Source(place, place.source, owner))
                uses.append((place, source))
            if callable(tool.description):
                key = (id(tool.description), id(owner), 0, False)
                source = found.setdefault(key, _Source(None, adapt_arity(tool.description, 1), owner))
                uses.append((None, source))
            if uses:
                self.uses[tool.name] = uses
        self.distinct = list(found.values())


class Snapshotter:
    """Takes snapshots of a toolbox for one agent; None for no agent, as in catalogues."""

    def __init__(self, agent: Any = None) -> None:
        self.agent = agent
        self._sources = _Sources(None, agent)
        self._snapshot = NO_TOOLS

    async def take(self, toolbox: Any, message: str = "") -> Snapshot:
        """The snapshot for one model call; `message` is the user's, for narrowing long enums."""
        takes = 0
        while True:
            takes += 1
            sources = self._sources
            if sources.toolbox is not toolbox or sources.version != toolbox.version:
                sources = _Sources(toolbox, self.agent)
            elif not sources.distinct:
                return self._snapshot
            answers: list[tuple[_Source, Any]] = []
            for source in sources.distinct:
                raw = await awaited(source.ask(source.owner))
                if source.narrow is not None and raw is not None:
                    raw = await awaited(source.narrow(source.owner, raw, message))
                answers.append((source, raw))
            if sources.version == toolbox.version or takes == _MAX_TAKES:
                break
        # From here on nothing is awaited: other turns of the same agent see either all of this or nothing.
        renewed = stale = sources is not self._sources
        for source, raw in answers:
            if source.take(raw):
                stale = True
        if stale:
            self._sources = sources
            self._rebuild(renewed)
        return self._snapshot

    def _rebuild(self, renewed: bool) -> None:
        views = {} if renewed else dict(self._snapshot.views)
        for tool in self._sources.tools:
            uses = self._sources.uses.get(tool.name, ())
            if renewed or any(source.changed for _, source in uses):
                views[tool.name] = _view(tool, uses)
        self._snapshot = _snapshot_of(views, self._sources.hidden)


def static_snapshot(toolbox: Any) -> Snapshot:
    """The tools without their dynamic values, for catalogues."""
    return _snapshot_of({tool.name: _view(tool, ()) for tool in toolbox}, frozenset())


def _snapshot_of(views: Mapping[str, View], hidden: AbstractSet[str]) -> Snapshot:
    shown = [view for name, view in views.items() if view.is_offered and name not in hidden]
    return Snapshot(views, tuple([view.spec for view in shown]), sum([view.size for view in shown]))


def _view(tool: Tool, uses: Sequence[tuple[DynamicPlace | None, _Source]]) -> View:
    schema: Any = tool.blueprint.schema
    description = tool.description if isinstance(tool.description, str) else tool.blueprint.description
    slots: list[Any] = []
    is_offered = True
    size = tool.blueprint.size
    for place, source in uses:
        if place is None:
            description = str(source.value or "")
            continue
        slots.append(source.value)
        value = source.value.values if place.keyword == "enum" and source.value is not None else source.value
        if value is None or not place.is_shown:
            continue
        size += schema_size(value)
        if place.keyword == "enum" and not value:
            # No provider accepts an empty enum: the description says that there is no value, and the check refuses
            # all.
            schema = _with(schema, place.path, "description", _nothing_there)
            is_offered = not tool.options.needs_choice
        else:
            schema = _with(schema, place.path, place.keyword, value)
    spec = ToolSpec(tool.name, description, schema, tool.options.strict, tuple(tool.options.phrases))
    bytes_sent = size + size_of(tool.name) + size_of(description) + _SPEC_BYTES
    return View(tool, spec, tuple(slots), bytes_sent, is_offered)


def _nothing_there(described: Any) -> str:
    return f"{described or ''} (None exists now.)".strip()


def _with(node: Any, path: tuple[str | int, ...], keyword: str, value: Any) -> Any:
    """A schema with one keyword set; only the containers on the way to it are copied."""
    if not path:
        return {**node, keyword: value(node.get(keyword)) if callable(value) else value}
    if isinstance(node, list):
        index = int(path[0])
        return [*node[:index], _with(node[index], path[1:], keyword, value), *node[index + 1 :]]
    return {**node, path[0]: _with(node[path[0]], path[1:], keyword, value)}
