"""Checks that a reading accounts for every word of a request.

A word counts as read if it is a word of the language, or part of what the reading holds: names, columns, values and
numbers keep their words. `parse` rejects a command with an unread word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from agents import units
from agents.core.model import ToolSpec
from agents.geo.styling.colours import CSS_NAMES
from agents.offline.answers import refusals
from agents.offline.commands import (
    catalogue,
    charts,
    comparisons,
    contents,
    exports,
    figures,
    history,
    layers,
    looks,
    shares,
    view,
)
from agents.offline.commands.assembly.measured import PAID
from agents.offline.commands.facts import further, of_one_row
from agents.offline.language import lexicon, phrasebook
from agents.offline.language.chart import FILLERS
from agents.offline.language.conditions.geometries import EAST_FIRST, NORTH_FIRST
from agents.offline.language.conditions.not_done import DONE_IN, OVERDUE
from agents.offline.language.conditions.times.changes import FALLEN, RISEN
from agents.offline.language.conditions.times.days import HALVES, QUARTERS, SEASONS, WEEKDAYS
from agents.offline.language.conditions.times.in_force import ONGOING
from agents.offline.language.grammar import words_in, words_of_templates
from agents.offline.language.looks import phrases as style_phrases
from agents.offline.language.parts import PARTS
from agents.offline.language.reading import Unreadable
from agents.offline.language.tokens import tokenize
from agents.offline.language.words import Phrases, doers_of, english, fold, name_words, singular, word_set
from agents.offline.meaning.conditions import Compare, Group, Mention, Quantity, parts_of
from agents.offline.meaning.intents import (
    Analyse,
    Intent,
    NotUnderstood,
    Restyle,
    Rows,
    SeveralMeanings,
    Show,
    TooMuch,
    Unsupported,
)
from agents.reference_systems import NAMED_SYSTEMS

MODULES = (
    history,
    layers,
    looks,
    view,
    catalogue,
    figures,
    contents,
    further,
    of_one_row,
    comparisons,
    charts,
    shares,
)
COMMANDS = tuple(each for module in MODULES for each in module.COMMANDS)
NOT_CARRIED_OUT = (NotUnderstood, SeveralMeanings, TooMuch, Unsupported)
_GRAMMATICAL = word_set("""
    did does when why will would could should was were been being then than whose actually really sql most least
    fewest between within every about never yet basically
