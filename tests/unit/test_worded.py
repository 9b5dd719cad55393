"""Texts of the server keep the codes and values that they were made with."""

from __future__ import annotations

import re

import pytest

from agents.geo.phrases import count_of, filter_words, listed, rounded
from agents.offline.answers.wording import plain
from agents.worded import TEMPLATES, Template, Worded, joined, numeral, stored_wording, wording_of
from server.protocol.export import wordings
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat


def test_a_template_gives_its_text_with_the_places_of_the_values() -> None:
    said = count_of(28_298, "row")
    (part,) = said.wording
    assert (said, part.code, part.values["n"].number) == ("28,298 rows", "count_row", 28_298)
    assert said[part.values["n"].start : part.values["n"].end] == "28,298"
    assert count_of(1, "row") == "1 row"


def test_joining_keeps_the_parts_at_their_places() -> None:
    said = "I counted: " + joined("; ", ("so", count_of(2, "row"), numeral(3))) + "."
    assert said == "I counted: so; 2 rows; 3."
    assert [(said[each.start : each.end], each.code) for each in said.wording] == [
        ("2 rows", "count_row"),
        ("3", "number"),
    ]


def test_escaping_spares_what_templates_said() -> None:
    said = plain(filter_words({"op": "=", "args": [{"property": "_name"}, "a*b"]}))
    assert said == "\\_name is a\\*b"
    assert isinstance(said, Worded)
    (part,) = said.wording
    assert [said[slot.start : slot.end] for slot in part.values.values()] == ["\\_name", "a\\*b"]


async def test_the_reason_of_a_refusal_has_a_code() -> None:
    (part, *_) = wording_of(await Chat(World())("show unicorns"))
    assert [inner.code for inner in part.values["reason"].wording] == ["no_table_here"]


def test_values_are_nested() -> None:
    (part,) = listed([count_of(2, "row"), "none"]).wording
    assert [inner.code for inner in part.values["first"].wording] == ["count_row"]


def test_a_rounded_number_is_what_it_shows() -> None:
    assert (rounded(10_012_345), rounded(10_012_345).number) == ("10.0 million", 1e7)


def test_a_code_means_one_text() -> None:
    with pytest.raises(ValueError, match="count_row"):
        Template("count_row", "{n} other rows")
    assert TEMPLATES["count_row"] in wordings().values()


@pytest.mark.parametrize(
    "request_",
    [
        "show airports in Germany in red",
        "colour countries by population",
        "how many airports are there",
        "average elevation of airports",
        "top 3 airports by elevation",
        "which tables are there?",
        "show unicorns",
        "help",
        "undo",
    ],
)
async def test_fixed_parts_of_answers_have_codes(request_: str) -> None:
    chat = Chat(World())
    answer = await chat(request_)
    said = stored_wording(answer)
    assert said, answer
    rest, at = "", 0
    for part in said["wording"]:
        rest += answer[at : part["start"]]
        at = part["end"]
    rest += answer[at:]
    prose = [line for line in rest.splitlines() if not line.startswith(("|", "- "))]
    assert not re.findall(r"\b(?:the|is|are|no|of|with|there)\b", " ".join(prose).lower()), rest
