"""The offline model as the analyst: the operations of a spatial question, one a step, then the answer.

The same question gives the same steps, so a step of the turn is found by counting what has been called.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.core.errors import ToolFailed
from agents.core.messages import AssistantMessage, ToolCall
from agents.core.model import ModelRequest
from agents.domain import Cql2, Table
from agents.geo.phrases import number
from agents.offline.analyses import (
    Around,
    CountedIn,
    Features,
    Meeting,
    Near,
    Neighbours,
    Question,
    read_question,
)
from agents.offline.columns import name_column
from agents.offline.intents import Quantity
from agents.offline.resolver import to_cql2
from agents.offline.scene import Ask, Done, MapAgent, Refuse, Scene
from agents.offline.values import equals, property_of
from agents.offline.vocabulary import Vocabulary
from agents.offline.wording import failed, refusal

_MARGIN = 0.01
"""Degrees around a place by which its row is told from others of that name."""
_UNREAD = (
    "without a language model I cannot plan this analysis",
    "I understand for example “airports within 50 km of Berlin”, “countries without airports”, “the 10 cities farthest "
    "from any airport” and “buffer the airports by 5 km”.",
)


@dataclass(frozen=True, slots=True)
class Operation:
    """`$0` in the arguments stands for the result of the first operation, and so on."""

    name: str
    arguments: Mapping[str, Any]
    title: str


@dataclass(slots=True)
class Recipe:
    operations: list[Operation] = field(default_factory=list)

    def add(self, name: str, title: str, **arguments: Any) -> str:
        """The reference to its result."""
        self.operations.append(Operation(name, arguments, title))
        return f"${len(self.operations) - 1}"


async def analyst_reply(
    request: ModelRequest, agent: MapAgent, goal: str, done: Sequence[Done]
) -> AssistantMessage:
    """The next call of the analysis, or its last words."""
    tools = frozenset(tool.name for tool in request.tools)
    vocabulary = Vocabulary(agent.registry, agent.map.layers())
    last = done[-1] if done else None
    if last is not None and last.call.name in ("finish", "cannot_do"):
        return AssistantMessage(_last_words(last))
    if last is not None and not last.result.ok:
        return _call(request, "cannot_do", {"reason": failed(last.result)}, len(done))
    try:
        question = read_question(goal, vocabulary)
        if question is None:
            raise Refuse(*_UNREAD)
        recipe = Recipe()
        await _plan(recipe, Scene(agent, vocabulary, tools), question)
        if last is not None and _planned(last.call) != len(recipe.operations):
            raise Refuse("the tables changed while the analysis ran", "Ask again.")
        if len(done) == len(recipe.operations):
            return _call(request, "finish", {"summary": _summary(question, done)}, len(done))
        operation = recipe.operations[len(done)]
        if operation.name not in tools:
            raise Refuse(f"the operation {operation.name} is not offered here")
        arguments = _filled(operation.arguments, done)
        titled = {**arguments, "title": operation.title}
        return _call(request, operation.name, titled, len(done), len(recipe.operations))
    except Refuse as refused:
        facts = {"reason": refused.reason, "alternative": refused.alternative}
    except Ask as ask:
        facts = {"reason": "this can mean several things", "alternative": ask.question}
    except ToolFailed as failure:
        facts = {"reason": failure.message}
    return _call(request, "cannot_do", {name: words for name, words in facts.items() if words}, len(done))


def _call(
    request: ModelRequest, name: str, arguments: Mapping[str, Any], before: int, planned: int = 0
) -> AssistantMessage:
    """The call, with the number of operations that were planned in its id."""
    text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return AssistantMessage(
        "", (ToolCall(f"analysis-{len(request.messages)}-{before}-{planned}", name, text),)
    )


def _planned(call: ToolCall) -> int:
    planned = call.id.rpartition("-")[2]
    return int(planned) if planned.isdigit() else -1


def _filled(arguments: Mapping[str, Any], done: Sequence[Done]) -> dict[str, Any]:
    """References replaced by the ids that the steps were given."""
    return {
        name: done[int(value[1:])].result.data["step"]
        if isinstance(value, str) and value.startswith("$")
        else value
        for name, value in arguments.items()
    }


async def _plan(recipe: Recipe, scene: Scene, question: Question) -> None:
    title = _title(question)
    match question:
        case Near(source, other, distance, far):
            arguments = {
                "source": await _source(recipe, scene, source),
                "other": await _source(recipe, scene, other),
            }
            relation = {"predicate": "within_distance", "distance": _length(distance), **_set("invert", far)}
            recipe.add("select_by_location", title, **arguments, **relation)
        case Meeting(source, other, without):
            arguments = {
                "source": await _source(recipe, scene, source),
                "other": await _source(recipe, scene, other),
            }
            recipe.add(
                "select_by_location", title, **arguments, predicate="intersects", **_set("invert", without)
            )
        case Neighbours(source, target, limit, farthest):
            arguments = {
                "source": await _source(recipe, scene, source),
                "target": await _source(recipe, scene, target),
            }
            each = title if limit is None else f"Nearest of {target.text} for each of {_noun(source)}"
            near = recipe.add("nearest", each, **arguments, k=1)
            if limit is not None:
                recipe.add(
                    "top", title, source=near, by="distance_m", n=limit, **_set("smallest", not farthest)
                )
        case Around(source, distance, united):
            whole = await _source(recipe, scene, source)
            recipe.add("buffer", title, source=whole, distance=_length(distance), **_set("dissolve", united))
        case CountedIn(counted, areas):
            arguments = {
                "source": await _source(recipe, scene, areas),
                "other": await _source(recipe, scene, counted),
            }
            recipe.add("spatial_join", title, **arguments, predicate="intersects")


def _set(name: str, wanted: bool) -> dict[str, bool]:
    return {name: True} if wanted else {}


def _title(question: Question) -> str:
    """What the result is called: `Airports within 50 km of Berlin`."""
    match question:
        case Near(source, other) | Meeting(source, other):
            text = f"{_noun(source)} {question.said} {other.text}"
        case Neighbours(source, target, None):
            text = f"nearest {_noun(target)} to each {_noun(source)}"
        case Neighbours(source, target, limit):
            text = f"{number(limit or 1)} {_noun(source)} {question.said} {target.text}"
        case Around(source, distance):
            text = f"{_length(distance)} around {source.text}"
        case CountedIn(counted, areas):
            text = f"{_noun(counted)} in each {areas.text}"
    return text[:1].upper() + text[1:]


async def _source(recipe: Recipe, scene: Scene, features: Features) -> str:
    """A table as it is, or filtered in a step of its own."""
    if features.mention is None:
        table, filters = await _place(scene, features.place)
        return recipe.add("filter", f"Find {features.place}", source=table.id, filter=filters)
    table = scene.table_of(features.mention)
    if table.geometry_column is None:
        raise Refuse(f"{table.name} has no geometry, so it lies nowhere")
    if features.where is None:
        return table.id
    filters = await to_cql2(scene, table, features.where)
    return recipe.add("filter", f"Keep {features.text}", source=table.id, filter=filters)


async def _place(scene: Scene, name: str) -> tuple[Table, Cql2]:
    """The row of a place: by its name, and by where it is if others are called so too."""
    places = await scene.data.find_place(name, limit=1)
    if not places:
        raise Refuse(f"no table and no place is called “{name}”", f"There are {scene.some_tables()}.")
    place = places[0]
    table = scene.table(place.table)
    column = name_column(table)
    if column is None or table.geometry_column is None or len(table.key) != 1:
        raise Refuse(f"the row of “{name}” cannot be picked out of {table.name}")
    west, south, east, north = place.bounds
    box = [west - _MARGIN, south - _MARGIN, east + _MARGIN, north + _MARGIN]
    here: Cql2 = {"op": "s_intersects", "args": [property_of(table.geometry_column), {"bbox": box}]}
    found: Cql2 = {"op": "and", "args": [equals(column.name, [place.name]), here]}
    rows = (await scene.data.query(table.id, [table.key[0]], found, limit=1)).get("rows", ())
    if not rows:
        raise Refuse(f"the row of “{name}” cannot be picked out of {table.name}")
    return table, equals(table.key[0], [rows[0][table.key[0]]])


def _length(distance: Quantity) -> str:
    unit = distance.unit.symbol if distance.unit is not None else "m"
    return f"{distance.value:g} {unit}"


def _summary(question: Question, done: Sequence[Done]) -> str:
    """What was found, with the row count of the last step and nothing else."""
    facts = done[-1].result.data
    rows = number(facts["rows"]) if facts["rows"] else "none"
    text = f"{_title(question)}: {rows}."
    if isinstance(question, Neighbours):
        short = question.limit is None or facts["rows"] != question.limit
        text = f"{_title(question)}{f': {rows}' if short else ''}; `distance_m` tells how far, in metres."
    elif isinstance(question, CountedIn):
        text = f"{_title(question)}: counted for {rows} of them."
    notes = [str(note).rstrip(".") + "." for note in facts.get("notes", ())]
    return " ".join([text, *dict.fromkeys(notes)])


def _noun(features: Features) -> str:
    return features.text.removeprefix("the ").removeprefix("all ")


def _last_words(done: Done) -> str:
    facts = done.result.data if isinstance(done.result.data, Mapping) else {}
    if not done.result.ok:
        return failed(done.result)
    if done.call.name == "finish":
        return str(facts.get("summary", ""))
    return refusal(str(facts.get("reason", "")), str(facts.get("alternative") or ""))
