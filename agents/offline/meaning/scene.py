"""The world as the planner sees it while it carries out one command, and the ways in which it can stop.

Built again at every step from the request: nothing is remembered between steps but the conversation itself.
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
from agents.geo.phrases import MAX_LISTED, listed
from agents.geo.texts import LIST_MORE
from agents.offline.answers import refusals, requests
from agents.offline.asked_once import asked_once
from agents.offline.conversation.memory import Rows
from agents.offline.language.conditions.contradictions import conjuncts
from agents.offline.language.lexicon import ORDINALS
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set
from agents.offline.meaning.conditions import Mention
from agents.ports import Analyst, DataSource, MapSession, OperationInfo, TableRegistry

T = TypeVar("T")


@runtime_checkable
class MapAgent(Protocol):
    """What the offline model needs of the agent that asks it."""

    registry: TableRegistry
    map: MapSession
    data: DataSource


def operations_of(agent: MapAgent) -> Sequence[OperationInfo]:
    """What an analysis may do that this agent can ask for; nothing without an analyst."""
    analyst: Analyst | None = getattr(agent, "analyst", None)
    return analyst.operations() if analyst is not None else ()


Calls = list[tuple[str, dict[str, Any]]]
"""Names of tools and their arguments, to be called in this order."""


log = logging.getLogger("agents.offline")
ALL_ASKED_ABOUT = {"both": 2, "both of them": 2, "all three of them": 3}
"""Words for the rows of several questions that were alike, and how many questions."""
MAX_OPTIONS = 500
"""Of a question, which are kept with its answer's memory in the log."""
_PLACES = {"first": 1, "1st": 1, **ORDINALS, **{str(place): place for place in range(1, 10)}}
_ANSWER_FILLERS = word_set("the a i mean meant one ones in of by table layer column please")


class Stop(Exception):
    """A command cannot be carried out as it stands."""


class Ask(Stop):
    """It can mean several things: `question` names the options, each of which may stand for `words` of the request.
    `goals` are the commands that mean the options, where they are known."""

    def __init__(
        self, question: str, options: Sequence[str], words: str = "", goals: Sequence[str] = ()
    ) -> None:
        super().__init__(question)
        self.question = question
        self.options = tuple(options[:MAX_OPTIONS])
        self.words = words
        self.goals = tuple(goals[:MAX_OPTIONS])


