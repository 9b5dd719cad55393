"""The offline model as the analyst: the operations of a spatial question, one a step, then the answer.

The same question gives the same steps, so a step of the turn is found by counting what has been called.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from agents.core.errors import ToolFailed
from agents.core.messages import AssistantMessage, ToolCall
from agents.core.model import ModelRequest
from agents.domain import Column, Table
from agents.geo.phrases import (
    breakdown_words,
    count_of,
    listed,
    number,
    row_values,
    table_rows,
    value,
)
from agents.offline.analysis_plan import SHARE, PlannedOperation, drawn, filled, planned, title_of
from agents.offline.answers.wording import plain, why_failed
from agents.offline.commands.analyses.analysis import Chain, read_analysis
from agents.offline.commands.analyses.examples import nearest_examples
from agents.offline.language.reading import read
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import name_column, number_columns
from agents.offline.meaning.scene import Ask, Done, MapAgent, Refuse, Scene
from agents.offline.meaning.steps import Grouped
from agents.offline.meaning.units import column_unit
from agents.ports import AnalysisSession, OperationInfo, OperationTrait

_MOST_SHOWN = 20
"""Rows. A result that is no longer is shown in the answer."""
_MOST_COLUMNS = 5
_MOST_RANKED = 10
"""Of a longer result with a figure for each row, those with the greatest."""
_LOOK, _COUNT = "query_features", "count_features"
_LOOKS = (_LOOK, _COUNT)
_EXAMPLES = (
    "airports within 50 km of Berlin",
    "countries without airports",
    "the 10 cities farthest from any airport",
    "buffer the airports by 5 km",
    "dissolve countries by continent, then show the three largest",
)


@runtime_checkable
class AnalysingAgent(MapAgent, Protocol):
    """What the offline model needs of the analyst besides."""

    session: AnalysisSession


async def analyst_reply(
    request: ModelRequest, agent: AnalysingAgent, goal: str, done: Sequence[Done]
) -> AssistantMessage:
    """The plan and the first call, the next call of the analysis, or its last words."""
    done = [each for each in done if each.call.name != "plan"]
    tools = frozenset(tool.name for tool in request.tools)
    vocabulary = await read(Vocabulary, agent.registry, agent.map.layers(), agent.session.operations())
    last = done[-1] if done else None
    if last is not None and [each.call.name for each in done].count("finish") == 1 and not last.result.ok:
        return _call(request, "finish", last.arguments, len(done))  # it stands by what it says
    if last is not None and not last.result.ok and last.call.name not in _LOOKS:
        return _call(request, "cannot_do", {"reason": why_failed(last.result)}, len(done))
    try:
        chain = await read(read_analysis, goal, vocabulary, vocabulary.operations)
        if chain is None:
            raise _unread(goal, vocabulary)
        scene = Scene(agent, vocabulary, tools)
        recipe = await planned(scene, chain)
        operations = recipe.operations
        looks = {each.call.name: each for each in done if each.call.name in _LOOKS}
        ran = [each for each in done if each.call.name not in _LOOKS]
        if last is not None and _planned(last.call) != len(operations):
            raise Refuse("the tables changed while the analysis ran", "Ask again.")
        if len(ran) < len(operations):
            operation = operations[len(ran)]
            if operation.name not in {info.name for info in agent.session.operations()}:
                raise Refuse(f"the operation {operation.name} is not offered here")
            results = {outcome.step: outcome.table for outcome in agent.session.outcomes()}
            arguments = {**await filled(scene, operation, results), "title": operation.title}
            reply = _call(request, operation.name, arguments, len(done), len(operations))
            if done or "plan" not in tools:
                return reply
            return AssistantMessage("", (_announced(request, operations), *reply.calls))
        rows = ran[-1].result.data["rows"]
        if recipe.left_out is not None and _COUNT not in looks and _COUNT in tools:
            table, unknown = recipe.left_out
            return _call(request, _COUNT, {"table": table, "filters": unknown}, len(done), len(operations))
        if (
            _LOOK not in looks
            and _LOOK in tools
            and (0 < rows <= _MOST_SHOWN or (rows and _has_figure(ran[-1], vocabulary.operations)))
        ):
            arguments = _look(scene, agent.session.outcomes()[-1].table, operations, ran[-1], goal)
            return _call(request, _LOOK, arguments, len(done), len(operations))
        outcomes = agent.session.outcomes()
        method = {note for outcome in outcomes for note in outcome.method}
        arguments = {"summary": _summary(chain, ran, looks, vocabulary.operations, recipe.meant, method)}
        made = outcomes[-1].table
        if chain.look is not None and ran[-1].result.data["rows"]:
            arguments["style"] = await drawn(scene, chain.look, made)
        return _call(request, "finish", arguments, len(done))
    except Refuse as refused:
        facts = {"reason": refused.reason, "alternative": refused.alternative}
    except Ask as ask:
        facts = {"reason": "this can mean several things", "alternative": ask.question}
    except ToolFailed as failure:
        facts = {"reason": failure.message}
    return _call(request, "cannot_do", {name: words for name, words in facts.items() if words}, len(done))


def _look(
    scene: Scene, table: Table, operations: Sequence[PlannedOperation], done: Done, goal: str
) -> dict[str, Any]:
    """The question for the rows of the result: what they are called, which columns the goal names, and what the
    operations have added."""
    columns = [c for c in table.columns if c.kind != "geometry" and c.name not in table.key]
    ranks = "ranks" in _traits(done, scene.vocabulary.operations)
    ranked = str(done.arguments.get("by") or "") if ranks else ""
    sources = {
        value for operation in operations for value in operation.arguments.values() if isinstance(value, str)
    }
    read = [source for source in map(scene.vocabulary.table, sources) if source is not None]
    own_names = {own.name for source in read if (own := name_column(source)) is not None}
    named = next((c for c in columns if c.name in own_names), None) or name_column(table)
    added = [c.name for c in columns if not any(source.column(c.name) for source in read)]
    rest = added or [c.name for c in number_columns(table)]
    by = done.arguments.get("by")
    groups = (*(done.arguments.get("per") or ()), *(by if isinstance(by, list | tuple) else ()))
    first = [c.name for c in columns if c.name in (named and named.name, *groups, ranked)]
    sort = (
        {"sort": ranked, "descending": not done.arguments.get("smallest", False)} if ranked in first else {}
    )
    figures = [c.name for c in number_columns(table) if c.name in added]
    if _has_figure(done, scene.vocabulary.operations) and figures:
        named_by_it = str(done.arguments.get("name"))
        asked = [each for each in figures if each != "count"] or figures
        lead = named_by_it if named_by_it in figures else asked[0]
        first = [*first, lead]
        sort = {"sort": lead, "descending": True}
        limit = _MOST_SHOWN if done.result.data["rows"] <= _MOST_SHOWN else _MOST_RANKED
        return {"table": table.id, "columns": list(dict.fromkeys([*first, *figures])), **sort, "limit": limit}
    wanted = list(dict.fromkeys([*first, *_named_in(goal, columns), *rest]))[:_MOST_COLUMNS]
    return {"table": table.id, "columns": wanted, **sort, "limit": _MOST_SHOWN}


def _named_in(goal: str, columns: Sequence[Column]) -> list[str]:
    """The columns whose names, with or without their units, are words of the goal that follow each other."""
    words = f" {' '.join(name_words(goal))} "
    found = []
    for each in columns:
        own = name_words(each.name)
        names = [own, own[:-1]] if column_unit(each) is not None else [own]
        if any(name and f" {' '.join(name)} " in words for name in names):
            found.append(each.name)
    return found


def _has_figure(done: Done, operations: Sequence[OperationInfo]) -> bool:
    """Whether a step gives each group or area a figure, so that the greatest are worth naming."""
    given = done.arguments
    return (
        "counts" in _traits(done, operations)
        or bool(given.get("aggregates") or given.get("per"))
        or "expression" in given
    )


def _traits(done: Done, operations: Sequence[OperationInfo]) -> frozenset[OperationTrait]:
    """What is said of the results of the operation that was called."""
    return next((each.traits for each in operations if each.name == done.call.name), frozenset())


def _unread(goal: str, vocabulary: Vocabulary) -> Refuse:
    """What the words could not be read as, with the nearest things that can be said."""
    meant = nearest_examples(goal, vocabulary)
    examples = "\n".join(f"- {example}" for example in (meant or _EXAMPLES))
    reason = (
        "I could not read all of that as steps of an analysis"
        if meant
        else "without a language model I cannot plan this analysis"
    )
    return Refuse(reason, f"You could say:\n\n{examples}")


def _call(
    request: ModelRequest, name: str, arguments: Mapping[str, Any], before: int, planned: int = 0
) -> AssistantMessage:
    """The call, with the number of operations that were planned in its id."""
    text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return AssistantMessage(
        "", (ToolCall(f"analysis-{len(request.messages)}-{before}-{planned}", name, text),)
    )


def _announced(request: ModelRequest, operations: Sequence[PlannedOperation]) -> ToolCall:
    """What is to be done, told before it begins."""
    steps = [{"operation": each.name, "title": each.title} for each in operations]
    text = json.dumps({"steps": steps}, ensure_ascii=False, separators=(",", ":"))
    return ToolCall(f"analysis-{len(request.messages)}-plan", "plan", text)


def _planned(call: ToolCall) -> int:
    planned = call.id.rpartition("-")[2]
    return int(planned) if planned.isdigit() else -1


def _summary(
    chain: Chain,
    ran: Sequence[Done],
    looks: Mapping[str, Done],
    operations: Sequence[OperationInfo],
    meant: Sequence[str],
    method: Collection[str],
) -> str:
    """What was found, with the row count of the last step, its rows if they are few, and what happened to the data.

    The notes on the `method` are left out: they are in the receipt.
    """
    *_, before, traits = frozenset[OperationTrait](), *(_traits(each, operations) for each in ran)
    facts, look = ran[-1].result.data, looks.get(_LOOK)
    last = chain.parts[-1]
    title = ", then ".join(title if not i else title[:1].lower() + title[1:] for i, title in _titles(chain))
    by_distance = _by_distance(ran[-1], traits, before)
    text = _opening(title, ran, traits, by_distance)
    if meant:
        text += f" Interpreted as {'; '.join(plain(each) for each in dict.fromkeys(meant))}."
    notes = _notes(ran, operations, method)
    found = look.result.data if look is not None and look.result.ok else {}
    tied = len(found.get("rows", ())) == facts["rows"] and ran[-1].arguments.get("ties")
    whole = "ranks" in traits and not ran[-1].arguments.get("per")
    first = ran[-1].arguments.get("n") == 1
    if whole and not by_distance and (len(found.get("rows", ())) == 1 or (tied and first)):
        text = _first(ran[-1], found, _counted(ran, operations)) + text.partition(".")[2]
    elif whole and ran[-1].arguments.get("ties") and facts["rows"] > ran[-1].arguments["n"]:
        text += (
            f" Several share the last place, so that there are more than {number(ran[-1].arguments['n'])}."
        )
    distance = _distance(found) if "measures_distance" in traits and not by_distance else None
    if distance is not None:
        text = f"{title}: {distance}.{text.partition('.')[2]}"
    total = _total(ran[-1], found) if {"counts", "groups"} <= traits else None
    if total is not None:
        return f"{title}: {total}.{text.partition('.')[2]}{f' {notes}' if notes else ''}"
    figure = look.arguments.get("sort") if look is not None and _has_figure(ran[-1], operations) else None
    if isinstance(last, Grouped) and found.get("rows"):
        text = _greatest(title, found, str(figure)) + _left_out(last, looks.get(_COUNT))
    elif (
        figure in found.get("columns", ())
        and "ranks" not in traits
        and (ran[-1].arguments.keys() & {"aggregates", "expression"})
    ):
        text = _greatest(title, found, str(figure))
        grouped = next((each for each in chain.parts if isinstance(each, Grouped)), None)
        text += _left_out(grouped, looks.get(_COUNT)) if grouped is not None else ""
    if len(found.get("rows", ())) == 1 and len(found["columns"]) == 2 and "ranks" in traits:
        return f"{text} {notes}".strip()
    if found.get("rows"):
        listed = table_rows(list(found["columns"]), found["rows"], _MOST_SHOWN)
        if len(found["rows"]) < facts["rows"]:
            most = "smallest" if ran[-1].arguments.get("smallest") else "greatest"
            listed = f"The {number(len(found['rows']))} {most} of {number(facts['rows'])}:\n\n{listed}"
        return f"{text}\n\n{listed}" + (f"\n\n{notes}" if notes else "")
    return f"{text} {notes}".strip()


def _opening(title: str, ran: Sequence[Done], traits: frozenset[OperationTrait], by_distance: str) -> str:
    """How many rows there are, and which step before the last left none."""
    facts = ran[-1].result.data
    rows = number(facts["rows"]) if facts["rows"] else "none"
    text = f"{title}: {rows}{breakdown_words(facts.get('breakdown', {}))}."
    if by_distance:
        short = facts["rows"] != ran[-1].arguments.get("n")
        text = f"{title}{f': {rows}' if short else ''}; `{by_distance}` tells how far, in metres."
    elif {"counts", "joins"} <= traits and "aggregates" not in ran[-1].arguments:
        text = f"{title}: counted for {rows} of them."
    empty = next((each for each in ran if not each.result.data["rows"]), None)
    if empty is not None and empty is not ran[-1]:
        text += f" The step “{empty.arguments.get('title', empty.call.name)}” left no rows."
    return text


def _notes(ran: Sequence[Done], operations: Sequence[OperationInfo], method: Collection[str]) -> str:
    """The notes of all steps, each once, without those on the method."""
    # A group of which nothing passes has no partner in the join of a share: that is its 0 %.
    shares = ran[-1].arguments.get("expression") == SHARE
    noted = [each for each in ran if not (shares and "joins" in _traits(each, operations))]
    notes = [str(note) for each in noted for note in each.result.data.get("notes", ())]
    return " ".join(dict.fromkeys(f"{note.rstrip('.')}." for note in notes if note not in method))


def _by_distance(last: Done, traits: frozenset[OperationTrait], before: frozenset[OperationTrait]) -> str:
    """The column of distances, where the rows are the nearest of some or ranked by how far they are."""
    if traits >= _NEAREST:
        return "distance_m"
    ranked = str(last.arguments.get("by", "")) if "ranks" in traits else ""
    return ranked if ranked.startswith("distance_m") and before >= _NEAREST else ""


_NEAREST = frozenset(("measures_distance", "keeps_geometry"))
"""Traits of rows with the distance from each."""


def _counted(ran: Sequence[Done], operations: Sequence[OperationInfo]) -> str | None:
    """What the rows that were counted are called: ` airports`, empty where they were a selection of a table. None where
    nothing was counted.
    """
    results = {each.result.data.get("step") for each in ran}
    counting = next((each for each in reversed(ran) if "counts" in _traits(each, operations)), None)
    if counting is None:
        return None
    table = counting.arguments.get("other" if "joins" in _traits(counting, operations) else "source")
    if table in results or "filter" in counting.arguments:
        return ""
    return f" {plain(str(table).rpartition('.')[2].replace('_', ' '))}"


def _first(done: Done, found: Mapping[str, Any], counted: str | None) -> str:
    """`United States has the most airports: 12,579.`; `Mill Park and Old Town have …` where they are tied. Of a figure
    other than a count `has the greatest depth_m`.
    """
    columns, ranked = list(found["columns"]), str(done.arguments.get("by"))
    rows = [dict(zip(columns, row_values(columns, row), strict=True)) for row in found["rows"]]
    names = [next((each for column, each in row.items() if column != ranked), None) for row in rows]
    smallest = done.arguments.get("smallest")
    if ranked == "count" and counted is not None:
        most = f"{'fewest' if smallest else 'most'}{counted}"
    else:
        most = f"{'smallest' if smallest else 'greatest'} `{ranked}`"
    have = "has" if len(names) == 1 else "have"
    said = listed([plain(value(name)) for name in names])
    return f"{said} {have} the {most}: {plain(value(rows[0].get(ranked)))}."


def _distance(found: Mapping[str, Any]) -> str | None:
    """`505 km`, of the distance between two places."""
    if len(found.get("rows", ())) != 1:
        return None
    row = dict(zip(found["columns"], row_values(list(found["columns"]), found["rows"][0]), strict=True))
    metres = next((each for name, each in row.items() if name.startswith("distance_m")), None)
    if not isinstance(metres, int | float):
        return None
    return f"{metres / 1000:,.1f} km" if metres >= 1000 else f"{metres:,.0f} m"


def _total(done: Done, found: Mapping[str, Any]) -> str | None:
    """`13,508,391 (268 rows)`, of the one figure of all rows."""
    if done.arguments.get("by") or len(found.get("rows", ())) != 1:
        return None
    columns = list(found["columns"])
    row = dict(zip(columns, row_values(columns, found["rows"][0]), strict=True))
    figures = [each for name, each in row.items() if name != "count"]
    if len(figures) != 1 or not row.get("count"):
        return None
    return f"{plain(value(figures[0]))} ({count_of(row['count'], 'row')})"


def _greatest(title: str, found: Mapping[str, Any], figure_name: str) -> str:
    """`Average elevation of airports per country: Nepal has the greatest, 2,345.`; all that share it are named."""
    columns = list(found["columns"])
    rows = [row_values(columns, row) for row in found["rows"]]
    at = columns.index(figure_name)
    figure = rows[0][at]
    names = [" ".join(plain(value(each)) for each in row[:at]) for row in rows if row[at] == figure]
    have = "has" if len(names) == 1 else "have"
    return f"{title}: {listed(names)} {have} the greatest, {plain(value(figure))}."


def _left_out(part: Grouped, counted: Done | None) -> str:
    missing = counted.result.data.get("count") if counted is not None and counted.result.ok else None
    if not missing:
        return f" Grouped by the column `{part.by}`."
    return f" Grouped by the column `{part.by}`; {count_of(missing, 'row')} without one left out."


def _titles(chain: Chain) -> list[tuple[int, str]]:
    """The titles of the parts; of a part of several steps only the last one's."""
    ends = [
        part
        for part, following in zip(chain.parts, (*chain.parts[1:], None), strict=True)
        if following is None or following.said != part.said
    ]
    return list(enumerate(map(title_of, ends)))
