"""Numbers and codes that the comment of a column explains in words: “1 low, 2 medium, 3 high”, “OH = overhead”."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.domain import Column, Table
from agents.offline.language.conditions.flags import is_flag
from agents.offline.language.cursor import Cursor
from agents.offline.language.names.comments import codes_of, unit_at_end
from agents.offline.language.nouns import take_column
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Phrases, Words, are_forms, name_words, word_set
from agents.offline.meaning.conditions import ColumnMention, OneOf


def values_in(text: str) -> list[str]:
    """The parts of a list such as `glass, paper or textiles`."""
    return [re.sub(r"^(?:the|an?) ", "", each) for each in re.split(r",? or |,? and |, ", text)]


def numbers_explained(comment: str | None) -> dict[Words, int]:
    """Numbers by the words that explain them in a comment: “confidence 1 low, 2 medium, 3 high”, “1 (minor)
    to 5 (critical)”. Empty unless there are at least two."""
    ends = r"(?= to | or | and |[,;.()/]|$)"
    found = re.findall(rf"\b(\d{{1,2}}) ?[=:(]? ?([A-Za-z][A-Za-z -]*?){ends}", comment or "")
    numbers = {name_words(words): int(number) for number, words in found if name_words(words)}
    return numbers if len(numbers) > 1 and len({*numbers.values()}) == len(numbers) else {}


_GOOD = word_set("good excellent best new fine safe intact minor slight negligible none light trivial")
_BAD = word_set("""
    bad poor worst ruin ruined derelict unusable unsafe dangerous failed failing destroyed collapsed critical severe
    serious major fatal
