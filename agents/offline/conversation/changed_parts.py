"""Short messages that change one part of the previous answer: its rows, column, order or form, or ask a fact of it.

Each is turned into complete requests about the same rows, which are data of the previous answer: a request says `them`,
and tells with it which rows these are. The first request that can be read is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from agents.core.messages import Message
from agents.domain import Layer, Table
from agents.offline.conversation.memory import Memory, Rows, last_answer
from agents.offline.conversation.past_calls import layers_spoken_of
from agents.offline.conversation.pieces import FIGURE_WORDS, GROUP, one_of
from agents.offline.language.conditions.contradictions import conjuncts
from agents.offline.language.conditions.verbs import records
from agents.offline.language.lexicon import NUMBER_WORDS
from agents.offline.language.names.columns import times_of
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import are_forms, doers_of, name_words, word_set

PRONOUNS = word_set("it its them these those they their ones")


@dataclass(frozen=True, slots=True)
class Again:
    """A complete request that a message stands for, and the rows that pronouns in it mean; those of a layer without."""

    text: str
    rows: Rows | None = None


@dataclass(frozen=True)
class Spoken:
    """What the previous answer was about."""

    memory: Memory
    layer: Layer | None
    """The layer mentioned last."""
    vocabulary: Vocabulary

    @classmethod
    def of(cls, messages: Sequence[Message], vocabulary: Vocabulary) -> Spoken:
        """What the last answer of the messages was about."""
        layer = vocabulary.layer(next(iter(layers_spoken_of(messages, vocabulary)), ""))
        return cls(last_answer(messages), layer, vocabulary)

    @cached_property
    def table(self) -> Table | None:
        """The table of the rows asked about, else of the layer."""
        rows = self.memory.rows
        charted = self.vocabulary.layer(rows.table) if rows is not None else None
        shown = charted or (self.layer if rows is None else None)
        name = shown.table if shown is not None else rows.table if rows is not None else ""
        return self.vocabulary.table(name)

    def repeated(self, text: str) -> Again:
        """A request made of the previous question: its pronouns mean the same rows as there."""
        same = keeps_pronoun(self.memory.question_text, text)
        return Again(text, self.memory.of_rows if same else self.memory.rows)

    def with_layer_named(self, again: Again) -> Again | None:
        """The request with the layer by its name instead of `them`, if the layer shows these rows: an analysis does not
        see the conversation."""
        layer, rows = self.layer, again.rows
        if layer is None or (rows is not None and (rows.table, rows.filter) != (layer.table, layer.filter)):
            return None
        named = _OF_THEM.sub(f"of the layer `{layer.id}`", again.text, count=1)
        return Again(named, rows) if named != again.text else None


_OF_THEM = re.compile(r"\bof (?:them|these|those|it)\b", re.IGNORECASE)


def keeps_pronoun(before: str, again: str) -> bool:
    """Whether a request is the previous one with another piece, but the same pronoun, which means the same rows as
    then: `which 5 of them have the lowest rent`, `and the highest?`."""
    old, new = before.lower().split(), again.lower().split()
    kept = (*_same_begin(old, new), *_same_begin(old[::-1], new[::-1]))
    return not PRONOUNS.isdisjoint(kept)


def _same_begin(words: Sequence[str], others: Sequence[str]) -> list[str]:
    return [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False))]


def changed_parts(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """Complete requests for the previous answer with the part changed that the text names."""
    if spoken.memory.outcome == "done":
        for rule in _RULES:
            yield from rule(spoken, asked_now)


_OPENER = r"(?:(?:and|now|ok|okay|then|just|only|please|show(?: me)?|list|give me)\b,? )*"
_MOST = {"top": "highest", "highest": "highest", "largest": "highest", "greatest": "highest", "biggest": "highest",
         "bottom": "lowest", "lowest": "lowest", "smallest": "lowest"}  # fmt: skip
_COUNTS = rf"\d+|{one_of([word for word, number in NUMBER_WORDS.items() if 1 < number <= 20])}"
_RANKED = re.compile(
    rf"{_OPENER}(?:the )?(?:(?P<how>{one_of([*_MOST])}) (?P<n>{_COUNTS})|(?P<m>{_COUNTS}) (?P<most>{one_of([*_MOST])}))"
    r"(?: ones| of (?:them|these|those))?(?:,? (?:as|in) an? (?:table|list))?\W*",
    re.IGNORECASE,
)


def _ranked(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`top five`, `now lowest five` after a layer coloured by numbers or a ranking: by the same column, of all rows."""
    asked, rows = _RANKED.fullmatch(asked_now), spoken.memory.rows
    if asked is None:
        return
    count = (asked["n"] or asked["m"]).lower()
    number = count if count.isdigit() else f"{NUMBER_WORDS[count]:.0f}"
    most = _MOST[(asked["how"] or asked["most"]).lower()]
    if rows is not None and rows.sort:
        yield Again(f'which {number} of them have the {most} "{rows.sort}"', replace(rows, sort="", number=0))
    elif rows is None and (layer := spoken.layer) is not None and layer.style.kind in _BY_NUMBERS:
        yield Again(f'which {number} of the layer `{layer.id}` have the {most} "{layer.style.column}"')


