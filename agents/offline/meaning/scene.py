"""The planner's view of the map and data while it carries out one command, and the ways in which it can stop.

Built again from the request at every step: only the conversation itself is remembered between steps.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.core.messages import ToolCall, ToolResult
from agents.domain import Cql2, Focus, Layer, Table
from agents.geo.wording.phrases import MAX_LISTED, listed
from agents.geo.wording.texts import LIST_MORE
from agents.offline.answers import refusals, requests
from agents.offline.asked_once import asked_once
from agents.offline.conversation.memory import Question, Rows
from agents.offline.language.lexicon import ORDINALS
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import Mention
from agents.offline.meaning.cql2 import conjuncts
from agents.ports import Analyst, DataSource, MapSession, OperationInfo, TableRegistry
from agents.units import UNITS

T = TypeVar("T")


@runtime_checkable
class MapAgent(Protocol):
    """What the offline model needs from the agent that calls it."""

    registry: TableRegistry
    map: MapSession
    data: DataSource


def operations_of(agent: MapAgent) -> Sequence[OperationInfo]:
    """The analysis operations that this agent offers; none without an analyst."""
    analyst: Analyst | None = getattr(agent, "analyst", None)
    return analyst.operations() if analyst is not None else ()


Calls = list[tuple[str, dict[str, Any]]]
"""Tool calls to make, in order: names and arguments."""
log = logging.getLogger("agents.offline")
ALL_ASKED_ABOUT = {"both": 2, "both of them": 2, "all three of them": 3}
"""Words for the rows of several similar questions, and the number of questions."""
MAX_OPTIONS = 500
"""Maximum number of options of a question stored with the answer in the log."""
_PLACES = {"first": 1, "1st": 1, **ORDINALS, **{str(place): place for place in range(1, 10)}}
_ANSWER_FILLERS = word_set("the a i mean meant what about one ones in of by table layer column please")


class Stop(Exception):
    """The command ends here, without a result."""


class Ask(Stop):
    """The command is ambiguous.

    `question` lists the options, each of which may replace `words` of the request. `goals`: the commands that
    express the options, if known.
    """

    def __init__(
        self, question: str, options: Sequence[str], words: str = "", goals: Sequence[str] = ()
    ) -> None:
        super().__init__(question)
        self.question = question
        self.options = tuple(options[:MAX_OPTIONS])
        self.words = words
        self.goals = tuple(goals[:MAX_OPTIONS])


class Refuse(Stop):
    """The data or tools cannot provide this: why, and an alternative. `wrong`: words that may mean one of `names`."""

    def __init__(
        self, reason: str, alternative: str = "", *, wrong: str = "", names: Sequence[str] = ()
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.alternative = alternative
        self.wrong, self.names = wrong, tuple(names)


class Say(Stop):
    """Nothing needs to be done; `text` is the answer."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


async def unless_refused(found: Awaitable[T]) -> T | None:
    """The result of a look-up; None if it is refused."""
    try:
        return await found
    except Refuse:
        return None


async def unless_failed(found: Awaitable[T]) -> T | None:
    """The result of a look-up; None if it is refused or fails. Raises ToolUnavailable."""
    try:
        return await unless_refused(found)
    except ToolUnavailable:
        raise
    except ToolFailed as failure:
        log.info("looking something up failed: %s", failure)
        return None


@dataclass(frozen=True, slots=True)
class Done:
    """A completed call of the current command, and its result."""

    call: ToolCall
    arguments: Mapping[str, Any]
    result: ToolResult


