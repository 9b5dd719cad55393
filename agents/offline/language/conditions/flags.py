"""Yes/no columns in all the ways that tables store them, and negated words: `unlit`, `out of operation`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from agents.domain import Column, Table
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import spelt_out
from agents.offline.language.names.comments import codes_explained, comment_head, without_origin
from agents.offline.language.words import Phrases, Words, are_forms, fold, name_words, word_set

PRESENT = Phrases("is present | are present | applies | apply | is available | are available")
ABSENT = Phrases("is not present | is absent | does not apply | doesn't apply | is not available")
"""Predicates of a yes/no column: `where a design overlay applies`."""
ON = Phrases("[is|are] [switched|turned] on | (is|are|was|were) (involved|active|reported|found)")
OFF = Phrases("[is|are] [switched|turned] off | (is|are|was|were) not (involved|active|reported|found)")
"""After the name of a yes/no column: `with the alarm on`, `where alcohol was involved`."""
YES = word_set("yes y true ja j oui si sí sì sim tak ano igen kyllä evet")
NO = word_set("no n false nej nein nee nei non não nie hayır")
"""Values for yes and no in various languages."""
UNKNOWN = word_set("u unk unknown ? na n/a")
"""Values of rows for which neither is known, beside yes and no."""
PARTLY = word_set("partly partial partially")
"""Values between yes and no."""


def _yes_of(column: Column) -> frozenset[str]:
    """The values for yes in a column, also letters that its comment explains: “O = oui”, “(S/N)”."""
    return _yes_explained(column.comment) if column.comment else YES


@lru_cache(maxsize=4096)
def _yes_explained(comment: str) -> frozenset[str]:
    explained = codes_explained(comment).items()
    letters = {code.casefold() for words, codes in explained if YES.intersection(words) for code in codes}
    return YES | letters | {each.casefold() for each in _YES_LETTER.findall(comment)}


_YES_LETTER = re.compile(r"\b([OST]) ?/ ?N\b")
"""The first letters of `oui`, `sí`, `tak`, before that of no."""


def is_flag(column: Column) -> bool:
    """Whether a column holds yes or no, so that `with emergency` means yes."""
    if column.kind != "text":
        return column.kind == "boolean"
    samples, yes = {sample.casefold() for sample in column.samples}, _yes_of(column)
    if samples & yes and samples & NO:
        samples -= UNKNOWN
    return bool(samples) and samples <= yes | NO


def answers(column: Column) -> bool:
    """Whether a column holds yes or no, and maybe `partly` or `suspected`: `accessible` means yes, but `with lighting`
    also partly."""
    samples = {sample.casefold() for sample in column.samples}
    says_both = column.kind == "text" and bool(samples & _yes_of(column) and samples & NO)
    return (says_both and len(samples) <= MAX_ANSWERS) or is_flag(column)


MAX_ANSWERS = 4
"""Maximum number of values of a column that answers a question."""


def says_allowed(column: Column) -> bool:
    """Whether yes means allowed: “Dogs allowed (Y/N)” or a flag `dogs` without comment, not “Dogs banned (Y/N)”."""
    words = {*name_words(column.name), *name_words(column.comment or "")}
    is_plain = column.kind == "boolean" and not column.comment
    return (is_plain or bool(words & ALLOWED)) and not words & BANNED


ALLOWED = word_set("ok okay allowed accepted permitted allow accept permit access accessible")
BANNED = word_set("banned prohibited restricted forbidden disallowed excluded refused ban no not without")
"""Words of flags that say what is allowed or banned."""


def is_flag_named(column: Column, words: Sequence[str]) -> bool:
    """Whether the words name the flag itself, not a detail: `treated` of “Treated against ash borers”, but
    not `ash`."""
    comment = without_origin(column.comment) or ""
    named = re.split(_REST_OF_COMMENT, comment, maxsplit=1, flags=re.IGNORECASE)[0]
    own = spelt_out(column.name)
    names = own | ({*name_words(named)} - _DOING)
    return all(word in names or any(are_forms(word, each) for each in names) for word in words)


_DOING = word_set("run operate make take do go give hold put serve")
"""Verbs of comments that tell nothing without their objects: “Run with an electric truck”."""
_REST_OF_COMMENT = r"[:;,.(]|\b(?:against|for|by|only|if|when|because|about|since)\b"


def words_of_column(column: Column) -> frozenset[str]:
    """The words of a column's name, also spelt out, and of its comment up to the explanation of values."""
    return _words_of_column(column.name, column.comment)


