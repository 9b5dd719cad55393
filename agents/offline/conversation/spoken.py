"""What the previous answer was about, and requests about the same rows that a short message stands for.

The rows are data of the previous answer: a request says `them`, and tells with it which rows these are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from itertools import takewhile
from typing import TypeVar

from agents.core.messages import Message, UserMessage
from agents.domain import Layer, Table
from agents.offline.conversation.memory import Memory, Rows, last_answer
from agents.offline.conversation.past_calls import calls_made, layers_spoken_of
from agents.offline.conversation.pieces import GROUP, message, one_of
from agents.offline.language.lexicon import NUMBER_WORDS
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set
from agents.offline.meaning.scene import Done

T = TypeVar("T")
COUNTS = rf"\d+|{one_of([word for word, number in NUMBER_WORDS.items() if 1 < number <= 20])}"


def number_of(word: str) -> str:
    """The digits of a number in words or digits; 1 for an article."""
    return word if word.isdigit() else f"{NUMBER_WORDS.get(word.lower(), 1):.0f}"


PRONOUNS = word_set("it its them these those they their ones")


@dataclass(frozen=True, slots=True)
class Again:
    """A complete request that a message stands for, and the rows that pronouns in it mean; those of a layer without."""

    text: str
    rows: Rows | None = None
    only: bool = False
    """The message cannot stand for another request, also where this one cannot be read."""


@dataclass(frozen=True)
class Spoken:
    """What the previous answer was about."""

    memory: Memory
    layer: Layer | None
    """The layer mentioned last."""
    vocabulary: Vocabulary
    messages: Sequence[Message] = ()
    """All messages up to the answer."""

    @classmethod
    def of(cls, messages: Sequence[Message], vocabulary: Vocabulary) -> Spoken:
        """What the last answer of the messages was about."""
        layer = vocabulary.layer(next(iter(layers_spoken_of(messages, vocabulary)), ""))
        return cls(last_answer(messages), layer, vocabulary, messages)

    @cached_property
    def table(self) -> Table | None:
        """The table of the rows asked about, else of the layer."""
        rows = self.memory.rows
        charted = self.vocabulary.layer(rows.table) if rows is not None else None
        shown = charted or (self.layer if rows is None else None)
        name = shown.table if shown is not None else rows.table if rows is not None else ""
        return self.vocabulary.table(name)

    @property
    def last_calls(self) -> tuple[Done, ...]:
        """The calls of the previous turn."""
        begin = max((at for at, each in enumerate(self.messages) if isinstance(each, UserMessage)), default=0)
        return calls_made(self.messages[begin:])

    @property
    def place_found(self) -> str:
        """The place that the previous turn zoomed to or looked up."""
        names = {"zoom_to": "place", "find_place": "text"}
        found = [each for each in self.last_calls if each.call.name in names and each.result.ok]
        return str(found[-1].arguments.get(names[found[-1].call.name]) or "") if found else ""

    @property
    def table_shown(self) -> Table | None:
        """The table of the layer mentioned last, else of the topmost."""
        layer = self.layer or next(reversed(self.vocabulary.layers), None)
        return self.vocabulary.table(layer.table) if layer is not None else None

    @property
    def layer_of_figures(self) -> Layer | None:
        """The layer mentioned last, if it shows the result of an analysis, coloured by a figure."""
        if self.layer is None or self.layer.style.kind != "graduated":
            return None
        table = self.vocabulary.table(self.layer.table)
        return self.layer if table is not None and table.is_result else None

    def repeated(self, text: str) -> Again:
        """A request made of the previous question: its pronouns mean the same rows as there, and so does what names no
        rows (`how many dwellings were approved in Aston`, `and in Barley?`)."""
        before, words = self.memory.question_text.lower().split(), text.lower().split()
        same = keeps_pronoun(self.memory.question_text, text)
        same = same or (PRONOUNS.isdisjoint(words) and len(_same_begin(before, words)) > 1)
        return Again(text, self.memory.of_rows if same else self.memory.rows)

    @property
    def default(self) -> Table | None:
        """The table that a request means if it names none."""
        layers = self.vocabulary.layers
        return self.table or (self.vocabulary.table(layers[-1].table) if layers else None)

    def in_other_words(self, again: Again) -> list[Again]:
        """The request, and with the layer that shows the rows, or with the words that named them, instead of `them`:
        these first for figures of groups, for an analysis does not see the conversation."""
        named = [*self._with_rows_named(again)]
        if not re.search(GROUP, again.text, re.IGNORECASE):
            return [again, *named]
        # Rows are counted `per` area that they lie in; `by` would look for a column of the rows.
        inside = [replace(each, text=_COUNTED_BY.sub(r"\1 per ", each.text)) for each in named]
        return [*named, again, *(each for each in inside if each not in named)]

    def _with_rows_named(self, again: Again) -> Iterator[Again]:
        layer, rows, before = self.layer, again.rows, self.memory.rows
        names = []
        if layer is not None and (rows is None or (rows.table, rows.filter) == (layer.table, layer.filter)):
            names.append(f"the layer `{layer.id}`")
        elif (
            rows is not None
            and before is not None
            and (rows.table, rows.filter) == (before.table, before.filter)
        ):
            words = self.memory.rows_text
            names += [_VERB.sub(r" that \1", words, count=1), words] if words else []
        for name in names:
            named = _OF_THEM.sub(lambda _, name=name: f"of {name}", again.text, count=1)  # type: ignore[misc]
            if named != again.text:
                yield Again(named, rows)


def message_about_rows(
    form: str,
) -> Callable[[Callable[[Spoken, re.Match[str], Table], T]], Callable[[Spoken, str], T | None]]:
    """The same for a function that also takes the table of the rows spoken of; there is one, or the rule returns
    None."""

    def made(meant: Callable[[Spoken, re.Match[str], Table], T]) -> Callable[[Spoken, str], T | None]:
        @wraps(meant)
        def of_table(spoken: Spoken, asked: re.Match[str]) -> T | None:
            return meant(spoken, asked, spoken.table) if spoken.table is not None else None

        return message(form)(of_table)

    return made


_COUNTED_BY = re.compile(r"^(number of the layer `[^`]+`) by ")
_VERB = re.compile(r" (are|were|have|had)\b", re.IGNORECASE)
_OF_THEM = re.compile(r"\bof (?:them|these|those|it)\b", re.IGNORECASE)


def keeps_pronoun(before: str, again: str) -> bool:
    """Whether a request is the previous one with another piece, but the same pronoun, which means the same rows as
    then: `which 5 of them have the lowest rent`, `and the highest?`."""
    old, new = before.lower().split(), again.lower().split()
    kept = (*_same_begin(old, new), *_same_begin(old[::-1], new[::-1]))
    return not PRONOUNS.isdisjoint(kept)


def _same_begin(words: Sequence[str], others: Sequence[str]) -> list[str]:
    return [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False))]
