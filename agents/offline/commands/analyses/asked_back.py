"""Questions that have to be answered before an analysis runs: which of several tables, columns or values is meant.

The analyst sees the goal but not the conversation, so each alternative is a complete goal.
"""

from __future__ import annotations

import re

from agents.core.errors import ToolFailed
from agents.domain import Table
from agents.offline.answers import refusals
from agents.offline.commands.analyses.analysis import Chain, read_analysis
from agents.offline.language.names.dates import times_of
from agents.offline.language.reading import read
from agents.offline.meaning.columns import column_called
from agents.offline.meaning.conditions import Mention, OneOf
from agents.offline.meaning.features import Features
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.scene import Ask, Refuse, Scene
from agents.offline.meaning.steps import (
    ANY_TIME,
    VALUES_NAMED,
    AnalysisStep,
    ColumnWords,
    Grouped,
    inputs_of,
    others_of,
    related_to_all,
    steps_within,
    words_of,
)
from agents.offline.meaning.tables_meant import tables_meant


async def ask_back(scene: Scene, chain: Chain, goal: str) -> None:
    """Raise Ask, with a goal for each alternative, if a part of the chain is ambiguous."""
    for part in (step for each in chain.parts for step in steps_within(each)):
        for features in inputs_of(part):
            try:
                await _check(scene, part, features, goal)
            except Ask as ask:
                raise await _with_goals(scene, ask, features, goal) from None
            except (Refuse, ToolFailed):
                continue  # the analyst reports it, and the map records the attempt


async def _check(scene: Scene, part: AnalysisStep | Grouped, features: Features, goal: str) -> None:
    mention = features.mention
    if mention is None or features.previous or features.drawn or not mention.tables:
        return
    columns = _columns_of(part, features)
    table = scene.table_of(
        await tables_meant(scene, mention, (features.where, *columns), _others(part, features))
    )
    if features.where is not None:
        await to_cql2(scene, table, features.where)
    for column in columns:
        if column.text == ANY_TIME:
            _ask_for_time(table, goal)
        column_called(scene, table, column.text)


def _ask_for_time(table: Table, goal: str) -> None:
    """Raise Ask for the date by which rows are grouped, with a goal for each."""
    names = [each.name for each in times_of(table)]
    goals = [_PERIOD.sub(rf"\g<0> of {name}", goal, count=1) for name in names]
    question = refusals.WHICH(purpose=ANY_TIME, names=", ".join(names[:-1]), last=names[-1])
    raise Ask(question, names, goals=goals)


_PERIOD = re.compile(
    r"\b(?:decade|year|quarter|month|day of the week|weekday|hour of the day|day|hour)\b(?! of )",
    re.IGNORECASE,
)


def _others(part: AnalysisStep | Grouped, features: Features) -> list[Mention]:
    """The rows that these relate to, in the part or in the steps that make them."""
    inner = (each for made in features.made for each in inputs_of(made))
    made = [each.mention for each in inner if each.mention not in (None, features.mention)]
    return [*others_of(part, features), *(each for each in made if each is not None)]


def _columns_of(part: AnalysisStep | Grouped, features: Features) -> list[ColumnWords]:
    """The columns of these rows that the part names."""
    if isinstance(part, Grouped):
        named = [ColumnWords(part.by)] if part.by != VALUES_NAMED else []
        return [*named, *words_of(part.aggregate)]
    name = next(name for name, each in part.inputs if each is features)
    return [each for each in words_of(part.arguments) if each.of == name]


async def _with_goals(scene: Scene, ask: Ask, features: Features, goal: str) -> Ask:
    """The question with a goal for each option; unchanged if its words cannot be replaced."""
    if not ask.words or goal.count(ask.words) != 1:
        return ask
    is_rows = features.mention is not None and ask.words == features.mention.text
    goals: list[str] = []
    for option in ask.options:
        # Rows that only a column names: `average population by continent`.
        named = option if features.text or not is_rows else f"{ask.words} of {option}"
        request = goal.replace(ask.words, named)
        if await read(read_analysis, request, scene.vocabulary, scene.vocabulary.operations) is None:
            return ask
        goals.append(request)
    return Ask(ask.question, ask.options, ask.words, goals)


def refuse_unclear(part: AnalysisStep) -> None:
    """Raise Refuse for a selection that is ambiguous or not supported."""
    if (rows := related_to_all(part)) is not None:
        one = rows.text.removeprefix("all ").removeprefix("the ")
        raise Refuse(refusals.RELATED_TO_ALL(text=rows.text), refusals.SAY_ANY(text=one))
    if dict(part.arguments).get("invert"):
        _refuse_two_readings(*(features for _, features in part.inputs))


def _refuse_two_readings(source: Features, other: Features, *_: Features) -> None:
    """Raise Refuse for `countries without airports in Europe`: either may be in Europe."""
    if (
        source.where is not None
        or source.previous
        or not isinstance(other.where, OneOf)
        or other.where.how != "in"
    ):
        return
    place, noun = other.where.text, other.mention.text if other.mention is not None else other.text
    raise Refuse(
        refusals.UNCLEAR_PLACE(source=source.noun, noun=noun, place=place),
        refusals.SAY_WITHOUT(source=source.noun, place=place, noun=noun),
    )
