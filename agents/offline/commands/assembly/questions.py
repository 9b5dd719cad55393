"""Reads a question about one table from pieces in any order: `what did we pay in total, per cause of loss?`

The pieces must cover every word and fit together in exactly one way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.rules import Context, Steps
from agents.offline.commands.assembly.asked import COUNT, Asked
from agents.offline.commands.assembly.changes import changed, of_two_years
from agents.offline.commands.assembly.charted import charted, charted_groups
from agents.offline.commands.assembly.computed import (
    cost_of_some_people,
    counted_with,
    measured,
    of_all,
    of_all_people,
    of_both_years,
    without_implied,
)
from agents.offline.commands.assembly.fitting import (
    are_values,
    compares_areas,
    is_of_others,
    likely_tables,
    may_be_groups,
    named_tables,
    names_no_fact,
)
from agents.offline.commands.assembly.groups import (
    aged_people,
    by_several,
    first_groups,
    grouped,
    named_several,
    of_each_value,
    several_figures,
)
from agents.offline.commands.assembly.order import called, columns_in
from agents.offline.commands.assembly.piece import Piece, covers
from agents.offline.commands.assembly.pieces import PiecesOfTable
from agents.offline.commands.assembly.quotients import density_of_groups, rates
from agents.offline.commands.assembly.shown import coloured, shown
from agents.offline.language.cursor import Cursor
from agents.offline.language.figures import add_up_pieces
from agents.offline.language.lexicon import SHOW, STATISTICS
from agents.offline.language.reading import Ambiguous
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_plural
from agents.offline.meaning import intents as i
from agents.offline.meaning.conditions import MOST_FIRST, OneOf, Top, parts_of, without_wording
from agents.offline.meaning.features import Features
from agents.offline.meaning.scene import chosen_option

SAME_COST = 0.3
"""Readings whose costs differ by less are equally likely."""
MOST_LISTED = 20
"""Length of a list without a number."""
_PRONOUNS = frozenset(("it", "them", "these", "those", "they", "ones"))
_HAVE = re.compile(
    r"(?:and )?how many (?:of (?:them|these|those) )?(?:have|has|had) (?!(?:we|you|they|been)\b)"
)
"""Rows of another table that these have, which are not counted themselves."""
Meaning = Steps | i.Intent


def read_question(
    cursor: Cursor, vocabulary: Vocabulary, spoken_of: Table | None = None, *, goes_on: bool = False
) -> Meaning | None:
    """The meaning of the rest of the request, with the cursor at its end; None without moving the cursor if it is not
    a question about one table. `spoken_of`: the table of `them`. `goes_on`: another command precedes, so unnamed rows
    are `them` too. Raises Ambiguous."""
    start = cursor.at
    if _asks_which_were_meant(cursor.words[start : cursor.end]):
        return None
    found = _meanings(cursor, vocabulary, start, spoken_of, goes_on)
    cursor.at = start
    if not found:
        return None
    least = min(cost for cost, _, _ in found)
    likely: dict[str, Meaning] = {}
    for cost, name, meaning in found:
        known = map(without_wording, likely.values())
        if cost < least + SAME_COST and without_wording(meaning) not in known:
            likely[name if name not in likely else f"{name}, by {columns_in(meaning)}"] = meaning
    cursor.at = cursor.end
    chosen = next(iter(likely)) if len(likely) == 1 else chosen_option([*likely], cursor.meant)
    if chosen is None and cursor.words[start] in SHOW:
        chosen = _map_rather_than_list(likely)
    if chosen is None:
        raise Ambiguous(likely)
    return likely[chosen]


def _map_rather_than_list(likely: Mapping[str, Meaning]) -> str | None:
    """`show me the shops in Near North Side`: the map, if all other meanings are lists."""
    maps = [name for name, meaning in likely.items() if isinstance(meaning, i.Show)]
    is_sure = len(maps) == 1 and all(isinstance(each, i.Show | i.Rows) for each in likely.values())
    return maps[0] if is_sure else None


def _asks_which_were_meant(words: Sequence[str]) -> bool:
    """Whether the question is `which playgrounds were those?`: rows of another table related to the previous ones."""
    last = [word for word in words if word not in ("?", "!", ".")][-2:]
    return len(last) > 1 and last[0] in ("are", "were") and last[1] in ("these", "those")


def _meanings(
    cursor: Cursor, vocabulary: Vocabulary, start: int, spoken_of: Table | None, goes_on: bool
) -> list[tuple[float, str, Meaning]]:
    """All meanings for the tables that are named; if there are none, for other likely tables."""
    named = named_tables(cursor, vocabulary, start)
    if _HAVE.match(" ".join(cursor.words[start : cursor.end])):
        return _of_table(cursor, vocabulary, spoken_of, start) if spoken_of in named and spoken_of else []
    if not named and spoken_of is not None and (goes_on or set(cursor.words[start:]) & _PRONOUNS):
        return _of_table(cursor, vocabulary, spoken_of, start, pronouns=True, goes_on=goes_on)
    found = [each for table in named for each in _of_table(cursor, vocabulary, table, start, goes_on=goes_on)]
    if found or goes_on:
        return found
    others = [each for each in likely_tables(cursor, vocabulary, start) if each not in named]
    others = [each for each in others if vocabulary.show_part((each.id,))] or others  # on the map
    return [each for table in others for each in _of_table(cursor, vocabulary, table, start)]


def _of_table(
    cursor: Cursor,
    vocabulary: Vocabulary,
    table: Table,
    start: int,
    *,
    pronouns: bool = False,
    goes_on: bool = False,
) -> list[tuple[float, str, Meaning]]:
    """The meanings for one table. `pronouns`: the rows are `them`; analyses are read without the conversation."""
    cursor.at = start
    pieces = PiecesOfTable(cursor, vocabulary, table, pronouns=pronouns)
    context = Context(vocabulary, lambda mention: vocabulary.tables(mention.tables))
    found: list[tuple[float, str, Meaning]] = []
    in_part = vocabulary.show_part((table.id,))
    for cost, way in covers(start, cursor.end, pieces.at):
        if found and cost > found[0][0] + SAME_COST:
            break
        asked = Asked(table, way)
        if not asked.is_joined:
            continue
        asked = without_implied(asked.without("them")).with_numbers().with_alternatives().with_amount()
        if not asked.has("rows") and goes_on and pronouns:
            asked = asked.of_them()
        asked = asked.without("ratio") if asked.has("per") else asked
        if asked.figure_is_fixed or asked.has("yearly", "ratio"):
            continue
        # Unnamed rows may be those that the map shows, or those mentioned before.
        is_sure = asked.has("rows") or not (in_part or goes_on or pronouns)
        meaning = _interpret(asked, context) if is_sure else None
        meaning = of_all_people(meaning, asked, vocabulary)
        if isinstance(meaning, i.Analyse):
            form = asked.all("chart")[0]
            goal = cursor.written((start, form.begin), (form.end, cursor.end))
            meaning = replace(meaning, goal=goal.strip(" ,"))
        if meaning is not None and not (pronouns and isinstance(meaning, tuple)):
            found.append((cost + cost_of_some_people(asked), called(meaning, asked), meaning))
    return found


# --- what the pieces mean together ---------------------------------------------------------------------------


def _interpret(asked: Asked, context: Context) -> Meaning | None:
    if asked.has("both") and not asked.has("chart"):
        return of_both_years(asked)
    if len(asked.all("figure")) > 1:
        return several_figures(asked)
    if asked.has("split", "over time") and not asked.has("chart"):
        return None
    if asked.has("chart"):
        return charted(asked) or charted_groups(asked, context)
    if asked.has("look"):
        return shown(asked, context.vocabulary)
    if asked.has("change"):
        return changed(asked) or of_two_years(asked, context)
    if asked.has("per") and not asked.has("group"):
        return rates(asked)
    if (density := density_of_groups(asked)) is not None:
        return density
    if asked.has("whose"):
        return first_groups(asked)
    if asked.has("groups"):
        return by_several(asked, context)
    if asked.has("group"):
        return grouped(asked, context) or several_figures(asked)
    if asked.has("does"):
        return None
    if asked.has("between"):
        return of_all(asked)
    if asked.has("share"):
        return _share(asked)
    if asked.has("count") and asked.has("figure"):
        return counted_with(asked)
    if asked.has("measured"):
        return measured(asked)
    if asked.has("figure", "count", "amount"):
        return _figure(asked)
    if asked.has("draw") and not asked.has("table", "ask"):
        return shown(asked, context.vocabulary) or coloured(asked)
    meant = _rows(asked) or shown(asked, context.vocabulary)
    return None if meant is not None and has_doubts(meant, context.vocabulary) else meant


def _share(asked: Asked) -> Meaning | None:
    """`what share of the claims in zone AE was denied`, `which share of the total pipe length is clay`."""
    if (aged := aged_people(asked)) is not None:
        return aged or None
    both, unit, columns = asked.share(), asked.one("unit"), asked.all("column")
    if both is None or both[0] is None or (unit is not None and unit.value.dimension != "share"):
        return None
    if not asked.only("share", "rows", "condition", "and", "unit", "table", "column", "figure"):
        return None
    if not columns:
        return i.Count(asked.mention, both[0], share=True, among=both[1]) if not asked.has("figure") else None
    figure = asked.figure()
    if (
        figure is None
        or figure["function"] != "sum"
        or both[1] is not None
        or _is_adjective(asked, columns[0])
    ):
        return None
    return i.Statistic("sum", columns[0].value, asked.mention, both[0], share=True)


def _is_adjective(asked: Asked, column: Piece) -> bool:
    """Whether the word for a column directly precedes the noun: `rented flats`, with a column of rents."""
    rows = None if asked.mention.pronoun else asked.one("rows")
    return rows is not None and column.end == rows.begin == rows.end - len(rows.text.split())


_OF_EACH = ("mean", "median", "minimum", "maximum")
"""Figures that are given per value if several values are named; a total covers all."""


def _figure(asked: Asked) -> Meaning | None:
    """`how many claims are open`, `what did we pay for them in total`."""
    if not asked.only(
        "figure", "count", "amount", "rows", "condition", "and", "column", "unit", "table", "draw"
    ):
        return None
    if any(each.value not in ("show",) for each in asked.all("draw")):
        return None
    figure, unit = asked.figure(), asked.one("unit")
    if figure is None or (unit is not None and unit.value.dimension == "share"):
        return None
    if figure == COUNT:
        if asked.has("rows") and asked.has("count") and unit is None:
            return i.Count(asked.mention, asked.where)
        return None
    what = {"min": "minimum", "max": "maximum"}.get(figure["function"], figure["function"])
    if what in _OF_EACH and unit is None and named_several(asked.where):
        return of_each_value(asked, figure)
    column = asked.all("column")[0].value
    return i.Statistic(what, column, asked.mention, asked.where, unit.value if unit is not None else None)


def _rows(asked: Asked) -> i.Intent | None:
    """`which ten claims had the largest damage? give me the number and the cause`: sorted rows with columns."""
    ranks = ("top", "order", "number", "same", "most")
    if not asked.only(
        "rows", "condition", "and", "column", "table", "draw", "with", "ask", "unit", *ranks
    ) or not asked.has("rows"):
        return None
    unit = asked.one("unit")
    if asked.has(*ranks):
        top, rest = _ranking(asked)
        if top is None or (asked.has("same") and top.column is None):
            return None
        if any(each.is_of_another and not asked.is_listed(each) for each in rest):
            return None  # `the largest city of their country`
    else:
        top, rest = None, asked.all("column")
        adjectives = [each for each in rest if _is_adjective(asked, each)]  # `planned outages`, a flag
        listed = all(map(asked.is_listed, rest)) if rest else asked.where is not None
        if unit is not None or not listed or adjectives or not asked.has("ask", "table", "with"):
            return None
    shown = tuple(dict.fromkeys(name for each in rest for name in each.value.columns))
    limit = MOST_LISTED if top is None or not top.limit else top.limit
    if top is not None and unit is not None:
        top = replace(top, unit=unit.value)
    return i.Rows(asked.mention, asked.where, top, limit, shown, wording=tuple([each.text for each in rest]))


def _ranking(asked: Asked) -> tuple[Top | None, list[Piece]]:
    """The ranking of the rows, and the columns that are only shown."""
    columns, (top, order, most, number, rows) = (
        asked.all("column"), map(asked.one, ("top", "order", "most", "number", "rows")),
    )  # fmt: skip
    if sum(each is not None for each in (top, order, most)) != 1 or rows is None:
        return None, []
    if top is not None:
        ranked = next((each for each in columns if each.begin == top.end), None)
        is_beside = top.end == rows.begin or top.begin >= rows.end
        if ranked is None and not (is_beside and top.value.measure):
            return None, []
        if number is not None and asked.mention.pronoun and rows.end == number.begin < top.begin - 1:
            return None, []  # `which of these three is the largest`: the number of rows
        limit = number.value if number is not None else top.value.limit
        if number is None and limit == 1 and is_plural(asked.noun.lower()) and not asked.mention.is_those:
            limit = MOST_FIRST
        ranking = replace(top.value, limit=limit, column=ranked.value if ranked is not None else None)
    elif order is not None and isinstance(order.value, Top):
        ranked, ranking = None, replace(order.value, limit=number.value if number is not None else 0)
    elif order is not None and len(columns) == 1:
        ranked = columns[0]
        ranking = Top(number.value if number is not None else 0, order.value, ranked.value, word="sorted")
    elif most is not None and len(columns) and columns[0].begin == most.end:
        ranked = columns[0]
        descending = "most" in most.value.split()
        ranking = Top(number.value if number is not None else 1, descending, ranked.value)
    else:
        return None, []
    if ranked is not None and (
        not _are_ordered(asked, ranked) or (order is None and _are_pieces(asked, ranked))
    ):
        return None, []
    return ranking, [each for each in columns if each is not ranked]


def _are_pieces(asked: Asked, column: Piece) -> bool:
    own = () if asked.mention.pronoun else (asked.table,)
    return add_up_pieces(own, asked.noun, column.value.columns, column.text)


def _are_ordered(asked: Asked, column: Piece) -> bool:
    own: Sequence[Any] = [asked.table.column(name) for name in column.value.columns]
    return all(each is not None and each.kind in ("integer", "number", "date", "timestamp") for each in own)


_ASKS_AGAIN = re.compile(
    r"\b(?:and|then|also|[,;.?]) +(?:what|how|which|who|show|draw|map|list)\b", re.IGNORECASE
)


def asks_more(intents: Sequence[i.Intent], text: str) -> bool:
    """Whether the second command depends on the first: a figure of groups or of their table (`total beds and average
    budget by kind`), a condition after a question (`how many trees, leaving out oaks`), or a count of listed rows
    (`valves closed - how many?`)."""
    if len(intents) < 2:
        return False
    first, second = intents[:2]
    if isinstance(first, i.Statistic | i.Count) and isinstance(intents[-1], i.Analyse):
        return first.where is None and not first.subject.pronoun and not _ASKS_AGAIN.search(text)
    if isinstance(second, i.Chart) and second.subject.pronoun:
        return not second.columns  # `crashes per month, line chart`
    counts = isinstance(second, i.Count) and second.subject.pronoun  # `trees by species, cnt`
    if isinstance(first, i.Analyse):
        return isinstance(second, i.Statistic) or counts
    if isinstance(first, i.Show) and (first.look.by is not None or text.startswith(first.subject.text)):
        return counts
    if isinstance(first, i.Rows) and isinstance(second, i.Statistic) and re.search(r"\btable\b", text):
        return second.subject.pronoun  # `table of stations with capacity and number of pumps`
    if isinstance(first, i.Rows) and isinstance(second, i.Rows) and second.subject.pronoun:
        return bool(first.top is not None and second.columns)
    alone = isinstance(second, i.Refine) and second.subject is None
    return alone and isinstance(first, i.Count | i.Statistic | i.Rows)


def has_doubts(meant: Any, vocabulary: Vocabulary) -> bool:
    """Whether a lower-case word was taken for a value or place without being known as one."""
    if isinstance(meant, i.Statistic) and meant.what in _OF_EACH and named_several(meant.where):
        return True
    if isinstance(meant, i.Lookup) and meant.others and set(meant.words.lower().split()) & STATISTICS.keys():
        return True  # `compare the total population of Orleans and Jefferson`: may be values of several rows
    if (
        isinstance(meant, i.Lookup)
        and meant.others
        and not meant.total
        and may_be_groups(meant.of, vocabulary)
    ):
        return True
    if isinstance(meant, i.Count) and compares_areas(meant, vocabulary):
        return True  # `complaints in Lake View vs West Town`
    if isinstance(meant, i.Lookup) and meant.words and not meant.rows and names_no_fact(meant, vocabulary):
        return True  # `crashes per month in 2024, line chart`
    said = [each for each in parts_of(meant) if isinstance(each, OneOf)]
    texts = [each.text for each in said]
    if any(each.how in ("of", "in") and is_of_others(each.text, meant, vocabulary) for each in said):
        return True
    texts += [each.place for each in parts_of(meant) if isinstance(each, Features)]
    texts += [
        text for each in parts_of(meant) if isinstance(each, i.Lookup) for text in (each.of, *each.others)
    ]
    bare = (each.removeprefix("the ") for each in texts)
    return any(each[:1].islower() and not are_values(each, vocabulary) for each in bare)
