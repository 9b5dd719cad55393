"""Sentences of a random grammar: each content word of one that is carried out was read, and no word without a meaning
is passed over.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.offline.language.cursor import cursor_of
from agents.offline.language.grammar import compiled, words_of_templates
from agents.offline.language.reading import Unreadable
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set
from agents.offline.parser import parse
from tests.support.work import calls
from tests.unit.geo_agent.tables import EVERYTHING
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

MAX_CALLS, MAX_FIRST_CALLS = 260_000, 390_000
"""Of functions, to read up to four joined sentences of words and tables that were read before, and of new ones; a
processor core of 2024 makes about 2,500 in a millisecond."""
NOT_CARRIED_OUT = ("refused", "unread", "asked", "failed")
MEANINGLESS = ("frobnicated", "runway", "quietly", "northern", "tariff", "unless", "yesterday", "roughly")
ROWS = st.sampled_from(["airports", "cities", "countries", "the airports", "all cities"])
OPENINGS = st.one_of(
    st.sampled_from(
        ["show", "list", "how many", "which", "top 5", "colour", "find", "label", "hide", "zoom to"]
    ),
    st.builds(
        lambda figure, column: f"{figure} {column} of",
        st.sampled_from(["average", "total", "highest", "median"]),
        st.sampled_from(["elevation", "population", "area"]),
    ),
    st.sampled_from(
        ["number of", "percentage of", "buffer", "count", "histogram of elevation of", "only the"]
    ),
)
CONDITIONS = st.sampled_from([
    "above 2000 m", "below 500 m", "in Germany", "in Europe", "not in Peru", "with more than 1 million people",
    "with an iata code", "without an iata code", "whose name contains Ulm", "within 50 km of Berlin",
    "more than 300 km from any airport", "between 100 and 900 m", "larger than 1000 km2", "without airports",
])  # fmt: skip
ENDINGS = st.sampled_from([
    "", "", "in red", "per country", "by continent", "in each country", "by population", "by 5 km", "there are",
    "coloured by population", "as circles sized by population", "in viridis with 7 classes", "then label them",
    "and zoom to them", "then only the ones in Germany", "and count them by country",
])  # fmt: skip
SENTENCES = st.builds(
    lambda opening, rows, conditions, ending: " ".join(filter(None, (opening, rows, *conditions, ending))),
    OPENINGS, ROWS, st.lists(CONDITIONS, max_size=3), ENDINGS,
)  # fmt: skip
FUNCTION_WORDS = word_set("""
    the all a an any of in by with as is are and then to there them each show find list which only whose ones from whole
""")
"""Words without which a sentence may say the same."""


class Attempt:
    """What a request did on a map of its own that shows the airports."""

    def __init__(self, text: str) -> None:
        asyncio.run(self._run(text))

    async def _run(self, text: str) -> None:
        world = World()
        desk = Desk(world)
        chat = Chat(world, analyst=desk)
        await chat("show airports")
        self.answer = await chat(text)
        assert chat.finished is not None
        self.outcome: str = chat.finished.memory["offline"]["outcome"]
        calls = [(name, arguments) for name, arguments in chat.calls if name != "run_analysis"]
        analysed = len(calls) < len(chat.calls)
        style = desk.analysis.style.model_dump() if desk.analysis.style is not None else None
        self.did: Any = (calls, desk.analysis.steps if analysed else [], style)


@given(SENTENCES, st.integers(0, 40), st.sampled_from(MEANINGLESS))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_a_word_without_a_meaning_is_passed_over_in_no_sentence(text: str, place: int, word: str) -> None:
    words = text.split()
    place %= len(words) + 1
    tried = Attempt(" ".join([*words[:place], word, *words[place:]]))
    assert tried.outcome in NOT_CARRIED_OUT, (words[:place], word, words[place:], tried.answer)


@given(SENTENCES, st.integers(0, 40))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_a_sentence_without_one_of_its_content_words_does_something_else(text: str, place: int) -> None:
    words = text.split()
    content = [at for at, each in enumerate(words) if each.lower() not in FUNCTION_WORDS]
    left_out = content[place % len(content)]
    whole, part = Attempt(text), Attempt(" ".join([*words[:left_out], *words[left_out + 1 :]]) or "?")
    if whole.outcome == "done" == part.outcome:
        assert whole.did != part.did, (text, words[left_out], whole.answer)


@given(st.lists(SENTENCES, min_size=1, max_size=4).map(" then ".join))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_a_sentence_of_content_words_is_read_with_little_work(text: str) -> None:
    try:
        cursor_of(text)
    except Unreadable:
        return
    vocabulary = _new_vocabulary()
    assert calls(lambda: parse(text, vocabulary)) < MAX_FIRST_CALLS, text
    assert calls(lambda: parse(text, vocabulary)) < MAX_CALLS, text


def _new_vocabulary() -> Vocabulary:
    """That of new tables, none of whose names and no words were compared before. The templates of the language stay as
    they are: they are read once, and not for a request."""
    for name, module in tuple(sys.modules.items()):
        for each in vars(module).values() if name.startswith("agents.offline.language.") else ():
            if hasattr(each, "cache_clear") and each not in (compiled, words_of_templates):
                each.cache_clear()
    world = World(*((table.model_copy(), rows) for table, rows in EVERYTHING))
    return Vocabulary(world.registry, world.map.layers(), Desk(world).operations())