@dataclass(frozen=True)
class Scene:
    """State of the map and conversation for one command.

    `done`: this command's completed calls. `recent`: layers mentioned, latest first. `result`: the table of the
    latest analysis, if it still exists. `preferred`: answers to earlier questions, used to decide choices.
    `counts`: a number of rows is asked, which may be 0.
    """

    agent: MapAgent
    vocabulary: Vocabulary
    tools: frozenset[str]
    recent: tuple[str, ...] = ()
    done: tuple[Done, ...] = ()
    preferred: tuple[str, ...] = ()
    result: str | None = None
    rows: Rows | None = None
    """The rows of the previous question: `them` in the next one."""
    alike: tuple[Rows, ...] = ()
    """Rows of earlier, similar questions about other places; together with `rows` they are `both`."""
    unanswered: str = ""
    """The command, if the previous request was declined or needs an answer, so that its rows are not known."""
    partly: bool = False
    """A part of that previous request was carried out."""
    counts: bool = False

    @property
    def data(self) -> DataSource:
        """The data source, cached within a step."""
        return asked_once(self.agent, self.agent.data)

    @property
    def focus(self) -> Focus | None:
        """What the user points at."""
        return self.agent.map.focus

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of the map."""
        return self.vocabulary.layers

    def table(self, table_id: str) -> Table:
        """The table with this id. Raises Refuse if it no longer exists."""
        found = self.vocabulary.table(table_id)
        if found is None:
            raise Refuse(refusals.TABLE_GONE(table=table_id))
        return found

    def choose(self, options: Sequence[str], question: str, words: str = "") -> str:
        """The only option, or the one preferred by an earlier answer. Raises Ask otherwise."""
        if len(options) == 1:
            return options[0]
        chosen = chosen_option(options, self.preferred)
        if chosen is None:
            raise Ask(question, options, words)
        return chosen

    # --- layers ----------------------------------------------------------------------------------------------

    def recent_layer(self) -> Layer:
        """The layer mentioned last, else the selected one, else the topmost. Raises Refuse if the map has none."""
        for layer_id in self.recent:
            layer = self.vocabulary.layer(layer_id)
            if layer is not None:
                return layer
        if self.focus is not None and self.focus.layer_id:
            layer = self.vocabulary.layer(self.focus.layer_id)
            if layer is not None:
                return layer
        if self.layers:
            return self.layers[-1]
        raise Refuse(refusals.NO_LAYERS(), self.first_step())

    def all_layers(self) -> list[Layer]:
        """All layers. Raises Refuse if the map has none."""
        if not self.layers:
            raise Refuse(refusals.NO_LAYERS(), self.first_step())
        return list(self.layers)

    def layer_of(self, mention: Mention | None, *, sure: bool = False) -> Layer:
        """The layer that is meant. With `sure`, an ambiguous name is not resolved to the layer mentioned
        last. Raises Ask or Refuse."""
        if mention is not None and _is_of_several(mention):
            raise self._no_layer(mention)
        if mention is None or mention.pronoun:
            recent = self.recent_layer()
            if mention is not None and (
                mention.number not in (0, recent.count) or (mention.text == "which" and not self.recent)
            ):
                raise self._no_layer(mention)
            if mention is not None and recent.count == 1 and mention.text.lower().split()[-1:] == ["ones"]:
                raise self._no_layer(mention)  # `which ones …?` after the first row of a ranking
            return recent
        if len(mention.layers) > 1:
            for layer_id in () if sure else self.recent:
                if layer_id in mention.layers:
                    return self._layer(layer_id)
            named = listed(
                [f"{each} ({self._layer(each).name})" for each in mention.layers], "or", MAX_LISTED
            )
            chosen = self.choose(mention.layers, refusals.WHICH_LAYER(names=named), mention.text)
            return self._layer(chosen)
        if mention.layers:
            return self._layer(mention.layers[0])
        if not self.layers:
            raise Refuse(refusals.NO_LAYERS(), self.first_step())
        raise self._no_layer(mention)

    def _no_layer(self, mention: Mention) -> Refuse:
        there = ", ".join(f"“{layer.name}”" for layer in self.layers[:8])
        return Refuse(refusals.NO_LAYER(text=mention.text), refusals.LAYERS_ARE(names=there) if there else "")

    def undrawn(self, mention: Mention | None) -> Rows | None:
        """The rows that `them` means if no layer shows their table, or those of `both`."""
        if mention is not None and _is_of_several(mention):
            return self._all_asked_about(mention)
        shown = self.rows.table if self.rows is not None else ""  # for a chart of a layer, the layer's id
        drawn = any(shown in (layer.id, layer.table) for layer in self.layers)
        return self.rows if mention is not None and mention.pronoun and not drawn else None

    @property
    def charted(self) -> Rows | None:
        """The rows of the latest chart, if no layer shows their table."""
        rows = self.rows
        if rows is None or not rows.charted or self.vocabulary.table(rows.table) is None:
            return None
        return None if any(layer.table == rows.table for layer in self.layers) else rows

    def refuse_undrawn(self, mention: Mention) -> None:
        """Raise Refuse if the rows that `them` means are not those of a layer."""
        if self.undrawn(mention) is not None or self.narrowed(mention) is not None:
            raise self._no_layer(mention)

    def refuse_others(self, mention: Mention) -> None:
        """Raise Refuse if the previous question was about other rows than the layer that `them` would mean."""
        layer, rows = self.layer_of(mention), self.rows
        if mention.pronoun and rows is not None and rows.table not in (layer.id, layer.table):
            raise self._no_layer(mention)
        if mention.pronoun and rows is not None and rows.filter != layer.filter and not rows.charted:
            raise self._no_layer(mention)

    def _all_asked_about(self, mention: Mention) -> Rows:
        """The rows of the same question about several places. Raises Refuse if their number differs."""
        asked = (*self.alike, *((self.rows,) if self.rows is not None else ()))
        number = ALL_ASKED_ABOUT[mention.text.lower()]
        if (
            len(asked) != number
            or len({each.table for each in asked}) > 1
            or not all(each.filter and not each.sort for each in asked)
        ):
            raise self._no_layer(mention)
        return Rows(asked[0].table, {"op": "or", "args": [each.filter for each in asked]})

    def narrowed(self, mention: Mention | None) -> Rows | None:
        """The rows that `them` means if the previous question was about a part of what a layer shows."""
        if mention is None or not mention.pronoun or self.rows is None or self.rows.filter is None:
            return None
        layer = self.recent_layer()
        shown = conjuncts(layer.filter)
        asked = conjuncts(self.rows.filter)
        is_part = all(part in asked for part in shown) and len(asked) > len(shown) > 0
        return self.rows if layer.table == self.rows.table and is_part else None

    def filter_of(self, mention: Mention) -> Cql2 | None:
        """The filter of the mentioned rows: that of the previous question, or of the layer. Raises Ask or Refuse."""
        if _is_of_several(mention):
            return self._all_asked_about(mention).filter
        if mention.pronoun and self.rows is not None:
            if mention.number not in (0, self.rows.number):
                raise self._no_layer(mention)
            return self.rows.filter
        if mention.everything and mention.layers:
            filters = [self._layer(each).filter for each in mention.layers]
            return None if None in filters else {"op": "or", "args": filters}
        return self.layer_of(mention).filter if mention.of_layer else None

    def _layer(self, layer_id: str) -> Layer:
        layer = self.vocabulary.layer(layer_id)
        if layer is None:
            raise Refuse(refusals.SCENE_LAYER_GONE(layer=layer_id))
        return layer

    def table_of(self, mention: Mention) -> Table:
        """The table that is meant, by its own name or a layer's. Raises Ask or Refuse."""
        if _is_of_several(mention):
            return self.table(self._all_asked_about(mention).table)
        if mention.pronoun and self.rows is not None:
            return self.table(self.rows.table)
        if mention.pronoun or (not mention.tables and mention.layers):
            return self.table(self.layer_of(mention).table)
        if not mention.tables:
            raise self.unknown(mention)
        options = mention.tables
        shown = [layer.table for layer in self.layers if layer.table in options]
        if len(options) > 1 and len(set(shown)) == 1 and not self.preferred:
            return self.table(shown[0])
        question = refusals.WHICH_TABLE(names=listed(options, "or", MAX_LISTED))
        return self.table(self.choose(options, question, mention.text))

    def unknown(self, mention: Mention) -> Refuse:
        """A refusal that says that nothing has this name, and lists what exists."""
        if mention.everything:
            return Refuse(refusals.EVERYTHING(), refusals.TABLES_ARE(names=self.some_tables()))
        if not self.vocabulary.index.by_id:
            return Refuse(refusals.NO_TABLES(), refusals.UPLOAD())
        having = {table.name: None for table, _, _ in self.vocabulary.values_called(name_words(mention.text))}
        if len(having) > 1:
            return Refuse(refusals.VALUE_IN_TABLES(text=mention.text, names=listed([*having])))
        return Refuse(refusals.NO_TABLE(text=mention.text), refusals.THERE_ARE(names=self.some_tables()))

    def some_tables(self, most: int = 8) -> str:
        """The names of the first tables, and how many more there are."""
        tables = self.vocabulary.index.own
        known = Counter(table.name for table in tables)
        names = [table.name if known[table.name] == 1 else table.id for table in tables[:most]]
        shown = ", ".join(names)
        return LIST_MORE(first=shown, n=len(tables) - most) if len(tables) > most else shown

    def first_step(self) -> str:
        """An example request for an empty map."""
        drawable = [table.name for table in self.vocabulary.index.own if table.geometry_column]
        if not drawable:
            return ""
        return refusals.SAY_EXAMPLE(example=requests.SHOW(name=drawable[0].replace("_", " ")))


