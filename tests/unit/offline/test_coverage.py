"""Nothing is carried out of which a content word was not read: the check itself, and that every command goes by it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agents.offline
from agents.offline.coverage import language_words, unread_words
from agents.offline.language.reading import MAX_STEPS
from agents.offline.meaning.conditions import ColumnMention, Mention, OneOf
from agents.offline.meaning.intents import Count, Look, NotUnderstood, Show
from agents.offline.parser import Parser, parse
from tests.unit.geo_agent.world import World
from tests.unit.offline.test_fuzz import VOCABULARY, WORDS

NOISE = (
    "frobnicated",
    "runway",
    "quietly",
    "northern",
    "tariff",
    "yesterday",
    "Narnia",
    "wetland",
    "12",
    "'x'",
    "é",
    "—",
)
VALUES = tuple(
    str(value)
    for rows in World().data.rows.values()
    for row in rows[:10]
    for value in row.values()
    if isinstance(value, str)
)
ANYTHING = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from(VALUES), st.sampled_from(NOISE)), max_size=16
).map(" ".join)
LOOKING = ("take", "sees")
AIRPORTS = Mention("airports", ("data.airports",))


@pytest.mark.parametrize(
    ("text", "intent", "unread"),
    [
        ("show airports", Show(AIRPORTS), []),
        ("show military airports", Show(AIRPORTS), ["military"]),
        ("show military airports", Show(AIRPORTS, where=OneOf("military", how="kind")), []),
        ("airports in dark green by elevation", Show(AIRPORTS, Look(color="darkgreen")), ["elevation"]),
        ("airports by elevation", Show(AIRPORTS, Look(by=ColumnMention("elevation", ("elevation_m",)))), []),
        ("how many airports tomorrow", Count(AIRPORTS), ["tomorrow"]),
        ("airports of the 1980s", Show(AIRPORTS), []),
        ("show runways", NotUnderstood("", "show runways"), []),
    ],
)
def test_words_that_a_reading_does_not_hold_are_named(
    text: str, intent: Show | Count, unread: list[str]
) -> None:
    assert unread_words(text, intent) == unread


@given(ANYTHING)
@settings(max_examples=200, deadline=None)
def test_no_command_of_any_text_leaves_a_word_out(text: str) -> None:
    for command in parse(text, VOCABULARY):
        assert unread_words(command.text, command.intent) == [], command


@given(ANYTHING)
@settings(max_examples=60, deadline=None)
def test_no_text_takes_more_than_the_budget_of_steps(text: str) -> None:
    parser = Parser(text, VOCABULARY)
    parser.commands()
    assert parser.cursor.steps <= MAX_STEPS


def test_the_words_that_rules_look_for_are_words_of_the_language() -> None:
    """Each word in a `take` or `sees`, so that the check knows what was read and what was passed over."""
    known, missing = language_words(), set()
    for file in Path(agents.offline.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in LOOKING
            ):
                said = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
                missing |= {word for text in said for word in text.split() if word.isalpha()} - known
    assert missing == set()
