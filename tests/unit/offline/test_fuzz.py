"""Whatever is typed: the parser reads it to its end, the model answers, no call is refused, no turn fails."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents.domain import Focus, LayerDraft
from agents.offline.language.tokens import tokenize
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set
from agents.offline.parser import parse
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

WORDS = tuple(
    sorted(
        word_set("""
        show hide remove colour color label rename undo redo reset zoom to only just the a all ones
        airports cities countries parks roads main it them in of by with and or then not above below
        over between more than at least 2000 m km 1.5 million 6,500 ft 100k % Germany France Peru red
        blue viridis population elevation name is contains starts empty top 10 largest highest how many
        average what which where list describe heatmap as circles sized labelled 7 classes jenks opacity
        50 transparent above everything also without view here selected " ' ( ) , ; . ? ! # = > <
        data.airports within 50 near 2019-05-01 after before since named large small exclude keep filter
        Trinidad Tobago make bigger
""")
    )
)
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
_world = World()
asyncio.run(_world.map.add_layer(LayerDraft(table="data.airports")))
VOCABULARY = Vocabulary(_world.registry, _world.map.layers())


@given(st.text(max_size=200))
@settings(deadline=None)
@example("1" * 400)
@example("1e999")
@example("\u0000\ud800'\"“")
@example("1,2,3,4,,,5..6..7--8")
def test_every_text_is_cut_into_tokens_that_cover_it(text: str) -> None:
    tokens = tokenize(text)
    assert all(one.end <= other.start for one, other in pairwise(tokens))
    covered = "".join(text[token.start : token.end] for token in tokens)
    assert covered.split() == [] if not text.split() else "".join(covered.split()) == "".join(text.split())


@given(st.one_of(st.text(max_size=200), SENTENCES))
@settings(max_examples=400)
def test_every_request_is_read_to_its_end_in_commands_that_follow_each_other(text: str) -> None:
    commands = parse(text, VOCABULARY)
    assert all(one.end <= other.start for one, other in pairwise(commands))
    assert all(0 <= command.start < command.end <= len(text) for command in commands)


@given(st.lists(st.one_of(SENTENCES, st.text(max_size=60)), min_size=1, max_size=3))
@settings(max_examples=150)
def test_the_model_always_answers_and_never_makes_a_call_that_is_refused(texts: list[str]) -> None:
    async def talk() -> None:
        chat = Chat(World(focus=Focus(bounds=(5.0, 45.0, 15.0, 55.0))))
        for text in texts:
            answer = await chat(text if text.strip() else "?")
            assert answer.strip()
            refused = [fault for fault in chat.failed if "was not run" in fault]
            assert refused == [], (text, chat.calls)
            assert "internal reason" not in " ".join(chat.failed)
            assert "something went wrong" not in answer

    asyncio.run(talk())