@lru_cache(maxsize=65536)
def _words_of_column(name: str, comment: str | None) -> frozenset[str]:
    return spelt_out(name) | {*words_of_comment(comment)}


@lru_cache(maxsize=65536)
def words_of_comment(comment: str | None) -> Words:
    """The words of a comment up to the explanation of values."""
    return name_words(_VALUES_EXPLAINED.sub("", without_origin(comment) or ""))


_VALUES_EXPLAINED = re.compile(r"^[YyJj]\w*/[Nn]\w*\b|\([^()]*\)|[:;=].*|\b[YyJj]\w*\s?/\s?[Nn]\w*\b.*")


def tables_by_flag(tables: Iterable[Table]) -> Mapping[str, Sequence[Table]]:
    """The tables by the nouns of their yes/no columns: cities with a column `is_capital` by `capital`, homes with
    `student_let` by `student let`, parcels with “Vacant building on the parcel, Y/N” by `vacant building`."""
    found: dict[str, list[Table]] = defaultdict(list)
    for table in tables:
        flags = [each for each in table.columns if is_flag(each)]
        names = (name_words(each.name) for each in flags if each.kind == "boolean")
        nouns = {words[words[:1] == ("is",) :] for words in names}
        heads = [name_words(_YES_OR_NO.sub("", each.comment or "")) for each in flags]
        heads += [comment_head(each.comment) for each in flags]
        nouns |= {head for head in heads if 1 < len(head) <= MAX_FLAG_WORDS}
        for noun in nouns:
            found[" ".join(noun)].append(table)
    return found


MAX_FLAG_WORDS = 3
"""Maximum number of words of a noun for rows with a yes/no column."""
_YES_OR_NO = re.compile(r"\s*\(?\b[YJOSTyj]\w*\s?/\s?[Nn]\w*\)?.*$")


def flag_values(column: Column, wanted: bool) -> list[bool | str]:
    """The stored values for yes or no; empty if no row has one."""
    if column.kind == "boolean":
        return [wanted]
    values = _yes_of(column) if wanted else NO
    return [each for each in column.samples if each.casefold() in values]


_OPPOSITES = {
    "closed": "open", "shut": "open", "open": "closed", "outstanding": "closed", "inactive": "active",
}  # fmt: skip
DONE = word_set("closed completed done finished fixed repaired resolved settled solved")
"""Flags of rows that are no longer open."""


def without_negation(text: str, columns: Iterable[Column] = ()) -> tuple[str, ...]:
    """The positive form of a negated word: `lit` for `unlit`, `in operation` for `out of operation`, and for `open`
    the only one of the columns that flags what is done, such as `repaired`; else empty."""
    if (opposite := _OPPOSITES.get(fold(text))) is not None:
        flags = [{*name_words(each.name)} - {"is"} for each in columns if is_flag(each)]
        done = [tuple(words) for words in flags if len(words) == 1 and words <= DONE]
        return done[0] if opposite == "closed" and len(done) == 1 else (opposite,)
    for denial, before in (
        ("out of ", "in "),
        ("un", ""),
        ("non-", ""),
        ("not ", ""),
        ("in", ""),
        ("im", ""),
    ):
        if fold(text).startswith(denial) and (denial not in ("in", "im") or text.endswith(("able", "ible"))):
            return name_words(f"{before}{fold(text).removeprefix(denial)}")
    return ()


def take_flag(cursor: Cursor, tables: Sequence[Table]) -> Column | None:
    """Read the name of a flag that begins with a preposition, as in `over the MCL`, for `over_mcl`."""
    start, preposition = cursor.at, cursor.word()
    if preposition not in _PREPOSITIONS:
        return None
    for column in (each for table in tables for each in table.columns):
        first, *rest = name_words(column.name)
        if rest and first == preposition and is_flag(column):
            cursor.at = start + 1
            cursor.take("the", "a", "an", "its", "their")
            if length := cursor.sees(rest):
                cursor.at += length
                return column
    cursor.at = start
    return None


_PREPOSITIONS = word_set("above at below beyond in inside near off on out outside over under within")