""")
"""Words without meaning of their own."""


def _is_in_two_years(group: Group) -> bool:
    """Whether no row can match, because it would have to be of two years: a range was not understood."""
    years = {
        each.value
        for each in (group.parts if group.op == "and" else ())
        if isinstance(each, Compare)
        and (each.op, each.measure) == ("=", "time")
        and isinstance(each.value, Quantity)
    }
    return len(years) > 1


def _groups_in(intent: Intent) -> list[Group]:
    return [part for part in parts_of(intent) if isinstance(part, Group)]


def unread_words(text: str, intent: Intent, tools: Sequence[ToolSpec] = ()) -> list[str]:
    """The words of a command that its intent does not account for.

    Analyses are not checked, because templates cover every word; nor are intents that are not carried out.
    """
    if isinstance(intent, Analyse):
        return [text] if any(map(_is_in_two_years, _groups_in(intent))) else []
    if isinstance(intent, NOT_CARRIED_OUT):
        return []
    if left_out := _references_left_out(text, intent):
        return left_out
    is_faded = isinstance(intent, Show) and intent.look.fade is not None  # more transparent than what?
    parts = parts_of(intent)  # with the ids of all tables that a noun may mean
    if is_faded or any(map(_is_in_two_years, _groups_in(intent))):
        return [text]
    held = {word for part in parts if isinstance(part, str) for word in name_words(part)}
    own = words_of_templates(tuple(phrase for tool in tools for phrase in tool.phrases))
    known = language_words() | own if own else language_words()
    unread = []
    for token in tokenize(text):
        word = fold(token.text).removesuffix("'s").removesuffix("’s")
        ends_number = token.glued and word.partition("-")[0] in _AFTER_NUMBERS
        if (
            token.kind != "word"
            or ends_number
            or {word, singular(word)} & known
            or all(each in held or each in known for each in name_words(word))
        ):
            continue
        if not held & doers_of(english().irregular.get(word, word.removesuffix("s"))):
            unread.append(token.text)
    return unread


_AFTER_NUMBERS = frozenset(("s", "n", "st", "nd", "rd", "th", "er", "e", "ème", "º", "ª"))
"""Endings of numbers: `the 1980s`, `the 2nd`, `Lyon 6e`."""


def _references_left_out(text: str, intent: Intent) -> list[str]:
    """References that the intent ignores: `those` in `those airports` if all airports are meant, `it` in `how many
    cities does it have`, `per` in `the longest main per material` for a single main, `on the map` in a question that
    is not about a layer."""
    mentions = [part for part in parts_of(intent) if isinstance(part, Mention) and part.tables]
    for mention in mentions:
        if not mention.pronoun and re.search(rf"(?i)\b(?:those|these) {re.escape(mention.text)}\b", text):
            return ["those"]
    is_of_rows = isinstance(intent, Rows) and intent.columns  # `the capital of Peru and its time zone`
    one = _OF_ONE.search(text) if mentions and not is_of_rows else None
    if one is not None and not any(each.pronoun for each in mentions):
        return [next(filter(None, one.groups()))]
    if not isinstance(intent, Show):
        return []
    by_group = _BY_GROUP.search(text) if intent.top is not None and intent.look.by is not None else None
    begins = "|".join(("which", "what", "list", "name", *(re.escape(each.text) for each in mentions)))
    pattern = rf"(?i)^(?:{begins})\b.*\b(on the map)\b.*\w"
    on_map = re.search(pattern, text) if mentions and intent.where is not None else None
    return [found[1] for found in (by_group, on_map) if found is not None]


_OF_ONE = re.compile(
    r"(?i)\b(?:does|did) (it)\b|\b(its)\b(?! own)|\b(?:any|how many|which) of (them|these|those)\b"
    r"|\b(?:do|did|have|had) (they)\b"
)
_BY_GROUP = re.compile(r"(?i)\b(per|for each|for every|in each|in every|of each|of every)\b")


@cache
def language_words() -> frozenset[str]:
    """All fixed words of the language."""
    phrases = (
        PAID,
        ONGOING,
        DONE_IN,
        OVERDUE,
        RISEN,
        FALLEN,
        EAST_FIRST,
        NORTH_FIRST,
        *(
            each
            for module in (phrasebook, style_phrases)
            for each in vars(module).values()
            if isinstance(each, Phrases)
        ),
    )
    found = {word for phrase in phrases for words in phrase for word in words.split()}
    found |= {word for phrase in phrasebook.AT_LEAST for word in phrase.split()}
    for words in vars(lexicon).values():
        if isinstance(words, frozenset | dict) and words is not lexicon.MEASURES:
            found |= {part for word in words for part in str(word).split()}
    found -= set(lexicon.MEASURE_OF_NOUN) - lexicon.STARTS
    found |= {
        *_GRAMMATICAL,
        *phrasebook.SINGLE_WORDS,
        *units.UNITS,
        *units.MAGNITUDES,
        *FILLERS,
        *SEASONS,
        *QUARTERS,
        *WEEKDAYS,
        *HALVES,
    }
    found |= {word for name in NAMED_SYSTEMS for word in name.split()}
    found |= {name[:at] for name in CSS_NAMES for at in range(3, len(name)) if name[at:] in CSS_NAMES}
    nodes = (*(each.template.node for each in (*COMMANDS, *exports.COMMANDS)), *PARTS.values())
    return frozenset(found | {word for node in nodes for word in words_in(node)})


def refuse_two_styles(intents: Sequence[Intent]) -> None:
    """Raise Unreadable if one layer is styled by two columns (`size them by beds and colour them by operator`),
    because the second would replace the first."""
    last, styled = "", set[str]()
    for each in intents:
        subject, look = getattr(each, "subject", None), getattr(each, "look", None)
        last = subject.text.lower() if isinstance(subject, Mention) and not subject.pronoun else last
        if isinstance(each, Restyle | Show) and look is not None and look.by is not None:
            if last in styled:
                raise Unreadable(refusals.ONE_COLUMN())
            styled.add(last)
