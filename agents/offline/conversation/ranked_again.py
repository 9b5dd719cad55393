"""Rankings that name no column or no rows: `top five`, `which had the most`, `sort by total`, `which month had the
most`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from agents.domain import Table
from agents.offline.conversation.memory import Rows
from agents.offline.conversation.pieces import ENDS, message, one_of
from agents.offline.conversation.spoken import COUNTS, Again, Spoken, message_about_rows, number_of
from agents.offline.language.conditions.verbs import records
from agents.offline.language.lexicon import MEASURES, STATISTICS, SUPERLATIVES
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.cql2 import columns_in, conjunction, conjuncts, is_null

_OPENER = r"(?:(?:and|now|ok|okay|then|just|only|please|show(?: me)?|list|give me)\b,? )*"
_MOST = {"top": "highest", "highest": "highest", "largest": "highest", "greatest": "highest", "biggest": "highest",
         "most": "highest", "bottom": "lowest", "lowest": "lowest", "smallest": "lowest", "fewest": "lowest",
         "least": "lowest"}  # fmt: skip
_NUMBERED = one_of([each for each in _MOST if each not in ("most", "fewest", "least")])
_RANKED = re.compile(
    rf"{_OPENER}(?:the )?(?:(?P<how>{_NUMBERED}) (?P<n>{COUNTS})|(?P<m>{COUNTS}) (?P<most>{_NUMBERED}))"
    r"(?: ones| of (?:them|these|those))?(?:,? (?:as|in) an? (?:table|list))?\W*",
    re.IGNORECASE,
)
_OTHER_END = {
    "top": "bottom", "highest": "lowest", "largest": "smallest", "greatest": "smallest", "biggest": "smallest",
    "most": "fewest",
}  # fmt: skip
_OTHER_END |= {last: first for first, last in _OTHER_END.items()}
_ENDS = one_of([*_OTHER_END])
_FIRST_RANKED = re.compile(
    rf"\b(?:(?P<how>{_ENDS}) )?(?P<n>{COUNTS})(?(how)| (?:\w+ ){{0,4}}?(?P<most>{_ENDS}))\b", re.IGNORECASE
)
_SINGLE = re.compile(
    r"(?:and )?(?:(?:which|what|who)(?: one| of (?:them|these|those))? (?:has|have|had|is|was|got)|what['’]?s)"
    r" (?:the )?(?P<most>most|highest|lowest|fewest|least)(?: one)?\W*",
    re.IGNORECASE,
)
_BY = re.compile(rf"{_OPENER}by (?:the |their )?(?P<by>[^?,]+?)\W*", re.IGNORECASE)
_BY_SIZE = ("largest", "greatest", "biggest", "smallest")
"""Words that may mean the size of shapes, and not the column of the colours."""
_BY_NUMBERS = ("graduated", "proportional")


@message_about_rows(
    r"(?:and )?which(?: one)?(?: of (?:them|these|those))? ha(?:s|ve) (?:the )?(?P<most>most|fewest|least)"
    r" (?P<others>[^?]+?)"
)
def most_inside(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`which of these has the fewest stops` after areas were drawn: the area with the fewest rows of another table."""
    layer = spoken.layer
    if layer is None or table.geometry_family != "polygon":
        return
    others = spoken.vocabulary.match_table(name_words(asked["others"]))
    if others is not None and not spoken.vocabulary.columns_called((table,), asked["others"]):
        yield Again(f"which of the layer `{layer.id}` has the {asked['most']} {asked['others']}")


_HAS_MOST = r"(?:which|what) [^?]+? (?:has|had|have)(?: the)? (?:most|fewest|least) (?P<rows>[^?,]+?)"
_HAS_MOST += rf"(?P<where> {ENDS}[^?,]*?)?\W*"