_BY_NUMBERS = ("graduated", "proportional")
_WHO = re.compile(r"(?:and )?who (?P<verb>\w+) (?:it|them|these|those)\W*", re.IGNORECASE)
_WATCHED = word_set("record see saw observe spot find found report count survey monitor")
"""Verbs of those who record rows, however their column is called."""


def _by_whom(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`who recorded them`: the only column of people that is called after the verb, or of those who record rows."""
    asked, table = _WHO.fullmatch(asked_now), spoken.table
    if asked is None or table is None:
        return
    verb = asked["verb"].lower()
    stems = [stem for ending in ("ed", "d", "s", "") if (stem := verb.removesuffix(ending))]
    watched = any(are_forms(stem, each) for stem in stems for each in _WATCHED)
    doers = {doer for stem in stems for doer in doers_of(stem)}
    doers |= {doer for each in _WATCHED for doer in doers_of(each)} if watched else set()
    called = {name for doer in doers for name in spoken.vocabulary.columns_called((table,), doer)}
    named = [each.name for each in table.columns if each.name in called and each.kind == "text"]
    if len(named) == 1:
        yield Again(f'who is the "{named[0]}" of them', spoken.memory.rows)


_WHEN = re.compile(
    r"(?:and )?(?:when (?:was|were|is|did) the (?P<which>first|earliest|oldest|last|latest|newest|most recent)"
    r"(?: (?:one|of (?:them|these|those)))?(?: (?P<verb>\w+))?"
    r"|how long (?:has|have|is|was) the (?P<longest>oldest|longest|first|earliest)(?: (?:one|of (?:them|these|those)))?"
    r" (?:been )?(?:waiting|open|pending|there))\W*",
    re.IGNORECASE,
)
_FIRST = ("first", "earliest", "oldest", "longest")


def _when(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`when was the last one`, `how long has the oldest one been waiting`: the row with the latest or earliest date."""
    asked, table = _WHEN.fullmatch(asked_now), spoken.table
    if asked is None or table is None:
        return
    times = [each for each in table.columns if each.kind in ("date", "timestamp")]
    if asked["verb"]:
        times = [each for each in times if records(each, asked["verb"].lower())] or times
    times = times if len(times) == 1 else times_of(table)
    if len(times) == 1:
        most = "earliest" if (asked["which"] or asked["longest"]).lower() in _FIRST else "latest"
        yield Again(f'which of them has the {most} "{times[0].name}"', spoken.memory.rows)


_AS_FORM = re.compile(
    r"(?P<piece>.+?),? (?P<form>(?:as|in) an? (?:bar |line |pie )?(?:chart|graph))(?: please)?\W*",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"(?:and |now )?(?:only|just) (?:(?:those |the ones )?from )?(?P<first>(?:19|20)\d\d)"
    r" ?(?:to|until|till|through|-|–) ?(?P<last>(?:19|20)\d\d)\W*",
    re.IGNORECASE,
)


def _of_years(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`only 2022 to 2024`."""
    asked = _YEARS.fullmatch(asked_now)
    if asked is not None and spoken.memory.layers:
        yield Again(f"only those from {asked['first']} to {asked['last']}", spoken.memory.rows)


_KIND_OF_ROWS = re.compile(
    r"(?:and |now )?(?:only|just) (?:for |of |the )*(?P<kind>[^\W\d][^?,]*?)(?: ones)?\W*", re.IGNORECASE
)
_GROUPS = re.compile(
    rf"(?P<begin>(?:(?:how many|number of|count of) |(?:the )?(?:{FIGURE_WORDS}) .+? of )?)"
    rf"(?P<rows>[^\W\d]+(?: [^\W\d]+){{0,2}}?)(?P<end> (?:(?:are|is) there )?{GROUP}.*)",
    re.IGNORECASE,
)


def rows_of_kind(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`only mammals` after `sightings per reserve`: the figures of these rows, which the result does not have."""
    asked, groups = _KIND_OF_ROWS.fullmatch(asked_now), _GROUPS.fullmatch(spoken.memory.question_text)
    found = spoken.vocabulary.match_table(name_words(groups["rows"])) if groups is not None else None
    if asked is None or groups is None or found is None or found.guessed:
        return
    tables, shown = {each.id for each in found.found}, spoken.table
    words, called = name_words(asked["kind"]), spoken.vocabulary.columns_called
    known = {table.id for table, _, _ in spoken.vocabulary.values_called(words)}
    known |= {
        each.id for each in (*found.found, *([shown] if shown else [])) if called((each,), asked["kind"])
    }
    if not known & tables or (shown is not None and shown.id in known):
        return
    begin, rows, kind = groups["begin"], groups["rows"], asked["kind"]
    # Worded unlike the title of the result, which would be read as that.
    end = re.sub(r"\bper\b", "in each", groups["end"], count=1, flags=re.IGNORECASE)
    for which in (f"{' '.join(words)} {rows}", f"{rows} that are {kind}", f"{rows} of {kind}"):
        yield Again(f"{begin or 'number of '}{which}{end}")


_SAME_FOR = re.compile(
    r"(?:and |now )?(?:do )?(?:(?:the )?same (?:thing )?(?:for|with|of|by)|(?:what|how) about|and) "
    r"(?:the |their )?(?P<what>[^\W\d][^?,]*?)\W*",
    re.IGNORECASE,
)
_OF_COLUMN = re.compile(
    rf"(?:\b(?:{FIGURE_WORDS}) (?:number of )?|\bby )(?P<column>(?:(?!of\b|by\b|per\b)[\w\"]+ ?)+?)"
    r"(?=,| (?:of|for|in|by|per|at|with|where|that|from)\b|$)",
    re.IGNORECASE,
)


def of_column(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`same for waitlist` after a figure or ranking of another column of the same table."""
    asked, before = _SAME_FOR.fullmatch(asked_now), spoken.memory.question_text
    if asked is None or not before:
        return
    called, words = spoken.vocabulary.columns_called, name_words(asked["what"])
    if spoken.vocabulary.values_called(words) or spoken.vocabulary.match_table(words):
        return
    for found in _OF_COLUMN.finditer(before):
        own = [
            table
            for table in spoken.vocabulary.few_tables
            if called((table,), found["column"].strip('" ')) and not table.is_result
        ]
        if len(own) == 1 and called(own, asked["what"]):
            begin, end = found.span("column")
            yield spoken.repeated(f"{before[:begin]}{asked['what']}{before[end:]}")
            return


_NEAR_IT = re.compile(
    r"(?P<near>.*\b(?:within|near|around|closer than|next to)\b.* )?(?:of |to )?it\W*", re.IGNORECASE
)


def _near_the_row(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`any school within 1 km of it?` after a question about a single row: by its name, if no layer shows it."""
    rows, asked = spoken.memory.rows, _NEAR_IT.fullmatch(asked_now)
    if asked is None or not asked["near"] or rows is None or not rows.single:
        return
    (_, name), *_ = [each["args"] for each in conjuncts(rows.filter)]
    layer = spoken.layer
    drawn = layer is not None and (layer.table, layer.filter) == (rows.table, rows.filter)
    if not drawn and isinstance(name, str):  # a key is no name
        yield Again(re.sub(r"\bit\b(?=\W*$)", lambda _: name, asked_now))


_AT_LEAST = re.compile(
    r"(?:and )?(?P<asked>how many of (?:them|these|those)|which of (?:them|these|those)|which ones) (?P<verb>\w+)"
    rf" (?P<how>at least|more than|over|fewer than|less than|at most) (?P<n>{_COUNTS}|one|a)"
    r"(?: (?P<noun>[^\W\d]+))?\W*",
    re.IGNORECASE,
)


def _compared(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`how many of them fledged at least one chick`: a number that is called after the verb, or after both words."""
    asked, table = _AT_LEAST.fullmatch(asked_now), spoken.table
    if asked is None or table is None:
        return
    wanted = [name_words(each)[0] for each in (asked["verb"], asked["noun"] or asked["verb"])]
    named = [
        each.name
        for each in table.columns
        if each.kind in ("integer", "number")
        and all(
            any(are_forms(word, own) for own in (*name_words(each.name), *name_words(each.comment or "")))
            for word in wanted
        )
    ]
    count = asked["n"].lower()
    number = count if count.isdigit() else f"{NUMBER_WORDS.get(count, 1):.0f}"
    if len(named) == 1:
        yield Again(f'{asked["asked"]} have {asked["how"]} {number} "{named[0]}"', spoken.memory.rows)


_RULES: tuple[Callable[[Spoken, str], Iterator[Again]], ...] = (
    _ranked, _by_whom, _when, _of_years, _near_the_row, _compared,
)  # fmt: skip


def piece_and_form(asked_now: str) -> tuple[str, str]:
    """`per year as a bar chart`: the piece, and the form of the answer."""
    asked = _AS_FORM.fullmatch(asked_now)
    return (asked["piece"], asked["form"]) if asked is not None else (asked_now, "")