def _is_of_several(mention: Mention) -> bool:
    """Whether the mention is `both` or similar, which is never a single layer."""
    return mention.pronoun and mention.text.lower() in ALL_ASKED_ABOUT


def chosen_option(options: Sequence[str], answers: Sequence[str]) -> str | None:
    """The only option that an answer names, in full or by words unique to it; the latest answer wins."""
    for answer in reversed(answers):
        wanted = answer.strip(" .!?\"'“”").lower()
        words = set(wanted.split()) - _ANSWER_FILLERS
        exact = [option for option in options if option.lower() == wanted]
        one_word = [option for option in options if words == {option.lower()}]
        by_words = [
            option for option in options if words and words <= set(re.split(r"[\W_]+", option.lower()))
        ]
        for fitting in (exact, one_word, by_words):
            if len(fitting) == 1:
                return fitting[0]
    return None


def option_meant(options: Sequence[str], answer: str) -> str | None:
    """The option that an answer names, in words or by position: `the second one`, `2`."""
    words = [word for word in answer.lower().strip(" .!?").split() if word not in _ANSWER_FILLERS]
    place = _PLACES.get(words[0]) if len(words) == 1 else None
    return chosen_option(options, (answer,)) or (
        options[place - 1] if place is not None and place <= len(options) else None
    )


def answered(question: Question, text: str) -> tuple[str, tuple[str, ...]]:
    """The request that a reply to a question completes, and all replies so far; for any other message, its text."""
    option, far = option_meant(question.options, text), _FAR.fullmatch(text.strip())
    if option is None and far is not None and all(map(_WITHIN.search, question.options)):
        return _NEAR.sub(lambda _: f"within {far['far']} of", question.request, count=1), ()
    if option is None:
        return text, ()
    requests = dict(zip(question.options, question.requests, strict=False))
    return requests.get(option, question.request), (*question.answers, option)


_LENGTHS = rf"\d[\d.,]* ?(?:{'|'.join(name for name, unit in UNITS.items() if unit.dimension == 'length')})"
_WITHIN = re.compile(rf"\bwithin {_LENGTHS} of\b", re.IGNORECASE)
_FAR = re.compile(rf"(?i)(?:(?:only|just|within|up to|about) )*(?P<far>{_LENGTHS})(?: only| please)*\W*")
"""A distance instead of those that were offered for `near`."""
_NEAR = re.compile(r"\b(?:near(?:by)?|close|next)(?: to)?\b|\baround\b", re.IGNORECASE)