class Refuse(Stop):
    """The data or the tools cannot give it."""

    def __init__(self, reason: str, alternative: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.alternative = alternative


class Say(Stop):
    """Nothing needs to be done: this is the answer."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


async def unless_refused(found: Awaitable[T]) -> T | None:
    """What is looked up; None where the data cannot give it."""
    try:
        return await found
    except Refuse:
        return None


async def unless_failed(found: Awaitable[T]) -> T | None:
    """As `unless_refused`, and None where the look-up fails, too. Raises ToolUnavailable."""
    try:
        return await unless_refused(found)
    except ToolUnavailable:
        raise
    except ToolFailed as failure:
        log.info("looking something up failed: %s", failure)
        return None


@dataclass(frozen=True, slots=True)
class Done:
    """A call of the present command that has been made, and what became of it."""

    call: ToolCall
    arguments: Mapping[str, Any]
    result: ToolResult


@dataclass(frozen=True)
class Scene:
    """`done` are this command's own calls so far; `recent` the layers spoken of, the latest first; `result` the table
    that the latest analysis left, if it is still there.

    `preferred` are the answers to earlier questions; where there is a choice they decide it.
    """

    agent: MapAgent
    vocabulary: Vocabulary
    tools: frozenset[str]
    recent: tuple[str, ...] = ()
    done: tuple[Done, ...] = ()
    preferred: tuple[str, ...] = ()
    result: str | None = None
    rows: Rows | None = None
    """What the question before was about; `them`, in another question."""
    alike: tuple[Rows, ...] = ()
    """What the same question was about before that, for other places; with `rows` they are `both`."""

    @property
    def data(self) -> DataSource:
        return asked_once(self.agent, self.agent.data)

    @property
    def focus(self) -> Focus | None:
        return self.agent.map.focus

    @property
    def layers(self) -> tuple[Layer, ...]:
        return self.vocabulary.layers

    def table(self, table_id: str) -> Table:
        found = self.vocabulary.table(table_id)
        if found is None:
            raise Refuse(refusals.TABLE_GONE(table=table_id))
        return found

    def choose(self, options: Sequence[str], question: str, words: str = "") -> str:
        """The only option, the one that an earlier answer prefers, or a question."""
        if len(options) == 1:
            return options[0]
        chosen = chosen_option(options, self.preferred)
        if chosen is None:
            raise Ask(question, options, words)
        return chosen

    # --- layers ----------------------------------------------------------------------------------------------

    def recent_layer(self) -> Layer:
        """The layer that was spoken of last, else the selected one, else the topmost."""
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
        """At least one."""
        if not self.layers:
            raise Refuse(refusals.NO_LAYERS(), self.first_step())
        return list(self.layers)

    def layer_of(self, mention: Mention | None, *, sure: bool = False) -> Layer:
        """The one layer that is meant. `sure`: of several, none is taken only for being spoken of last."""
        if mention is not None and _is_of_several(mention):
            raise self._no_layer(mention)
        if mention is None or mention.pronoun:
            recent = self.recent_layer()
            if mention is not None and (
                mention.number not in (0, recent.count) or (mention.text == "which" and not self.recent)
            ):
                raise self._no_layer(mention)
            if mention is not None and recent.count == 1 and mention.text.lower().split()[-1:] == ["ones"]:
                raise self._no_layer(mention)  # `which ones …?`, behind the first of a ranking
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
        """The rows that `them` means, where no layer shows any of their table, or `both`."""
        if mention is not None and _is_of_several(mention):
            return self._all_asked_about(mention)
        shown = self.rows.table if self.rows is not None else ""  # of a chart of a layer, that layer
        drawn = any(shown in (layer.id, layer.table) for layer in self.layers)
        return self.rows if mention is not None and mention.pronoun and not drawn else None

    @property
    def charted(self) -> Rows | None:
        """The rows of the chart that was made last, where no layer shows any of their table."""
        rows = self.rows
        if rows is None or not rows.charted or self.vocabulary.table(rows.table) is None:
            return None
        return None if any(layer.table == rows.table for layer in self.layers) else rows

    def refuse_undrawn(self, mention: Mention) -> None:
        """Raises Refuse where the rows that `them` means are not those of a layer."""
        if self.undrawn(mention) is not None or self.narrowed(mention) is not None:
            raise self._no_layer(mention)

    def _all_asked_about(self, mention: Mention) -> Rows:
        """The rows of the same question, asked for several places. Raises Refuse where there are not that many."""
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
        """The rows that `them` means where the question before was about a part of what a layer shows."""
        if mention is None or not mention.pronoun or self.rows is None or self.rows.filter is None:
            return None
        layer = self.recent_layer()
        shown = conjuncts(layer.filter)
        asked = conjuncts(self.rows.filter)
        is_part = all(part in asked for part in shown) and len(asked) > len(shown) > 0
        return self.rows if layer.table == self.rows.table and is_part else None

    def filter_of(self, mention: Mention) -> Cql2 | None:
        """What the rows that are spoken of pass already: those of the question before, or what a layer shows."""
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
        """The one table that is meant, by its own name or that of a layer."""
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
        """Nothing is called so: what there is instead."""
        if mention.everything:
            return Refuse(refusals.EVERYTHING(), refusals.TABLES_ARE(names=self.some_tables()))
        if not self.vocabulary.index.by_id:
            return Refuse(refusals.NO_TABLES(), refusals.UPLOAD())
        return Refuse(refusals.NO_TABLE(text=mention.text), refusals.THERE_ARE(names=self.some_tables()))

    def some_tables(self, most: int = 8) -> str:
        tables = self.vocabulary.index.own
        known = Counter(table.name for table in tables)
        names = [table.name if known[table.name] == 1 else table.id for table in tables[:most]]
        shown = ", ".join(names)
        return LIST_MORE(first=shown, n=len(tables) - most) if len(tables) > most else shown

    def first_step(self) -> str:
        drawable = [table.name for table in self.vocabulary.index.own if table.geometry_column]
        if not drawable:
            return ""
        return refusals.SAY_EXAMPLE(example=requests.SHOW(name=drawable[0].replace("_", " ")))


def _is_of_several(mention: Mention) -> bool:
    """Whether it is `both` or alike, which no single layer is."""
    return mention.pronoun and mention.text.lower() in ALL_ASKED_ABOUT


def chosen_option(options: Sequence[str], answers: Sequence[str]) -> str | None:
    """The one option that an answer names, by all of it or by words that only that option has; the latest counts."""
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
    """The option that an answer names, or the place of: `the second one`, `2`."""
    words = [word for word in answer.lower().strip(" .!?").split() if word not in _ANSWER_FILLERS]
    place = _PLACES.get(words[0]) if len(words) == 1 else None
    return chosen_option(options, (answer,)) or (
        options[place - 1] if place is not None and place <= len(options) else None
    )