""")


def greatest_is_worst(comment: str | None) -> bool | None:
    """Whether the greatest of the numbers that a comment explains is the worst: “1 = good … 5 = ruin”. None if the
    words at the ends of the scale do not say so."""
    scale = sorted((number, words) for words, number in numbers_explained(comment).items())
    if not scale:
        return None
    least, greatest = (set(words) for words in (scale[0][1], scale[-1][1]))
    upwards, downwards = least & _GOOD or greatest & _BAD, least & _BAD or greatest & _GOOD
    return bool(upwards) if bool(upwards) != bool(downwards) else None


QUALITY = ("best", "worst")
"""Superlatives of a scale."""


def worst_is_greatest(column: Column) -> bool | None:
    """The same for a column; letters such as those of energy labels end with the worst. None for other texts."""
    is_graded = bool(column.samples) and all(re.fullmatch(r"[A-H]\+{0,4}", each) for each in column.samples)
    return is_graded or None if column.kind == "text" else greatest_is_worst(column.comment)


_WORSE = Phrases("(worse|lower|poorer) than | below | under")
_BETTER = Phrases("(better|higher) than | above | over")
_OR_LESS, _OR_MORE = Phrases("(or|and) (below|lower|under)"), Phrases("(or|and) (above|higher|over)")


def take_grade(cursor: Cursor, vocabulary: Vocabulary, tables: tuple[Table, ...]) -> OneOf | None:
    """`below EPC C`, `with an EPC worse than C`, `EPC D or below`: the grades on one side of a letter."""
    start = cursor.at
    cursor.take("with a", "with an", "with", "having", "that have", "which have")
    way = _side(cursor, _WORSE, _BETTER)
    column = take_column(cursor, vocabulary, tables)
    own = [
        each
        for table in tables
        for name in (column.columns if column else ())
        if (each := table.column(name))
    ]
    if not way and own:
        cursor.take("is", "are", "of")
        way = _side(cursor, _WORSE, _BETTER)
    letter = cursor.word().upper()
    cursor.at += 1
    text = f"{way} than {letter}" if way else f"{letter} or {_side(cursor, _OR_LESS, _OR_MORE)}"
    is_graded = bool(own) and all(each.kind == "text" and worst_is_greatest(each) for each in own)
    if not is_graded or text.endswith(" ") or re.fullmatch("[A-H]", letter) is None:
        cursor.at = start
        return None
    return OneOf(text, column, "is")


def _side(cursor: Cursor, worse: Phrases, better: Phrases) -> str:
    return "worse" if cursor.take(worse) else "better" if cursor.take(better) else ""


def explains_number(column: Column, text: str) -> bool:
    """Whether the comment of an integer column explains all values in `text`."""
    values = set(map(name_words, values_in(text)))
    return column.kind == "integer" and values <= numbers_explained(column.comment).keys()


def codes_explained_as(tables: Sequence[Table], text: str) -> list[tuple[Table, str, str]]:
    """The tables and columns with a single code whose explanation begins or ends with the words: `overhead` of “OH =
    overhead cable”."""
    found = []
    for table in tables:
        columns = [each for each in table.columns if each.kind == "text" and each.comment]
        name, codes = codes_with(columns, text) or ("", [])
        found += [(table, name, codes[0])] if len(codes) == 1 else []
    return found


def codes_with(columns: Sequence[Column], text: str) -> tuple[str, list[str]] | None:
    """The codes of one column whose explanations begin with the words, else end with them: `additional` of “ADD =
    additional licensing”, `bad` of “UB = unfavourable bad”."""
    words = name_words(text)
    known = [(each.name, own, codes) for each in columns for own, codes in codes_of(each).items()]
    for place in (slice(0, len(words)), slice(-len(words), None)):
        found: dict[str, list[str]] = {}
        for name, own, codes in known if words else ():
            is_denied = own[:1] != words[:1] and own[0] in NEGATIONS  # “NONE = no public sewer”
            found.setdefault(name, []).extend(codes if own[place] == words and not is_denied else ())
        having = [(name, list(dict.fromkeys(codes))) for name, codes in found.items() if codes]
        if having:
            return having[0] if len(having) == 1 else None
    return None


NEGATIONS = frozenset(("no", "not", "non", "none", "never", "without"))
"""Words that deny what follows in an explanation."""


def denials_of(column: Column, value: object) -> list[object]:
    """The values that a comment explains to deny this one: 0 for 2, of “0 = not accessible, 2 = accessible”."""
    explained: dict[Words, object] = {**numbers_explained(column.comment)}
    if column.kind != "integer":
        explained = {words: codes[0] for words, codes in codes_of(column).items() if len(codes) == 1}
    own = [words for words, each in explained.items() if each == value]
    return [explained[words] for words in explained if words[0] in NEGATIONS and words[1:] in own]


def stands_for(table: Table, name: str, value: str) -> bool:
    """Whether a code of this column can stand for the value: no yes or no, and none that the comment explains in other
    words, as in `natural zones (N)` for a column with “O = oui, N = non”."""
    column, words = table.column(name), {*name_words(value)}
    if column is None or is_flag(column):
        return False
    explained = codes_of(column)
    return not explained or any(words & {*each} for each in explained)


def number_explained(columns: Sequence[Column], text: str) -> tuple[str, int] | None:
    """The only integer column whose comment explains a number so, also by a form of the word (`replaced` of “5
    replace”), and that number."""
    words = name_words(text)
    found = [
        (each.name, number)
        for each in columns
        if each.kind == "integer"
        for own, number in numbers_explained(each.comment).items()
        if own == words or (len(own) == len(words) == 1 and are_forms(own[0], words[0]))
    ]
    return found[0] if len(found) == 1 else None


def column_by_unit(cursor: Cursor, tables: Sequence[Table]) -> ColumnMention | None:
    """The columns of which the next word is the unit, at the end of their comments or as their whole name: `132 kV`, of
    “primary voltage, kV” and of a column `kv`."""
    unit = name_words(cursor.word())  # in small letters: `kVA` is one word
    numbers = [each for table in tables for each in table.columns if each.kind in ("integer", "number")]
    names = [each.name for each in numbers if unit and unit in (unit_at_end(each), name_words(each.name))]
    if not names:
        return None
    cursor.at += 1
    return ColumnMention(cursor.word(-1), tuple(names))


def may_have(column: Column, text: str) -> bool:
    """Whether the words may be a value of the column: a text, or what a number of it is explained to mean."""
    return (column.kind == "text" and not is_flag(column)) or explains_number(column, text)
