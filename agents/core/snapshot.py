"""The tools as one model call sees them: dynamic values evaluated once, for the request and for its check.

A `Snapshotter` belongs to one agent. Where nothing changed it returns the very same `Snapshot`; where an enum
changed, only the dicts above that enum are replaced. A value the model was not shown can therefore never run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.core.blueprint import DynamicPlace
from agents.core.keywords import Choices
from agents.core.model import ToolSpec
from agents.core.param import fitted
from agents.core.tool import Tool
from agents.core.waiting import is_awaitable

_UNSET = object()


@dataclass(frozen=True, slots=True)
class View:
    """One tool of a snapshot: `spec` is what the model sees, `slots` what its arguments are checked against."""

    tool: Tool
    spec: ToolSpec
    slots: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    views: Mapping[str, View]
    specs: tuple[ToolSpec, ...]


class _Source:
    """One dynamic callable with its owner, whoever of the tools uses it; asked once per snapshot."""

    __slots__ = ("ask", "narrow", "owner", "raw", "value")

    def __init__(self, place: DynamicPlace | None, ask: Any, owner: Any) -> None:
        self.ask = ask
        self.owner = owner
        self.narrow = place.narrow if place is not None else None
        self.raw: Any = _UNSET
        self.value: Any = None

    def take(self, raw: Any, is_enum: bool) -> bool:
        """Accept a fresh value; whether it differs from the one before."""
        if not is_enum:
            changed = self.raw is _UNSET or type(raw) is not type(self.raw) or raw != self.raw
            self.raw = self.value = raw
            return changed
        if type(raw) is tuple:
            if raw is self.raw:
                return False
        elif type(raw) is not list and raw is not None:
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


class Snapshotter:
    """Takes snapshots of a toolbox on behalf of one agent (None: of nobody in particular)."""

    def __init__(self, agent: Any = None) -> None:
        self.agent = agent
        self._box: Any = None
        self._version = -1
        self._sources: list[tuple[_Source, bool]] = []
        self._uses: dict[str, list[tuple[DynamicPlace | None, _Source]]] = {}
        self._snapshot = Snapshot({}, ())

    async def take(self, toolbox: Any, message: str = "") -> Snapshot:
        """The snapshot for one model call; `message` is the user's, for narrowing long enums."""
        renewed = toolbox is not self._box or toolbox.version != self._version
        if renewed:
            self._collect(toolbox)
        if not self._sources:
            if renewed:
                self._rebuild(toolbox, renewed, set())
            return self._snapshot
        answers: list[tuple[_Source, Any, bool]] = []
        for source, is_enum in self._sources:
            raw = source.ask(source.owner)
            if is_awaitable(raw):
                raw = await raw
            if source.narrow is not None and raw is not None:
                raw = source.narrow(source.owner, raw, message)
                if is_awaitable(raw):
                    raw = await raw
            answers.append((source, raw, is_enum))
        # From here on nothing is awaited, so that another turn of the same agent cannot come between.
        changed = {id(source) for source, raw, is_enum in answers if source.take(raw, is_enum)}
        if renewed or changed:
            self._rebuild(toolbox, renewed, changed)
        return self._snapshot

    def _collect(self, toolbox: Any) -> None:
        self._box, self._version = toolbox, toolbox.version
        sources: dict[tuple[int, int, int, bool], tuple[_Source, bool]] = {}
        self._uses = {}
        for tool in toolbox:
            owner = self.agent if tool.owner is None else tool.owner
            uses: list[tuple[DynamicPlace | None, _Source]] = []
            for place in tool.blueprint.places:
                is_enum = place.keyword == "enum"
                key = (id(place.source), id(owner), id(place.narrow), is_enum)
                source, _ = sources.setdefault(key, (_Source(place, place.source, owner), is_enum))
                uses.append((place, source))
            if callable(tool.description):
                key = (id(tool.description), id(owner), 0, False)
                source, _ = sources.setdefault(
                    key, (_Source(None, fitted(tool.description, 1), owner), False)
                )
                uses.append((None, source))
            if uses:
                self._uses[tool.name] = uses
        self._sources = list(sources.values())

    def _rebuild(self, toolbox: Any, renewed: bool, changed: set[int]) -> None:
        old = self._snapshot.views
        views: dict[str, View] = {}
        for tool in toolbox:
            uses = self._uses.get(tool.name, ())
            if not renewed and not any(id(source) in changed for _, source in uses):
                views[tool.name] = old[tool.name]
            else:
                views[tool.name] = _view(tool, uses)
        self._snapshot = Snapshot(views, tuple(view.spec for view in views.values()))


def static_snapshot(toolbox: Any) -> Snapshot:
    """The tools without their dynamic values, for catalogues."""
    views = {tool.name: _view(tool, ()) for tool in toolbox}
    return Snapshot(views, tuple(view.spec for view in views.values()))


def _view(tool: Tool, uses: Sequence[tuple[DynamicPlace | None, _Source]]) -> View:
    schema: Any = tool.blueprint.schema
    description = tool.description if isinstance(tool.description, str) else tool.blueprint.description
    slots: list[Any] = []
    for place, source in uses:
        if place is None:
            description = str(source.value or "")
            continue
        slots.append(source.value)
        value = source.value.values if place.keyword == "enum" and source.value is not None else source.value
        if value is None:
            continue
        if place.keyword == "enum" and not value:
            # No provider takes an empty enum: the model is told in words, and the check refuses every value.
            schema = _with(schema, place.path, "description", _nothing_there)
        else:
            schema = _with(schema, place.path, place.keyword, value)
    spec = ToolSpec(tool.name, description, schema, tool.options.strict)
    return View(tool, spec, tuple(slots))


def _nothing_there(described: Any) -> str:
    return f"{described or ''} (There is no valid value at the moment.)".strip()


def _with(node: Any, path: tuple[str | int, ...], keyword: str, value: Any) -> Any:
    """A schema with one keyword set; only the containers on the way to it are copied."""
    if not path:
        return {**node, keyword: value(node.get(keyword)) if callable(value) else value}
    if isinstance(node, list):
        index = int(path[0])
        return [*node[:index], _with(node[index], path[1:], keyword, value), *node[index + 1 :]]
    return {**node, path[0]: _with(node[path[0]], path[1:], keyword, value)}
