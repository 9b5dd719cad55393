"""The offline model as analyst: one operation of a spatial question per step, then the answer.

The same question gives the same steps, so the current step follows from the number of calls made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.core.messages import AssistantMessage, ToolCall
from agents.core.model import ModelRequest
from agents.domain import Column, Table
from agents.offline.analyses_read import analysis_read
from agents.offline.analysis_plan import planned
from agents.offline.answers import refusals, texts
from agents.offline.answers.analysis_words import (
    COUNT,
    LOOK,
    MOST_SHOWN,
    NEAREST,
    brings_counts,
    has_figure,
    summary_words,
    traits_of,
)
from agents.offline.answers.wording import plain, why_failed
from agents.offline.asked_once import forget_answers
from agents.offline.commands.analyses.analysis import Chain
from agents.offline.commands.analyses.examples import nearest_examples
from agents.offline.commands.looks import style_arguments
from agents.offline.commands.plans.value_colours import with_stored_values
from agents.offline.language.reading import read
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.late_columns import filled, late_look
from agents.offline.meaning.alike_places import wide_columns
from agents.offline.meaning.columns import number_columns
from agents.offline.meaning.cql2 import columns_in
from agents.offline.meaning.intents import Look
from agents.offline.meaning.places import forget_places
from agents.offline.meaning.row_names import name_column, text_columns
from agents.offline.meaning.scene import Ask, Done, MapAgent, Refuse, Scene, unless_failed
from agents.offline.meaning.steps import features_of
from agents.offline.meaning.units import column_unit
from agents.offline.offers.closest import closest
from agents.offline.offers.declined import MAX_OFFERED, with_offers
from agents.offline.offers.suggestions import suggestions
from agents.offline.operation_plan import OperationPlan, PlannedOperation
from agents.offline.unknown_words import unknown_words, unread_reason
from agents.offline.values_named import values_named
from agents.ports import AnalysisSession, OperationInfo
from agents.worded import joined, worded_among

_TOOLS_OF_CHAT = frozenset(
    ("add_map_layer", "column_stats", "count_features", "query_features", "run_analysis")
)
"""Tools that carry out the requests that a refusal offers; the analyst itself has others."""
_MOST_COLUMNS = 5
_MOST_RANKED = 10
"""Maximum number of rows shown of a longer result, those with the greatest figures."""
LOOKS = (LOOK, COUNT)


@runtime_checkable
class AnalysingAgent(MapAgent, Protocol):
    """What the offline model also needs from the analyst."""

    session: AnalysisSession


async def analyst_reply(
    request: ModelRequest, agent: AnalysingAgent, goal: str, done: Sequence[Done]
) -> AssistantMessage:
    """The plan with the first call, the next call of the analysis, or its final words."""
    forget_answers(agent)
    if not done:
        forget_places(agent)
    done = [each for each in done if each.call.name != "plan"]
    tools = frozenset(tool.name for tool in request.tools)
    vocabulary = await read(Vocabulary, agent.registry, agent.map.layers(), agent.session.operations())
    scene = Scene(agent, vocabulary, tools)
    vocabulary.know_values(await values_named(scene, goal, again=bool(done)))
    last = done[-1] if done else None
    if last is not None and [each.call.name for each in done].count("finish") == 1 and not last.result.ok:
        return _call(request, "finish", last.arguments, len(done))  # repeat the same answer
    if last is not None and not last.result.ok and last.call.name not in LOOKS:
        return _call(request, "cannot_do", {"reason": why_failed(last.result)}, len(done))
    try:
        return await _next_call(request, agent, scene, goal, done)
    except Refuse as refused:
        refused = await with_offers(refused, goal, _in_chat(scene), None)
        facts = {"reason": refused.reason, "alternative": refused.alternative}
    except Ask as ask:
        facts = {"reason": refusals.SEVERAL(), "alternative": ask.question}
    except ToolUnavailable:
        raise
    except ToolFailed as failure:
        facts = {"reason": failure.message}
    return _call(request, "cannot_do", {name: words for name, words in facts.items() if words}, len(done))


async def _next_call(
    request: ModelRequest, agent: AnalysingAgent, scene: Scene, goal: str, done: Sequence[Done]
) -> AssistantMessage:
    """The next call. Raises Refuse or Ask if there is none, and ToolFailed."""
    words = scene.vocabulary
    chain = await analysis_read(goal, words)
    if chain is None:
        raise await _unread(goal, scene)
    recipe = await planned(scene, chain)
    operations = recipe.operations
    looks = {each.call.name: each for each in done if each.call.name in LOOKS}
    ran = [each for each in done if each.call.name not in LOOKS]
    if done and _planned(done[-1].call) != len(operations):
        raise Refuse(refusals.TABLES_CHANGED(), refusals.ASK_AGAIN())
    if len(ran) < len(operations):
        operation = operations[len(ran)]
        if operation.name not in {info.name for info in agent.session.operations()}:
            raise Refuse(refusals.NO_OPERATION(name=operation.name))
        results = {outcome.step: outcome.table for outcome in agent.session.outcomes()}
        arguments = {**await filled(scene, operation, results), "title": operation.title}
        reply = _call(request, operation.name, arguments, len(done), len(operations))
        if done or "plan" not in scene.tools:
            return reply
        return AssistantMessage("", (_announced(request, operations), *reply.calls))
    rows = ran[-1].result.data["rows"]
    if recipe.left_out is not None and COUNT not in looks and COUNT in scene.tools:
        table, unknown = recipe.left_out
        return _call(request, COUNT, {"table": table, "filters": unknown}, len(done), len(operations))
    if (
        LOOK not in looks
        and LOOK in scene.tools
        and (0 < rows <= MOST_SHOWN or (rows and _is_ranked(ran[-1], scene.vocabulary.operations)))
    ):
        arguments = _look(scene, agent.session.outcomes()[-1].table, operations, ran, goal)
        return _call(request, LOOK, arguments, len(done), len(operations))
    outcomes = agent.session.outcomes()
    method = {note for outcome in outcomes for note in outcome.method}
    known = scene.vocabulary.operations
    among = await _places_among(scene, recipe, outcomes[-1].table) if rows else []
    arguments = {
        "summary": summary_words(chain, ran, looks, known, recipe.meant, method, recipe.unvalued, among)
    }
    measures = any("measures" in each.arguments for each in ran)
    if outcomes[-1].table.geometry_column is None and measures and not _is_of_drawn(chain):
        # For the total of measured shapes, show the shapes themselves.
        shapes = [each.step for each in outcomes if each.table.geometry_column is not None]
        arguments["outputs"] = shapes[-1:]
    if chain.look is not None and chain.look.look.thematic and ran[-1].result.data["rows"]:
        arguments["style"] = await _style(scene, chain.look.look, outcomes[-1].table)
    return _call(request, "finish", arguments, len(done))


async def _places_among(scene: Scene, recipe: OperationPlan, result: Table) -> list[str]:
    """The places of the request that are rows of the result themselves: Vienna, of the cities near Vienna."""
    found: list[str] = []
    for names, filters in recipe.places_among_rows():
        known = all(result.column(key) is not None for key in columns_in(filters))
        if known and await scene.data.count(result.id, filters) == len(names):
            found += names
    return found


def _is_of_drawn(chain: Chain) -> bool:
    """Whether the map already shows the rows that the analysis starts from."""
    return all(each.drawn for each in features_of(chain.parts[0]))


async def _style(scene: Scene, look: Look, table: Table) -> dict[str, Any]:
    """The requested style without its opacity. Raises Ask or Refuse if the result lacks a column."""
    late = await with_stored_values(scene, table, late_look(table, look))
    asked = style_arguments(scene, table, late, None)
    color = {"color": asked["color"]} if "color" in asked else {}
    return {"kind": "single", **color, **asked.get("style", {})} if color else asked["style"]


def _look(
    scene: Scene, table: Table, operations: Sequence[PlannedOperation], ran: Sequence[Done], goal: str
) -> dict[str, Any]:
    """The query for rows of the result: their names, the columns that the goal names, and added columns."""
    columns = [c for c in table.columns if c.kind != "geometry" and c.name not in table.key]
    done = ran[-1]
    by = done.arguments.get("by")
    ranked = by if isinstance(by, str) else ""
    sources = {
        value for operation in operations for value in operation.arguments.values() if isinstance(value, str)
    }
    read = [source for source in map(scene.vocabulary.table, sources) if source is not None]
    own_names = {own.name for source in read if (own := name_column(source)) is not None}
    named = next((c for c in columns if c.name in own_names), None) or name_column(table)
    # Counts and sums belong to the step, even if its rows already had a column of that name.
    aggregates = done.arguments.get("aggregates")
    figures_made = {"count", *map(_made_name, aggregates)} if aggregates is not None else set()
    added = [
        c.name for c in columns if c.name in figures_made or not any(source.column(c.name) for source in read)
    ]
    # The distance and the name of the other row come before its attributes.
    rest = sorted(added, key=lambda name: name.removeprefix("near_") not in own_names)
    rest.sort(key=lambda name: not name.startswith("distance_m"))
    rest = rest or [c.name for c in number_columns(table)]
    grouped = [each.arguments.get("by") for each in ran]
    of_groups = [name for each in grouped if isinstance(each, list | tuple) for name in each]
    groups = (*(done.arguments.get("per") or ()), *of_groups)
    # If several rows share a name, show a key too; keys have no common values.
    keys = (
        [c.name for c in text_columns(table) if not c.samples] if named is not None and named.samples else []
    )
    first = [c.name for c in columns if c.name in (named and named.name, *keys[:1], *groups, ranked)]
    sort = (
        {"sort": ranked, "descending": not any(map(done.arguments.get, ("smallest", "ascending")))}
        if ranked in first
        else {}
    )
    figures = [c.name for c in number_columns(table) if c.name in added]
    if has_figure(done, scene.vocabulary.operations) and figures:
        lead = _leading(done, figures, scene.vocabulary.operations)
        first = [*first, lead]
        sort = {"sort": lead, "descending": True}
        limit = MOST_SHOWN if done.result.data["rows"] <= MOST_SHOWN else _MOST_RANKED
        return {"table": table.id, "columns": list(dict.fromkeys([*first, *figures])), **sort, "limit": limit}
    where = wide_columns(table)[: named is not None]  # tells namesakes apart
    wanted = list(dict.fromkeys([*first, *where, *_named_in(goal, columns), *rest]))[:_MOST_COLUMNS]
    if not sort and done.result.data["rows"] > MOST_SHOWN and table.column("distance_m") is not None:
        near = [
            name for name in rest if name.startswith("distance_m") or name.removeprefix("near_") in own_names
        ]
        wanted = list(dict.fromkeys([*first, *near])) or wanted
        sort = {"sort": "distance_m", "descending": True}
        return {"table": table.id, "columns": wanted, **sort, "limit": _MOST_RANKED}
    return {"table": table.id, "columns": wanted, **sort, "limit": MOST_SHOWN}


def _is_ranked(done: Done, operations: Sequence[OperationInfo]) -> bool:
    """Whether the greatest of many rows are worth listing."""
    traits, n = traits_of(done, operations), done.arguments.get("n", 0)
    is_tied = "ranks" in traits and not done.arguments.get("per") and done.result.data["rows"] > n
    return is_tied or has_figure(done, operations) or traits >= NEAREST


def _made_name(aggregate: Mapping[str, Any]) -> str:
    """The default name of a figure."""
    return str(aggregate.get("name") or f"{aggregate['function']}_{aggregate.get('column')}")


def _leading(done: Done, figures: Sequence[str], operations: Sequence[OperationInfo]) -> str:
    """The main figure of a step, among all that it and earlier steps added."""
    given = done.arguments
    asked = [each for each in given.get("aggregates") or () if each["function"] != "count"]
    made = [_made_name(each) for each in asked if each.get("column")]
    if not asked and brings_counts(done, traits_of(done, operations)):
        made.append("count")
    others = [each for each in figures if each != "count"] or figures
    return next(each for each in (str(given.get("name")), *made, *others) if each in figures)


def _named_in(goal: str, columns: Sequence[Column]) -> list[str]:
    """The columns whose names, with or without units, occur as consecutive words in the goal."""
    words = f" {' '.join(name_words(goal))} "
    found = []
    for each in columns:
        own = name_words(each.name)
        names = [own, own[:-1]] if column_unit(each) is not None else [own]
        if any(name and f" {' '.join(name)} " in words for name in names):
            found.append(each.name)
    return found


def _in_chat(scene: Scene) -> Scene:
    """The scene with the tools of the chat, in which offers are carried out."""
    return replace(scene, tools=scene.tools | _TOOLS_OF_CHAT)


async def _unread(goal: str, scene: Scene) -> Refuse:
    """A refusal that lists the nearest valid requests."""
    meant = nearest_examples(goal, scene.vocabulary)
    near = [*map(plain, await closest(goal, _in_chat(scene), None)), *meant]
    others = suggestions(scene.agent.registry, scene.layers, limit=max(MAX_OFFERED - len(near), 0), like=goal)
    offered = dict.fromkeys((*near, *others))
    examples = joined("\n", (joined("", ("- ", example)) for example in offered))
    words = [each for each in unknown_words(goal, scene.vocabulary) if not await _is_code(each, scene)]
    known = unread_reason(goal, words, scene.vocabulary)
    reason = known or (refusals.NO_STEPS() if meant else refusals.NO_PLANNER())
    offers = joined("\n\n", (texts.COULD_SAY(), examples))
    tables = refusals.THERE_ARE(names=scene.some_tables())
    return Refuse(reason, joined("\n\n", (tables, offers)) if known else offers)


async def _is_code(word: str, scene: Scene) -> bool:
    """Whether a word in capitals is the code of a place: `LHR`."""
    found = await unless_failed(scene.data.find_place(word)) if word.isupper() else None
    return found is not None and any(each.whole for each in found.places)


def _call(
    request: ModelRequest, name: str, arguments: Mapping[str, Any], before: int, planned: int = 0
) -> AssistantMessage:
    """A tool call, with the number of planned operations in its id."""
    text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return AssistantMessage(
        "",
        (
            ToolCall(
                f"analysis-{len(request.messages)}-{before}-{planned}",
                name,
                text,
                texts=worded_among(arguments),
            ),
        ),
    )


def _announced(request: ModelRequest, operations: Sequence[PlannedOperation]) -> ToolCall:
    """The call that announces the plan."""
    steps = [{"operation": each.name, "title": each.title} for each in operations]
    text = json.dumps({"steps": steps}, ensure_ascii=False, separators=(",", ":"))
    return ToolCall(f"analysis-{len(request.messages)}-plan", "plan", text)


def _planned(call: ToolCall) -> int:
    planned = call.id.rpartition("-")[2]
    return int(planned) if planned.isdigit() else -1
