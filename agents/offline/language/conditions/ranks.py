"""Rankings and sort orders: `the 10 largest`, `second largest`, `ten sites with the most species`, `oldest first`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from agents.domain import Table
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.verbs import records
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import ANALYSIS_FUNCTIONS, ORDINALS, SUPERLATIVES
from agents.offline.language.names.columns import columns_called
from agents.offline.language.nouns import take_count
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Phrases, word_set
from agents.offline.meaning.columns import holds_years, is_number
from agents.offline.meaning.conditions import Between, ColumnMention, Compare, Condition, Top
from agents.offline.meaning.intents import Intent, Rows, Show
from agents.offline.meaning.row_names import is_code

MAX_AHEAD, MAX_OWNER = 6, 4
"""Maximum number of words between a count and `with the most`, and of an owner."""
_WITH_MOST = tuple(
    f"{having} the {how}"
    for having in ("with", "having", "that have", "which have")
    for how in ("most", "fewest", "least", "highest", "lowest", "largest", "greatest", "smallest")
)


def take_superlative(cursor: Cursor) -> Top | None:
    """`the 10 largest`, `top 5`, `3 most populous`, `highest`."""
    start = cursor.at
    cursor.take("the")
    place = take_place(cursor)
    if place is not None:
        return place
    count = take_count(cursor)
    phrase = cursor.take(p.SUPERLATIVE)
    if phrase is None:
        cursor.at = start
        return None
    if count is None:
        count = take_count(cursor)
    default = 10 if phrase in ("top", "bottom") else 1
    if phrase == "top":
        phrase = cursor.take(p.SUPERLATIVE) or phrase  # `top 5 busiest`
    measure, descending = SUPERLATIVES[phrase]
    return Top(max(count or default, 1), descending, measure=measure, word=phrase)


def starts_superlative(cursor: Cursor) -> bool:
    """Whether a superlative follows (`the longest`); does not move the cursor."""
    start = cursor.at
    found = take_superlative(cursor) is not None
    cursor.at = start
    return found


def asks_another(cursor: Cursor) -> bool:
    """Whether another question follows: `which one is …`, `which the shortest`. Does not move the cursor."""
    start = cursor.at
    found = cursor.take("which one") or (cursor.take("which the") and take_superlative(cursor))
    cursor.at = start
    return bool(found)


def take_most(cursor: Cursor) -> Top | None:
    """`the most`, `fewest`, `the second most`: the ranking by the column that follows."""
    start = cursor.at
    cursor.take("the")
    place = ORDINALS.get(cursor.word(), 1)
    ordinal = cursor.take(*ORDINALS) or ""
    word = cursor.take("most", "least", "fewest")
    if word is None:
        cursor.at = start
        return None
    return Top(1, word == "most", word=f"{ordinal} {word}".strip(), place=place)


def take_most_done(cursor: Cursor, vocabulary: Vocabulary) -> Top | None:
    """`the 10 most loaded transformers`: the ranking by the only number named after the verb."""
    start = cursor.at
    cursor.take("the")
    count = take_count(cursor)
    word, verb = cursor.take("most", "least"), cursor.word()
    cursor.at += 1
    rows = vocabulary.match_table(cursor.keys()[0]) if word is not None and verb.endswith("ed") else None
    names = columns_called(rows.found, (verb,), is_number) if rows is not None else []
    if len(names) != 1:
        cursor.at = start
        return None
    return Top(count or 1, word == "most", ColumnMention(verb, tuple(names)), word=f"{word} {verb}")


def take_verb(cursor: Cursor, tables: Sequence[Table]) -> str | None:
    """A verb before a superlative: `carries`, `lasted`; or one that names a numeric column: `affected the most`."""
    taken = cursor.take(p.CARRIES)
    if taken is not None:
        return taken
    start, verb = cursor.at, cursor.word()
    cursor.at += 1
    end = cursor.at
    numbers = [each for table in tables for each in filter(is_number, table.columns)]
    is_verb = take_most(cursor) is not None and any(records(each, verb) for each in numbers)
    cursor.at = end if is_verb else start
    return verb if is_verb else None


def takes_descending(cursor: Cursor, tables: Iterable[Table], column: ColumnMention) -> bool:
    """Read `descending` or `ascending` if present. Without them, the greatest of amounts come first, and the earliest
    of dates and years."""
    if cursor.take(p.DESCENDING):
        return True
    is_ascending = cursor.take(p.ASCENDING) is not None
    own = [each for table in tables for each in map(table.column, column.columns) if each is not None]
    return not is_ascending and any(
        is_number(each) and not (is_code(each.name) or holds_years(each)) for each in own
    )


def take_place(cursor: Cursor) -> Top | None:
    """One place of a ranking: `second largest`, `third-highest`, `2nd most populous`."""
    start = cursor.at
    token = cursor.token()
    ending = cursor.token(1)
    first, _, rest = cursor.word().partition("-")
    if token is not None and token.kind == "number" and ending is not None and ending.glued:
        first, _, rest = f"{token.text}{ending.lower}".partition("-")
        cursor.at += 1
    cursor.at += 1
    phrase = rest if rest in SUPERLATIVES else cursor.take(p.SUPERLATIVE)
    if first not in ORDINALS or phrase is None:
        cursor.at = start
        return None
    measure, descending = SUPERLATIVES[phrase]
    return Top(1, descending, measure=measure, word=f"{first} {phrase}", place=ORDINALS[first])


_NO_OWNERS = word_set("what who where when how that it there here let")
"""Words before `'s` that own nothing: `what's the oldest park`."""


def take_owner(cursor: Cursor, may_own: Callable[[], bool]) -> str:
    """The owner before a superlative: `Egypt` of `Egypt's ten biggest cities`; else empty. `may_own`: whether the next
    word may belong to it."""
    start = cursor.at
    if cursor.word()[:-2] in _NO_OWNERS:
        return ""
    while cursor.at < start + MAX_OWNER and may_own():
        cursor.at += 1
        if cursor.word(-1).endswith(("'s", "’s")):
            if starts_superlative(cursor):
                return cursor.since(start)[:-2]
            break
    cursor.at = start
    return ""


def take_first(cursor: Cursor) -> Top | None:
    """The count of `ten sites with the most species`."""
    start = cursor.at
    count = take_count(cursor)
    if count and count > 1 and any(cursor.sees(words, at) for at in range(MAX_AHEAD) for words in _WITH_MOST):
        return Top(count)
    cursor.at = start
    return None


def take_order(cursor: Cursor) -> Top | None:
    """A sort order without a limit: `, oldest first`."""
    start = cursor.at
    cursor.take(",")
    cursor.take("the")
    phrase = cursor.take(p.SUPERLATIVE)
    if phrase is None or not cursor.take("first", "ones first", "on top", "at the top"):
        cursor.at = start
        return None
    measure, descending = SUPERLATIVES[phrase]
    return Top(0, descending, measure=measure, word="sorted")


def compared_time(top: Top, where: Sequence[Condition]) -> ColumnMention | None:
    """The column by which `inspected before 2018, oldest first` sorts: the one that was compared."""
    timed = top.measure in ("old", "time")
    compared = [
        each.column for each in where if isinstance(each, Compare | Between) and each.column is not None
    ]
    return compared[0] if timed and len(compared) == 1 else None


def first_of(cursor: Cursor, intent: Intent) -> Intent:
    """The intent with the number of rows that follows a ranking: `biggest permits by floor area, top 5`."""
    start = cursor.at
    cursor.take(",")
    only = cursor.take(p.ONLY_TOP) or ""
    if isinstance(intent, Rows | Show) and intent.top is not None and only:
        count = take_count(cursor)
        if count:
            # Without a direction, the first in the order of a list are not those at its top.
            is_sorted = intent.top.word == "sorted" and not intent.top.measure and only.endswith("top")
            top = replace(intent.top, limit=count, descending=intent.top.descending or is_sorted)
            return (
                replace(intent, top=top, limit=count)
                if isinstance(intent, Rows)
                else replace(intent, top=top)
            )
    cursor.at = start
    return intent


SPREADS = {
    "standard deviation": "stddev", "std dev": "stddev", "stddev": "stddev", "std": "stddev",
    "lower quartile": "p25", "first quartile": "p25", "upper quartile": "p75", "third quartile": "p75",
}  # fmt: skip
PERCENTILES = {10: "p10", 25: "p25", 50: "median", 75: "p75", 90: "p90"}
PERCENTILE = Phrases("percentile | centile")


def take_function(cursor: Cursor) -> str:
    """The function of a figure: `average`, `standard deviation`, `90th percentile`; else empty."""
    start = cursor.at
    if function := ANALYSIS_FUNCTIONS.get(cursor.word()):
        cursor.at += 1
        return function
    if spread := cursor.take(*SPREADS):
        return SPREADS[spread]
    number = cursor.take_number()
    cursor.at += number is not None and cursor.word() == "th"
    is_percentile = number is not None and cursor.take(PERCENTILE)
    if number is None or not is_percentile or number.value not in PERCENTILES:
        cursor.at = start
        return ""
    return PERCENTILES[int(number.value)]
