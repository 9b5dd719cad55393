"""Tools with their own templates (`@tool(phrases=...)`): the slots are the tool's arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from agents.core.model import ToolSpec
from agents.offline.commands.analyses.rules import typed
from agents.offline.commands.requests import Command
from agents.offline.language.grammar import Template, compiled
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.conditions import Mention
from agents.offline.meaning.intents import Intent, UseTool
from agents.offline.meaning.scene import Calls, Scene


def tool_commands(tools: Sequence[ToolSpec]) -> tuple[Command, ...]:
    """The commands of all tools with phrases. Raises BadTemplate."""
    return tuple(_command(spec, phrase) for spec in tools for phrase in spec.phrases)


def _command(spec: ToolSpec, phrase: str) -> Command:
    properties: Mapping[str, Any] = spec.parameters.get("properties", {})
    template = _template(phrase, tuple((name, _kind(schema)) for name, schema in properties.items()))

    def means(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
        arguments: dict[str, Any] = dict(template.constants)
        for name, value in bound.items():
            if name in properties:
                arguments[name] = _argument(value, properties[name], vocabulary)
                if arguments[name] is None:
                    return None
        return UseTool(spec.name, tuple(arguments.items()))

    return Command(template, means)


@lru_cache(maxsize=256)
def _template(phrase: str, kinds: tuple[tuple[str, str], ...]) -> Template:
    """Cached, because the chart caches properties of each template."""
    known = dict(kinds)
    return typed(compiled(phrase), lambda name: known.get(name, _kind({})))


def _kind(schema: Mapping[str, Any]) -> str:
    """The kind of slot for a parameter, by its schema: a name among its values, a number, or words."""
    if schema.get("enum"):
        return "mention" if any("." in str(each) for each in schema["enum"]) else "words"
    return {"integer": "count", "number": "number"}.get(str(schema.get("type")), "value")


def _argument(value: Any, schema: Mapping[str, Any], vocabulary: Vocabulary) -> Any:
    options = [str(each) for each in schema.get("enum") or ()]
    if isinstance(value, Mention):
        named = [*value.tables, *value.layers]
        fitting = [each for each in named if each in options]
        return fitting[0] if len(fitting) == 1 else None
    if options:
        return next((each for each in options if each.lower() == str(value).lower()), None)
    if isinstance(value, str):
        return value.strip('"')
    return getattr(value, "value", value)


async def use_tool(scene: Scene, intent: UseTool) -> Calls:
    """Call the tool."""
    return [(intent.tool, dict(intent.arguments))]


PLANS = {"UseTool": use_tool}
