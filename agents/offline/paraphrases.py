"""Other words for what the language has words for: a message is rewritten before it is read.

Each rule is a pattern and what is said instead. `table` and `column` in braces ask the data whether the words are one,
so that nothing is rewritten that is not about what is there. A rewritten message is not rewritten again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from agents.domain import Table
from agents.offline.vocabulary import Vocabulary
from agents.offline.words import name_words

Rewriting = Callable[[re.Match[str], Vocabulary], str | None]

_PLURAL = re.compile(r"s$", re.IGNORECASE)
_END = r"\s*[?.!]*$"
_MORE = "more than|fewer than|less than|at least|at most|over|under|above|below"
_USUAL_CELLS = "200 km hexagons"
_FINER_CELLS = "50 km hexagons"
"""For hot spots of rows in one place, where nobody says how large the cells are; the title of the step says it."""


def paraphrased(text: str, vocabulary: Vocabulary) -> str:
    """The message in words that the grammar knows; as it is where no rule fits."""
    for pattern, rewriting in _RULES:
        match = pattern.match(text.strip())
        said = rewriting(match, vocabulary) if match is not None else None
        if said is not None:
            return said
    return text


def _table(words: str, vocabulary: Vocabulary) -> Table | None:
    """The one table that all of the words mean."""
    found = vocabulary.match_table(name_words(words))
    whole = found is not None and found.length == len(name_words(words)) and not found.guessed
    return found.found[0] if found is not None and whole and len(found.found) == 1 else None


def _is_column(table: Table, words: str, vocabulary: Vocabulary) -> bool:
    found = vocabulary.match_column((table,), name_words(words))
    return found is not None and found.length == len(name_words(words))


def _counted(match: re.Match[str], vocabulary: Vocabulary) -> str | None:
    """`how many airports per continent`: by the table's own column."""
    rows, by = match["rows"], match["by"]
    table = _table(rows, vocabulary)
    if table is None:
        return None
    if any(name_words(column.name) == name_words(by) for column in table.columns):
        return f"number of {rows} by {by}"
    if _table(by, vocabulary) is not None:
        return f"count the {rows} in each {by}"
    return f"number of {rows} by {by}" if _is_column(table, by, vocabulary) else None


def _most(match: re.Match[str], vocabulary: Vocabulary) -> str | None:
    """`which country has the most airports`."""
    table = _table(match["rows"], vocabulary)
    if table is None:
        return None
    usual = 10 if _PLURAL.search(match["by"]) else 1
    counts = f"top {match['n'] or usual} by count"
    if _is_column(table, match["by"], vocabulary):
        return f"summarise {match['rows']} by {match['by']}, then show the {counts}"
    if _table(match["by"], vocabulary) is None:
        return None
    return f"count the {match['rows']} in each {match['by']}, then show the {counts}"


def _with_many(match: re.Match[str], vocabulary: Vocabulary) -> str | None:
    """`countries with more than 100 airports`."""
    areas, rows = _table(match["areas"], vocabulary), _table(match["rows"], vocabulary)
    if areas is None or rows is None or areas == rows or _is_column(areas, match["rows"], vocabulary):
        return None
    than = {"more than": "over", "fewer than": "under", "less than": "under"}.get(
        match["than"].lower(), match["than"]
    )
    return f"count the {match['rows']} in each {match['areas']} and keep those with count {than} {match['n']}"


def _hot_spots(match: re.Match[str], vocabulary: Vocabulary) -> str | None:
    """`hot spots of airports`: of how many there are, where no column is named."""
    rows, place = match["rows"], match["place"] or ""
    table = _table(rows, vocabulary)
    if table is None or table.geometry_family != "point":
        return None
    cells = _FINER_CELLS if place else _USUAL_CELLS
    return f"count the {rows}{place} in {cells}, then hot spots of count"


def _by_inside(match: re.Match[str], vocabulary: Vocabulary) -> str | None:
    """`buffer the rivers by 5 km and count people by country inside`."""
    table = _table(match["rows"], vocabulary)
    if table is None or not _is_column(table, match["by"], vocabulary):
        return None
    return f"{match['areas']}, then {match['rows']} in them, then summarise them by {match['by']}"


