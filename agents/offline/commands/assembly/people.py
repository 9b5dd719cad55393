"""Questions about the people of a place: all people live in areas, only some of them in cities."""

from __future__ import annotations

from agents.offline.commands.analyses.rules import Steps
from agents.offline.commands.assembly.asked import Asked
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning import intents as i
from agents.offline.meaning.conditions import OneOf
from agents.offline.meaning.individuals import have_areas_of_people

SOME_PEOPLE = 1.0
"""Cost of summing people of places."""


def cost_of_some_people(asked: Asked) -> float:
    """The cost of reading a question that names no rows as one about the people of points."""
    some = asked.table.geometry_family != "polygon" and _counts_people(asked)
    return SOME_PEOPLE if some else 0.0


def of_all_people(
    meaning: Steps | i.Intent | None, asked: Asked, vocabulary: Vocabulary
) -> Steps | i.Intent | None:
    """The meaning; a sum or share of the people in a place is looked up in areas, if a table of areas has people."""
    if not isinstance(meaning, i.Statistic) or meaning.what != "sum" or not _counts_people(asked):
        return meaning
    if not have_areas_of_people(vocabulary.few_tables):
        return meaning
    if isinstance(meaning.where, OneOf) and meaning.where.how == "in":
        return i.Lookup("population", meaning.where.text, share=meaning.share, unit=meaning.unit)
    return meaning if asked.table.geometry_family == "polygon" else None


def _counts_people(asked: Asked) -> bool:
    """Whether the question names no rows, and a column with their people."""
    people = set() if asked.has("rows") else set(measure_columns(asked.table, "people"))
    return any(people & set(each.value.columns) for each in asked.all("column"))
