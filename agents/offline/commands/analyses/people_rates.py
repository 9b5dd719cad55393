"""Rates: `airports per million people`, `stores per 10,000 households in each district`, `percentage of stops with a
shelter per district`.

The divisor is a population or another count of the areas, or the number of all rows in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Column, Table
from agents.geo.wording.phrases import number
from agents.offline.commands.analyses.groups import area_column
from agents.offline.commands.analyses.rules import Context, Rules, Steps, rule
from agents.offline.language.figures import is_of_each
from agents.offline.language.lexicon import MEASURES, spelt_out
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.comments import comment_words
from agents.offline.language.names.periods import newest, of_age_in_words
from agents.offline.language.nouns import are_counts
from agents.offline.language.words import fold, name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention, Empty, Group, Negation, split_off_places
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import (
    ColumnWords,
    count_in_areas,
    first_groups_step,
    quoted,
    step,
    sum_of,
)
from agents.offline.meaning.units import unit_named

_PEOPLE = "per {amount:people}"
_PER = f"({_PEOPLE}|per [{{amount:count}}] {{each:column}})"
_OF_AREAS = "[,] <for_each> [of] {areas:bare}"
_PERCENT = "(percent|%|percentage|percentages|share)"
RULES = Rules()
on = RULES.on


@on(
    "[<what>|how many] [number of] ({source:bare}|{owned:owned}|{counted:counted})"
    f" [are there] ({_PEOPLE}|{_PER} [are there] <for_each> [of] ({{areas:areas}}|{{by:column}})"
    f"|<for_each> [of] {{areas:areas}} {_PER})",
    f"how many {{source:bare}} {_PER} (does|do) (each|every) {{areas:areas}} have",
    f"(colour|color|shade|map) [the] {{areas:named}} by [the] [number of] {{source:bare}} {_PEOPLE}",
    cost=-2.0,
)
def _rate(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The count in each area, divided by its people or by another count of the areas."""
    counted_rows = _counted_rows(bindings)
    if counted_rows is None:
        return None
    rows, figure = counted_rows
    found = _areas(bindings, rows, context)
    if not rows.named or found is None:
        return None
    areas, table, by = found
    divisor = _divisor(bindings, table)
    if divisor is None or table.column("count"):
        return None
    counted_as, heading = "count", rows.heading
    if figure is not None:
        own = context.table(rows)
        names = columns_called((own,), name_words(figure["column"].text)) if own is not None else []
        if len(names) != 1 or figure["function"] != "sum":
            return None
        # Without rows the total is 0; for rows without a value it is unknown, like a quotient by 0.
        counted_as = f"coalesce(sum_{names[0]}, 0 / (1 - sign(count)))"
        heading, figure = _heading(figure["column"].text, rows), {**figure, "name": f"sum_{names[0]}"}
    where = (
        f"by {by or areas.noun}" if by or areas.where is not None else f"of {table.name.replace('_', ' ')}"
    )
    title = f"{heading} per {_amount_text(bindings)} {where}"
    before, divided_by, note = _merged(areas, table, by, divisor) if by else ((), divisor, "")
    expression = f"{bindings.get('amount', 1):.12g} * {counted_as} / {quoted(divided_by)}"
    rate = step("calculate", RESULT, title=f"{title}{note}", name=_column(bindings), expression=expression)
    return (*before, count_in_areas(RESULT if before else areas, rows, figure), rate)