def _amount(match: re.Match[str], vocabulary: Vocabulary) -> str | None:
    """`how many beds does City Hospital have`, `how many beds do the hospitals have`: of a column, not of rows."""
    what, whose = match["what"], match["whose"]
    if vocabulary.match_table(name_words(what)) is not None:
        return f"how many {what} are there in {whose}"
    table = _table(whose, vocabulary)
    if table is not None:
        return f"total {what} of {whose}" if _is_column(table, what, vocabulary) else None
    known = any(_is_column(table, what, vocabulary) for table in vocabulary.few_tables)
    return f"what is the {what} of {whose}" if known else None


def _existing(match: re.Match[str], vocabulary: Vocabulary) -> str | None:
    """`are there airports above 4500 m?`"""
    return f"how many {match['rest']}" if vocabulary.match_table(name_words(match["rest"])) else None


def _said(template: str) -> Rewriting:
    return lambda match, _: template.format(
        **{name: value or "" for name, value in match.groupdict().items()}
    )


def _rule(pattern: str, rewriting: Rewriting | str) -> tuple[re.Pattern[str], Rewriting]:
    said = _said(rewriting) if isinstance(rewriting, str) else rewriting
    return re.compile(pattern, re.IGNORECASE), said


_RULES: Sequence[tuple[re.Pattern[str], Rewriting]] = (
    _rule(
        rf"(?:how many|(?:(?:show|me|the) )*number of|count(?: the)?) (?P<rows>[\w ]+?)(?: are there| there are)?"
        rf" (?:per|by|for each|for every) (?P<by>[\w ]+?){_END}",
        _counted,
    ),
    _rule(rf"(?:which|what) (?:(?P<n>\d+) )?(?P<by>\w+) (?:has|have) (?:the )?most (?P<rows>[\w ]+?){_END}", _most),
    _rule(
        rf"(?:(?:show|list|me|the|top|which) )*(?:(?P<n>\d+) )?(?P<by>\w+) (?:with|having|that have) the most "
        rf"(?P<rows>[\w ]+?){_END}",
        _most,
    ),
    _rule(
        rf"(?:(?:show|list|me|the) )*top (?:(?P<n>\d+) )?(?P<by>\w+) by (?:the )?(?:number|count) of "
        rf"(?P<rows>[\w ]+?){_END}",
        _most,
    ),
    _rule(
        rf"(?:show )?(?:me )?(?:all |the )?(?P<areas>\w+) (?:with|that have|having) (?P<than>{_MORE}) (?P<n>[\d,.]+k?) "
        rf"(?P<rows>[\w ]+?){_END}",
        _with_many,
    ),
    _rule(
        rf"(?:(?:show|find|me|the) )*hot ?spots of (?:the )?(?P<rows>\w+)(?P<place> in [\w ]+?)?{_END}",
        _hot_spots,
    ),
    _rule(
        rf"(?P<areas>buffer .+?),? (?:and|then|and then) count (?:the )?(?P<rows>[\w ]+?) by (?P<by>[\w ]+?) "
        rf"(?:inside|within|in them|inside them|there){_END}",
        _by_inside,
    ),
    _rule(
        rf"how many (?!people|inhabitants|residents|persons|citizens)(?P<what>[\w ]+?) (?:does|do) (?:the )?"
        rf"(?P<whose>.+?) have(?: in total| altogether)?{_END}",
        _amount,
    ),
    _rule(
        r"find (?:me )?(?P<what>.+?),? (?:and|then|and then) (?:show|display|draw) (?:them|it) "
        r"(?P<look>(?:as|in|with|by) .+)$",
        "show {what} {look}",
    ),
    _rule(rf"(?:is|are) there (?:(?:an?|any|some) )?(?P<rest>.+?){_END}", _existing),
    _rule(
        rf"compare (?:the )?(?P<what>[\w ]+?) (?:of|in) (?P<one>[\w ]+?) (?:and|with|to) (?P<other>[\w ]+?){_END}",
        "what is the {what} of {one}? what is the {what} of {other}?",
    ),
    _rule(
        r"(?:give|make|draw|create|show) (?:me )?(?:a |the )?map (?:of|with) (?P<rest>.+)$", "show {rest}"
    ),
    _rule(
        r"(?P<rest>.+?) (?:that )?start(?:ing|s)? with the letter (?P<sign>\w)\W*$",
        "{rest} whose name starts with {sign}",
    ),
    _rule(rf"(?:show |display )?only (?P<year>(?:19|20)\d\d){_END}", "only the ones in {year}"),
    _rule(
        rf"(?P<rows>.+? (?:in|of|from) [A-Z].*?) (?:have|has|that have|which have) (?P<than>{_MORE}) (?P<rest>.+)$",
        "{rows} with {than} {rest}",
    ),
)  # fmt: skip
