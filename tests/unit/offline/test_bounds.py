"""No message holds the event loop or fails a turn, whatever it says and whatever was said before it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.domain import Table
from agents.offline.language.cursor import cursor_of
from agents.offline.language.reading import MAX_CHARACTERS, MAX_COMMANDS, MAX_STEPS, MAX_TOKENS, Unreadable
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.parser import parse
from tests.support.work import calls
from tests.unit.geo_agent.tables import AIRPORTS
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat
from tests.unit.offline.test_fuzz import VOCABULARY, WORDS

MAX_STALL_S = 0.05
BEAT_S = 0.002
MESSAGE_LIMIT = 8000
HOSTILE = (
    "show " + "airports and " * 600,
    "how many countries?",
    "9 " * 3999,
    "9" * 7999,
    "show airports " + "not " * 1500,
    "show airports " + "in Germany or " * 500,
    "'" * 7999,
    "a'" * 3999,
    "`a ``b " * 1000,
    "[" * 7999,
    "“" + "a" * 7900,
    "9.9" * 2600,
    "12," * 2600,
    "a@" * 3900,
    "1e999 1e99999 " * 500,
    "save this as recipe a" + " " * 7000 + "b",
    "run recipe " + "with a = 1 and " * 500,
)


class Stalls:
    """The longest time for which the event loop did not come round, in processor time of this process: a thread that
    keeps the interpreter to itself counts, another process on a busy machine does not."""

    def __init__(self) -> None:
        self.worst = 0.0

    async def watch(self) -> None:
        while True:
            before = time.process_time()
            await asyncio.sleep(BEAT_S)
            self.worst = max(self.worst, time.process_time() - before)


@asynccontextmanager
async def watched() -> AsyncIterator[Stalls]:
    stalls = Stalls()
    task = asyncio.create_task(stalls.watch())
    await asyncio.sleep(0)
    try:
        yield stalls
        await asyncio.sleep(BEAT_S)
    finally:
        task.cancel()


async def test_a_conversation_of_hostile_messages_never_holds_the_loop_and_every_turn_is_done() -> None:
    chat = Chat()

    async def stall_after(text: str) -> float:
        async with watched() as stalls:
            answer = await chat(text[:MESSAGE_LIMIT])
        assert answer.strip()
        assert await chat("how many countries?") == "There are 14 countries."
        return stalls.worst

    worst = {text[:40]: await stall_after(text) for text in HOSTILE}
    # A stall that a text causes comes again; one of the garbage collector does not.
    again = {text[:40]: await stall_after(text) for text in HOSTILE if worst[text[:40]] >= MAX_STALL_S}
    assert all(stall < MAX_STALL_S for stall in again.values()), again


@pytest.mark.parametrize("text", ["show " + "airports and " * 600, "9 " * 3999, "not " * 1500])
async def test_what_is_too_long_is_declined_with_the_limits(text: str) -> None:
    answer = await Chat()(text)
    assert str(MAX_TOKENS) in answer
    assert f"{MAX_CHARACTERS:,}" in answer
    assert str(MAX_COMMANDS) in answer


async def test_one_word_may_be_too_long() -> None:
    assert "too long" in await Chat()("show " + "a" * MAX_CHARACTERS)


def test_a_text_is_looked_at_a_bounded_number_of_times() -> None:
    cursor = cursor_of("show airports")
    for _ in range(MAX_STEPS):
        cursor.word()
    with pytest.raises(Unreadable, match="too many ways"):
        cursor.word()


async def test_more_commands_than_are_read_at_once_change_nothing() -> None:
    chat = Chat()
    answer = await chat("; ".join(["show airports"] * (MAX_COMMANDS + 1)))
    assert str(MAX_COMMANDS) in answer
    assert chat.calls == []


async def test_a_long_statement_in_sql_is_not_too_long() -> None:
    answer = await Chat()("sql: SELECT " + ", ".join(["1"] * 1500))
    assert "SQL" in answer
    assert "too long" not in answer


LONG = st.one_of(
    st.text(max_size=MESSAGE_LIMIT),
    st.lists(st.sampled_from(WORDS), max_size=MAX_TOKENS + 10).map(" ".join),
    st.builds(
        lambda part, times: (part * times)[:MESSAGE_LIMIT],
        st.text(min_size=1, max_size=12),
        st.integers(1, 4000),
    ),
    st.builds(
        lambda words, times: " ".join(words * times)[:MAX_CHARACTERS],
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
        st.integers(1, 40),
    ),
)


@given(LONG)
@example("only Tobago remove Germany small = 10")
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_message_up_to_the_limit_raises_or_holds_the_loop(text: str) -> None:
    async def stall_after(text: str) -> float:
        chat = Chat(World())
        await chat("show airports")
        async with watched() as stalls:
            assert (await chat(text if text.strip() else "?")).strip()
        return stalls.worst

    # A stall that the text causes comes every time; one of the garbage collector does not.
    assert any(asyncio.run(stall_after(text)) < MAX_STALL_S for _ in range(3)), text


def test_a_command_more_is_no_work_on_the_words_of_all_templates() -> None:
    spent = []
    for text in ("show airports", "; roads" * MAX_COMMANDS):
        spent.append(calls(lambda text=text: parse(text, VOCABULARY)))  # type: ignore[misc]
    _warming_up, twelve = spent
    assert twelve < 150_000


@pytest.mark.parametrize("text", ["count airports", "show airports"])
async def test_a_request_is_read_once_for_all_steps_while_the_map_names_the_same(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    read: list[tuple[object, ...]] = []

    def noted(written: str, vocabulary: Vocabulary, default: Table | None, start: int) -> object:
        read.append((written, default, start, vocabulary.layers))
        return parse(written, vocabulary, default, start)

    monkeypatch.setattr("agents.offline.analyses_read.parse", noted)
    chat = Chat(World((AIRPORTS[0].model_copy(), AIRPORTS[1])))
    await chat(text)
    await chat(f"{text}!")
    assert read
    assert len(read) == len(set(map(repr, read)))