@on(
    "[<what>|how many] [number of] (people|inhabitants|residents|persons|population) per {source:bare}"
    " ([,] <for_each> [of] {areas:areas}|(in|of|for|:) {areas:place})",
    cost=-2.0,
)
def _people_per_row(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`inhabitants per airport in France and Japan`: the people of each area, divided by the number of rows there."""
    rows: Features = bindings["source"]
    found = _areas(bindings if bindings["areas"].named else {}, rows, context)
    names = measure_columns(found[1], "people") if found is not None else []
    if found is None or len(names) != 1 or not rows.named or context.table(rows) == found[1]:
        return None
    areas, name = replace(bindings["areas"], areas=True), f"people_per_{'_'.join(name_words(rows.noun))}"
    if any(found[1].column(each) is not None for each in ("count", name)):
        return None
    title = f"People per {rows.noun} of {areas.noun}"
    rate = step("calculate", RESULT, title=title, name=name, expression=f"{quoted(names[0])} / count")
    return (count_in_areas(areas, rows), rate)


def _heading(what: str, rows: Features) -> str:
    """`Hospital beds`, `Pupils of schools`."""
    of = "" if set(name_words(rows.noun)) & set(name_words(what)) else f" of {rows.noun}"
    return f"{what[:1].upper()}{what[1:]}{of}"


def _counted_rows(bindings: Mapping[str, Any]) -> tuple[Features, dict[str, Any] | None] | None:
    """The rows, and the figure to sum if they are not counted themselves."""
    if "source" in bindings:
        return bindings["source"], None
    if "owned" in bindings:
        rows, figure = bindings["owned"]
        return rows, figure
    rows, figure = bindings["counted"]
    return (rows, figure) if len(rows.mention.tables) == 1 else None


def _areas(
    bindings: Mapping[str, Any], rows: Features, context: Context
) -> tuple[Features, Table, str] | None:
    """The areas, their table, and the column by which they are merged.

    Without named areas, those that hold a population; of several, the ones for which the rows have a column.
    """
    if "by" in bindings:
        grouped = area_column(context.table(rows), name_words(bindings["by"].text), context.vocabulary)
        return (Features.of_table(grouped[0]), *grouped) if grouped is not None else None
    if "areas" in bindings:
        areas: Features = bindings["areas"]
        table = context.table(areas)
        is_known = table is not None and table.geometry_family == "polygon" and not areas.guessed
        return (areas, table, "") if table is not None and is_known else None
    known = [
        table
        for table in context.vocabulary.few_tables
        if table.geometry_family == "polygon" and len(measure_columns(table, "people")) == 1
    ]
    own = context.table(rows)
    columns = {name_words(column.name) for column in own.columns} if own is not None else set()
    known = [table for table in known if name_words(table.name) in columns] or known
    return (Features.of_table(known[0]), known[0], "") if len(known) == 1 else None


def _divisor(bindings: Mapping[str, Any], table: Table) -> str | None:
    """The only column of the areas that holds the divisor."""
    if "each" not in bindings:
        names = measure_columns(table, "people")
        return names[0] if len(names) == 1 else None
    words = name_words(bindings["each"].text)
    unit = unit_named(*words, "") if len(words) == 1 else None
    if unit is not None and unit[0].dimension == "people":
        return None  # people are requested without a column
    names = columns_called((table,), words)
    column = table.column(names[0]) if len(names) == 1 else None
    is_count = column is not None and are_counts((table,), (column.name,)) and not is_of_each(column)
    return column.name if column is not None and is_count and column.name not in table.key else None


def _merged(areas: Features, table: Table, by: str, divisor: str) -> tuple[Steps, str, str]:
    """The areas merged by value, the column with the total to divide by, and a note for the title: rows in areas
    without a value are left out."""
    figures = [sum_of(divisor), {"function": "count", "name": table.name}]  # `count` is that of the rows
    column, note = table.column(divisor), ""
    if column is not None and column.nullable:
        is_known = Negation(Empty(ColumnMention(divisor, (divisor,)), unknown=True, calculated=True))
        areas, note = replace(areas, where=is_known), f", of {areas.noun} with a value of {divisor}"
    title = f"{areas.heading} by {by}{note}"
    dissolved = step("dissolve", areas, title=title, by=[ColumnWords(by)], aggregates=figures)
    return (dissolved,), f"sum_{divisor}", note


@on(f"(how many|<what>) {{source:rows}} [,] (in|as) [a] {_PERCENT} {_OF_AREAS}", cost=0.5)
@on(f"(how many|<what>) {{source:rows}} {_OF_AREAS} [,] (in|as) [a] {_PERCENT}", cost=0.5)
@on(f"(<what>|what|which) <share> of [the|all] {{source:rows}} {_OF_AREAS}", cost=0.5)
def _share_in_areas(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The percentage of the rows in each area that pass their condition."""
    rows, areas = bindings["source"], bindings["areas"]
    of_rows, table = context.table(rows), context.table(areas)
    where, among = split_off_places(rows.where)
    is_sure = not (rows.guessed or areas.guessed or rows.made or rows.drawn)
    if where is None or table is None or of_rows is None or table.geometry_family != "polygon" or not is_sure:
        return None
    is_unclear = isinstance(where, Group) and where.op == "and"  # which conditions are on the whole
    if is_unclear or any(table.column(name) is not None for name in ("count", "part", "percent")):
        return None
    part = step(
        "spatial_join", areas, ("other", rows), predicate="shares_interior",
        aggregates=[{"function": "count", "name": "part"}],
    )  # fmt: skip
    title = f"Percentage of {rows.text} in each {areas.noun}"
    whole = count_in_areas(RESULT, replace(rows, where=among, text=of_rows.name))
    percent = step("calculate", RESULT, title=title, name="percent", expression="100 * part / count")
    return part, whole, percent


@on(
    f"<ask> how=(top|bottom) [{{n:count}}] {{areas:named}} by [the] [number of] {{source:bare}} {_PER}",
    cost=-2.0,
)
def _greatest(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which country has the most airports per capita?`"""
    found = _rate(bindings, context)
    if found is None:
        return None
    title = found[-1].title
    rate, limit, by = title[:1].lower() + title[1:], bindings.get("n") or 1, _column(bindings)
    how = {"top": "most", "bottom": "fewest"}.get(bindings["how"], bindings["how"])
    return (*found, first_groups_step(bindings["areas"].noun, how, rate, by, limit))


_HIGHEST = "how=(highest|greatest|largest|biggest|lowest|smallest)"
_SHARE = "<share> of [the] {what:column}"
_LIVING = "(population|people|inhabitants|residents) [that|who] [lives|live|living|is|are] in [the]"


@on(
    f"[<ask>|<what>] [the] [{{n:count}}] {{areas:bare}} (with|having) [the] {_HIGHEST} {_SHARE}",
    f"(which|what) [{{n:count}}] {{areas:bare}} (has|have) [the] {_HIGHEST} {_SHARE}",
    f"<ask> how=(top|bottom) {{n:count}} {{areas:bare}} by [the] {_SHARE}",
    f"(colour|color|shade|fill|map) [the] {{areas:bare}} by [the] {_SHARE}",
    f"[<what>] {_SHARE} <for_each> {{areas:bare}}",
)
def _share_of_people(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`5 villages with the highest share of SC population`, `share of under 18s by district`: of the people of each
    area, unless a column holds it."""
    areas, what, how = bindings["areas"], bindings["what"].text, bindings.get("how", "")
    table = context.table(areas)
    if table is None or areas.guessed or table.column("percent") is not None:
        return None
    parts = of_age_in_words(table, what) or columns_called((table,), name_words(what))
    wholes = newest(columns_called((table,), ("population",)))
    part, whole = (table.column(each[0]) if len(each) == 1 else None for each in (parts, wholes))
    if part is None or whole is None or part == whole or is_of_each(part) or not _are_people(part):
        return None
    title = f"Percentage of {part.name} in {whole.name} of {areas.noun}"
    expression = f"100 * {quoted(part.name)} / {quoted(whole.name)}"
    shares = step("calculate", areas, title=title, name="percent", expression=expression)
    if not how:
        return (shares,)
    words, most = f"percentage of {part.name} in {whole.name}", {"top": "highest", "bottom": "lowest"}
    return (
        shares,
        first_groups_step(areas.noun, most.get(how, how), words, "percent", bindings.get("n") or 1),
    )


@on(
    f"[<what>|what|which] <share> of [the|all] {_LIVING} {{source:rows}} <for_each> [of] {{areas:rows}}",
    f"{_LIVING} {{source:rows}} as [a] <share> of [the] [total] population <for_each> [of] {{areas:rows}}",
    cost=-1.0,
)
def _share_living_in(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`share of the population living in cities by country`: the people of the cities, of those of each country."""
    rows, areas = bindings["source"], bindings["areas"]
    own, table = context.table(rows), context.table(areas)
    if own is None or table is None or own == table or table.geometry_family != "polygon" or rows.guessed:
        return None
    parts, wholes = measure_columns(own, "people"), measure_columns(table, "people")
    if len(parts) != 1 or len(wholes) != 1 or areas.guessed or table.column("percent") is not None:
        return None
    title = f"Percentage of the population living in {rows.text} by {areas.noun}"
    name = f"sum_{parts[0]}"
    expression = f"100 * {quoted(name)} / {quoted(wholes[0])}"
    percent = step("calculate", RESULT, title=title, name="percent", expression=expression)
    return (count_in_areas(areas, rows, {**sum_of(parts[0]), "name": name}), percent)


def _are_people(column: Column) -> bool:
    words = spelt_out(column.name) | comment_words(column.comment)
    return is_number(column) and not words.isdisjoint(MEASURES["people"])


def _column(bindings: Mapping[str, Any]) -> str:
    return f"per_{fold(_amount_text(bindings)).replace(',', '').replace(' ', '_')}"


def _amount_text(bindings: Mapping[str, Any]) -> str:
    amount = bindings.get("amount", 1)
    if "each" in bindings:
        return bindings["each"].text if amount == 1 else f"{number(amount)} {bindings['each'].text}"
    return {1.0: "person", 1e6: "million people"}.get(amount, f"{number(amount)} people")


RULES += (
    *(
        rule(
            "(which|what) [{n:count}] {areas:named} (has|have) [the]"
            " how=(most|fewest|highest number of|lowest number of)"
            f" {{source:bare}} {_PER}{ending}",
            _greatest,
            cost,
        )
        for ending, cost in (("", -2.0), (" [,|?|.] [the] top {n:count}", -3.0))
    ),
)
