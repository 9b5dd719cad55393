"""Requests that name their table in a separate phrase: `how many trees in the tree inventory are dead`.

Such a request is read as if the table's name were the noun: `how many tree inventory are dead`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from agents.domain import Table
from agents.offline.answers import refusals
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, singular, word_set
from agents.offline.meaning.conditions import Mention, OneOf
from agents.offline.meaning.intents import (
    Count,
    Intent,
    Refine,
    Rows,
    SetVisible,
    Show,
    Statistic,
    Unsupported,
)

_COLLECTIONS = word_set("""
    archive base cadastre catalog catalogue census data database dataset directory index inventory list log network
    record register registry result survey
""")
"""Last words of table names that describe the table, not its rows."""
_KINDS = "table|layer|dataset|data set|list"
_SAID = re.compile(
    rf"(?P<before>[.,;?!]? *\bI mean)? *\b(?:in|of|from|within) (?:the|our|my|your|this) (?P<words>[^\W\d_]+"
    rf"(?: [^\W\d_]+){{0,3}}?)(?: (?P<kind>{_KINDS}))?(?=$|[\s.,;:?!)])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")


_EVERYTHING = re.compile(
    r"\b(?:everything|anything) (?=(?:on|along) (?:the )?(?P<value>[^?!.,]+?)\W*$)", re.IGNORECASE
)


def with_table_named(text: str, vocabulary: Vocabulary) -> str:
    """The request with the table's name as the noun for the rows; unchanged if no table is named so. `everything on
    the Warrego Hwy` are the rows of the only table with this value, where no layer is meant."""
    everything = _EVERYTHING.search(text) if not vocabulary.layers else None
    known = vocabulary.values_called(name_words(everything["value"])) if everything is not None else ()
    if everything is not None and len({table.id for table, _, _ in known}) == 1:
        return f"{text[: everything.start()]}{known[0][0].name.replace('_', ' ')} {text[everything.end() :]}"
    for match in _SAID.finditer(text):
        found = _longest(text, match, vocabulary)
        if found is not None:
            table, start, end, is_kind = found
            return _rewritten(text, table, start, end, is_kind, vocabulary)
    return text


def _longest(
    text: str, phrase_match: re.Match[str], vocabulary: Vocabulary
) -> tuple[Table, int, int, bool] | None:
    """The table in the phrase, the begin and end of the phrase, and whether it has a word such as `table`."""
    words = [*_WORD.finditer(text, phrase_match.start("words"))][:4]
    for count in range(len(words), 0, -1):
        end = words[count - 1].end()
        phrase = text[phrase_match.start("words") : end]
        if not re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+)*", phrase):
            continue
        kind = re.match(rf" (?:{_KINDS})\b", text[end:], re.IGNORECASE)
        table = _table_called(phrase, vocabulary, is_kind=kind is not None)
        if table is not None:
            return table, phrase_match.start(), end + (kind.end() if kind else 0), kind is not None
    return None


def _table_called(phrase: str, vocabulary: Vocabulary, *, is_kind: bool) -> Table | None:
    words = name_words(phrase)
    if is_kind:
        match = vocabulary.match_table(words)
        exact = match is not None and match.length == len(words) and len(match.found) == 1
        return match.found[0] if match is not None and exact else None
    if singular(phrase.split()[-1].lower()) != phrase.split()[-1].lower() and words[-1] not in _COLLECTIONS:
        return None  # `of the trees` are rows
    found = [
        each
        for each in vocabulary.few_tables
        if (name := name_words(each.name))[-1] in _COLLECTIONS
        and len(name) > 1
        and words in (name, name[-1:], name[:-1])
    ]
    return found[0] if len(found) == 1 else None


def _rewritten(text: str, table: Table, start: int, end: int, is_kind: bool, vocabulary: Vocabulary) -> str:
    before, after = text[:start].rstrip(" ,"), text[end:]
    name = table.name.replace("_", " ")
    for part, rest in ((before, False), (after, True)):
        for word in _WORD.finditer(part):
            if _is_noun(word[0], table):
                match = vocabulary.match_table(name_words(word[0]))
                own = match is not None and [each.id for each in match.found] == [table.id]
                changed = part if own else f"{part[: word.start()]}{name}{part[word.end() :]}"
                return (f"{before}{changed}" if rest else f"{changed}{after}").lstrip(" ,")
            known = {own.id for own, _, _ in vocabulary.values_called(name_words(word[0]))}
            if known == {table.id}:  # `the oaks`
                return f"{before}{after}".lstrip(" ,")
    if is_kind:
        return text
    opening = re.search(r"\b(?:in|of|from|within) (?:the|our|my|your|this) ", text[start:end], re.IGNORECASE)
    return f"{text[: start + opening.end()]}{name}{after}" if opening is not None else text


def _is_noun(word: str, table: Table) -> bool:
    """Whether a word is a noun for rows of the table."""
    own = name_words(table.name)
    noun = singular(word.lower())
    return noun in own and noun not in _COLLECTIONS and (noun != word.lower() or len(own) == 1)


_RANKED_ON_MAP = re.compile(r"(?i)(?!which\b|what\b).*\bon (?:the|a|my) map")


def on_the_map(intent: Count | Statistic | Rows, vocabulary: Vocabulary, text: str) -> Intent:
    """`how many airports are on the map`: the rows that visible layers show. `top 5 countries by area on the map` are
    drawn if no layer shows countries."""
    subject = intent.subject
    if subject.of_layer or subject.everything:
        return intent
    layers = vocabulary.layers_with(subject.tables)
    shown = tuple(layer.id for layer in layers if layer.visible)
    if shown:
        return replace(intent, subject=replace(subject, tables=(), layers=shown, everything=len(shown) > 1))
    if not layers and isinstance(intent, Rows) and intent.top is not None and _RANKED_ON_MAP.fullmatch(text):
        return Show(subject, where=intent.where, top=intent.top)
    why = refusals.NO_LAYER_SHOWS(text=subject.text)
    if layers:
        why = refusals.ONLY_HIDDEN_SHOWS(text=subject.text, layer=layers[-1].name)
    return Unsupported(why, refusals.SAY_SHOW_FIRST(text=subject.text))


def them_alone(intent: Intent) -> Mention | None:
    """The pronoun of `show them in a table`, taken for a layer or a place called “a table”."""
    match intent:
        case SetVisible((Mention(pronoun=True) as them,), True):
            return them
        case Refine(Mention(pronoun=True) as them, OneOf("a table" | "a list")):
            return them
        case _:
            return None


def begins_column(vocabulary: Vocabulary, mention: Mention, text: str) -> bool:
    """Whether a noun of a comment begins the name of a column: `travel time`, of a “School travel survey”."""
    tables, words = vocabulary.tables(mention.tables), {*name_words(mention.text)}
    is_name = not tables or any(words & {*name_words(each.name)} for each in tables)
    return not is_name and bool(vocabulary.columns_called(tables, text))
