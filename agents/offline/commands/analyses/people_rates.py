"""How many rows there are for so many people: `airports per million people`, `which country has the most airports per
capita?`"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.geo.phrases import number
from agents.offline.commands.analyses.rules import Context, Steps, rule
from agents.offline.language.column_names import columns_called, measure_columns
from agents.offline.language.words import name_words
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import count_in_areas, first_groups_step, step


def _rate(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """Counted in each area, by the people who live there."""
    counted_rows = _counted_rows(bindings, context)
    if counted_rows is None:
        return None
    rows, figure = counted_rows
    areas = bindings.get("areas") or _areas_of(rows, context)
    if not rows.named or areas is None or areas.guessed:
        return None
    table = context.table(areas)
    people = measure_columns(table, "people") if table is not None else []
    if table is None or table.geometry_family != "polygon" or len(people) != 1 or table.column("count"):
        return None
    amount = bindings["amount"]
    name = _column(amount)
    counted_as, heading = "count", rows.heading
    if figure is not None:
        own = context.table(rows)
        names = columns_called((own,), name_words(figure["column"].text)) if own is not None else []
        if len(names) != 1 or figure["function"] != "sum":
            return None
        counted_as, heading = f"coalesce(sum_{names[0]}, 0)", _heading(figure["column"].text, rows)
    where = f"by {areas.noun}" if areas.where is not None else f"of {table.name.replace('_', ' ')}"
    title = f"{heading} per {_amount_text(amount)} {where}"
    expression = f"{amount:.12g} * {counted_as} / {people[0]}"
    rate = step("calculate", RESULT, title=title, name=name, expression=expression)
    return (count_in_areas(areas, rows, figure), rate)


def _heading(what: str, rows: Features) -> str:
    """`Hospital beds`, `Pupils of schools`."""
    of = "" if set(name_words(rows.noun)) & set(name_words(what)) else f" of {rows.noun}"
    return f"{what[:1].upper()}{what[1:]}{of}"


def _counted_rows(
    bindings: Mapping[str, Any], context: Context
) -> tuple[Features, dict[str, Any] | None] | None:
    """The rows, and what is summed up of them where they are not counted themselves."""
    if "source" in bindings:
        return bindings["source"], None
    if "owned" in bindings:
        rows, figure = bindings["owned"]
        return rows, figure
    rows, figure = bindings["counted"]
    return (rows, figure) if len(rows.mention.tables) == 1 else None


def _areas_of(rows: Features, context: Context) -> Features | None:
    """The areas that know how many people live there: of several those that the rows have a column of."""
    known = [
        table
        for table in context.vocabulary.few_tables
        if table.geometry_family == "polygon" and len(measure_columns(table, "people")) == 1
    ]
    own = context.table(rows)
    columns = {name_words(column.name) for column in own.columns} if own is not None else set()
    known = [table for table in known if name_words(table.name) in columns] or known
    if len(known) != 1:
        return None
    return Features.of_table(known[0])


def _greatest(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which country has the most airports per capita?`"""
    found = _rate(bindings, context)
    if found is None:
        return None
    rate = found[1].title[:1].lower() + found[1].title[1:]
    limit = bindings.get("n") or 1
    by = _column(bindings["amount"])
    return (*found, first_groups_step(bindings["areas"].noun, bindings["how"], rate, by, limit))


def _column(amount: float) -> str:
    return f"per_{_amount_text(amount).replace(',', '').replace(' ', '_')}"


def _amount_text(amount: float) -> str:
    return {1.0: "person", 1e6: "million people"}.get(amount, f"{number(amount)} people")


_PER = "per {amount:people}"
RULES = (
    *(
        rule(f"[<what>] [number of] {rows} {rest}", _rate, -2.0)
        for rows in ("{source:bare}", "{owned:owned}", "{counted:counted}")
        for rest in (f"{_PER} [<for_each> [of] {{areas:areas}}]", f"<for_each> [of] {{areas:areas}} {_PER}")
    ),
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