@message(
    r"(?:(?:and|now|then|please|ok) )*(?:show|list|map|display|draw|see|give)(?: me)?"
    r" (?:those|these|their|its) (?P<rows>[^?,]+?)(?: (?:on|in) (?:the|a) (?:map|table|list))?"
)
def rows_of_first(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`show those accidents` after `which road has the most accidents`: the accidents of that road."""
    first, before = spoken.memory.first, re.fullmatch(_HAS_MOST, spoken.memory.question_text, re.IGNORECASE)
    if first and before is not None and name_words(before["rows"]) == name_words(asked["rows"]):
        yield Again(f'show the {asked["rows"]} of "{first}"{before["where"] or ""}')


@message(
    rf"(?P<opener>(?:(?:and|now|ok|okay|then|please|show(?: me)?|list|give me)\b,? )*)(?:the )?"
    rf"(?:(?P<how>{one_of([*SUPERLATIVES])}) (?P<n>{COUNTS})|(?P<m>{COUNTS}) (?P<most>{one_of([*SUPERLATIVES])}))"
    r"(?: ones)?"
)
def _other_end(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`and the 5 cheapest`, `and the bottom 5` after `top 5 wards by median price`: the last of all that were ranked,
    not of the first ones, which alone a result holds."""
    before, rows = spoken.memory.ranking, spoken.memory.rows
    ranked = _FIRST_RANKED.search(before)
    if ranked is None or (rows is not None and rows.sort):
        return
    word, number = (asked["how"] or asked["most"]).lower(), number_of(asked["n"] or asked["m"])
    own = (ranked["how"] or ranked["most"]).lower()
    measure, is_greatest = SUPERLATIVES[word]
    is_same = word in _OTHER_END or not {*name_words(before)}.isdisjoint(MEASURES.get(measure, ()))
    is_of_all = asked["opener"] or int(number) >= int(number_of(ranked["n"]))
    if is_same and is_of_all and is_greatest != SUPERLATIVES.get(own, ("", own == "most"))[1]:
        text = ranked[0].replace(ranked["n"], number, 1)
        yield Again(before.replace(ranked[0], re.sub(rf"(?i)\b{own}\b", _OTHER_END[own], text), 1), only=True)


_SLOW = {"slowest": "", "fastest": ", lowest first", "quickest": ", lowest first"}


@message(rf"(?:and )?which (?P<by>\w+(?: \w+)??) (?:is|are|was) (?:the )?(?P<how>{one_of([*_SLOW])})")
def _slowest_group(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`which trade is slowest` after `how long does a repair take`: the times by trade."""
    before = spoken.memory.question_text.rstrip(" ?")
    if (
        re.match(r"(?:how long|average (?:time|days|duration))\b", before, re.IGNORECASE)
        and " by " not in before
    ):
        yield Again(f"{before} by {asked['by']}{_SLOW[asked['how'].lower()]}", spoken.memory.of_rows)


def ranked_first(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`just the top 3`, `and by cars?` after a ranking; `which has the lowest` after a layer coloured by numbers."""
    for rule in (_other_end, _slowest_group):
        yield from rule(spoken, asked_now) or ()
    rows, by = spoken.memory.rows, _BY.fullmatch(asked_now)
    if rows is not None and rows.sort:
        yield from ranked(spoken, asked_now)
        table = spoken.table
        if by is not None and table is not None and spoken.vocabulary.columns_called((table,), by["by"]):
            most = "highest" if rows.descending else "lowest"
            yield Again(f"which {rows.number} of them have the {most} {by['by']}", _ranked_of(rows))
    elif (
        rows is None
        and _SINGLE.fullmatch(asked_now)
        and spoken.layer is not None
        and not _is_of_figures(spoken)
    ):
        yield from ranked(spoken, asked_now)


def _is_of_figures(spoken: Spoken) -> bool:
    table = spoken.vocabulary.table(spoken.layer.table) if spoken.layer is not None else None
    return table is not None and table.is_result


def ranked(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`top five`, `now lowest five`, `which had the most` after a ranking, a layer coloured by numbers, or rows with a
    condition on one number: by the same column, of all rows."""
    asked, single = _RANKED.fullmatch(asked_now), _SINGLE.fullmatch(asked_now)
    if asked is not None:
        which = f"which {number_of(asked['n'] or asked['m'])} of them have"
        most = _MOST[(asked["how"] or asked["most"]).lower()]
    elif single is not None:
        which, most = "which of them has", _MOST[single["most"].lower()]
    else:
        for rule in (_sorted_result, _most_of_group, _most_done, _farthest):
            yield from rule(spoken, asked_now) or ()
        return
    rows, layer = spoken.memory.rows, spoken.layer
    is_number_of_rows = single is not None and single["most"].lower() == "most"
    word = asked["how"] or asked["most"] if asked is not None else ""
    column = _column(spoken) if (rows is not None and rows.sort) or word.lower() not in _BY_SIZE else ""
    if rows is not None and column:
        yield Again(f'{which} the {most} "{column}"', _ranked_of(rows))
    elif rows is None and layer is not None and column:
        yield Again(f'{which} the {most} "{column}"')
    elif rows is None and layer is not None and layer.style.kind == "categorical" and is_number_of_rows:
        yield Again(f'number of the layer `{layer.id}` by "{layer.style.column}"')


def _ranked_of(rows: Rows) -> Rows:
    """All rows that a ranking was made of, also those without a value."""
    empty = is_null(rows.sort)
    kept = [each for each in conjuncts(rows.filter) if each != {"op": "not", "args": [empty]}]
    where = conjunction(kept)
    return replace(rows, filter=where if rows.sort else rows.filter, sort="", number=0, single=False)


def _column(spoken: Spoken) -> str:
    """The column of the ranking or the colours, else the only number with a condition."""
    rows, layer, table = spoken.memory.rows, spoken.layer, spoken.table
    if rows is not None and rows.sort:
        return rows.sort
    if rows is None and layer is not None and layer.style.kind in _BY_NUMBERS and layer.style.column:
        return layer.style.column
    where = rows.filter if rows is not None else layer.filter if layer is not None else None
    used = {name for part in conjuncts(where) for name in columns_in(part)} if table is not None else set()
    numbers = [each.name for each in table.columns if each.name in used and is_number(each)] if table else []
    return numbers[0] if len(numbers) == 1 else ""


@message_about_rows(
    r"(?:and |now |then |please )*(?:sort|order|rank)(?:ed)? (?:(?:it|them|these|those|that|the list|the table) )?by"
    r" (?:the )?(?P<by>[^?,]+?)"
)
def _sorted_result(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`sort by total` after figures of groups: all groups by that figure."""
    if spoken.layer is None or not table.is_result:
        return
    names = [*spoken.vocabulary.columns_called((table,), asked["by"])]
    figure = STATISTICS.get(asked["by"].lower(), "")
    names = names or [each.name for each in table.columns if figure and each.name.startswith(f"{figure}_")]
    if len(names) == 1:
        yield Again(f'which 20 of them have the highest "{names[0]}"')


@message_about_rows(
    r"(?:and )?(?:which|what) (?P<group>[a-z]+(?: [a-z]+)?) (?:has|have|had|got|did)(?: the)? most"
    r"(?: of (?:them|those))?"
)
def _most_of_group(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`which month had the most` after rows were drawn: their number in each month, the greatest first."""
    if table.is_result:
        return
    group = asked["group"].lower()
    if spoken.vocabulary.match_table(name_words(group)) is None and (
        group in ("year", "month") or spoken.vocabulary.columns_called((table,), group)
    ):
        yield Again(f"number of them by {group}", spoken.memory.rows)


@message_about_rows(
    r"(?:and )?which(?: one| of (?:them|these|those))? (?P<verb>[a-z]+)(?: the)? (?P<most>most|least|fewest)"
)
def _most_done(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`which delivered the least`: by the only number that is called after the verb."""
    named = [each.name for each in table.columns if is_number(each) and records(each, asked["verb"].lower())]
    if len(named) == 1:
        yield Again(f'which of them has the {_MOST[asked["most"].lower()]} "{named[0]}"', spoken.memory.rows)


@message_about_rows(
    r"(?:and )?which(?: one| of (?:them|these|those))? (?:is|lies) (?:the )?"
    r"(?:(?P<far>farthest|furthest)|nearest|closest)(?: one| away| off)?"
)
def _farthest(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`which one is the farthest` after rows were drawn with their distance from others."""
    distances = [each.name for each in table.columns if each.name.startswith("distance_m")]
    if len(distances) == 1:
        yield Again(f'which of them has the {"highest" if asked["far"] else "lowest"} "{distances[0]}"')
