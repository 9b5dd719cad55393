"""Texts of the server keep the codes and values that they were made with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from agents.geo.wording.phrases import count_of, filter_words, listed, refusal, rounded
from agents.offline.answers.wording import plain
from agents.worded import (
    TEMPLATES,
    Template,
    Worded,
    joined,
    numeral,
    packed,
    stored_wording,
    stored_wordings,
    unpacked,
    wording_of,
)
from server.gis.ingest import fault_texts
from server.gis.operations.deduplicate import WITHOUT_VALUE
from server.gis.reading.notes import DAMAGED
from server.gis.styles.notes import FEWER_CLASSES, FEWER_VALUES, short_number
from server.protocol.export import wordings
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat


def test_a_template_gives_its_text_with_the_places_of_the_values() -> None:
    said = count_of(28_298, "row")
    (part,) = said.wording
    assert (said, part.code, part.values["n"].number) == ("28,298 rows", "count_row", 28_298)
    assert said[part.values["n"].start : part.values["n"].end] == "28,298"
    assert count_of(1, "row") == "1 row"


def test_a_number_that_stands_once_may_decide_other_words_too() -> None:
    said = WITHOUT_VALUE(n=2, what="name")
    (part,) = said.wording
    assert said == "2 rows without a value of name were kept."
    assert said[part.values["n"].start : part.values["n"].end] == "2"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (fault_texts.UNUSABLE_ROWS(n=1, problems="no place"), " 1 row was not usable: no place."),
        (fault_texts.UNCHECKED(n=1), "1 polygon has too many vertices to check whether it is valid."),
        (FEWER_VALUES(n=4, asked=5, values=4), "4 classes instead of 5, because there are only 4 values."),
        (short_number(349_000, 3), "349,000"),
        (FEWER_CLASSES(n=1, asked=5), "1 class instead of 5, because many rows share a value."),
    ],
)
def test_what_is_said_of_one_thing_is_singular(said: Worded, text: str) -> None:
    assert said == text


def test_joining_keeps_the_parts_at_their_places() -> None:
    said = "I counted: " + joined("; ", ("so", count_of(2, "row"), numeral(3))) + "."
    assert said == "I counted: so; 2 rows; 3."
    assert [(said[each.start : each.end], each.code) for each in said.wording] == [
        ("2 rows", "count_row"),
        ("3", "number"),
    ]


def test_a_sentence_within_a_refusal_keeps_its_code_without_its_full_stop() -> None:
    said = refusal(WITHOUT_VALUE(n=2, what="name"))
    assert said.endswith("name were kept.")
    (part,) = wording_of(said)
    assert [inner.code for inner in part.values["reason"].wording] == [WITHOUT_VALUE.code]


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


REFUSED = (
    "show unicorns",
    "show everything",
    "zoom to Nowhereland",
    "colour airports by weather",
    "hide the rivers",
    "show airports where elevation is Paris",
    "average name of airports",
    "only the ones above 2000",
    "undo",
    "drop the table airports",
    "export the airports",
    "save this map",
    "play the airports by year",
    "airport with the longest name",
    "fastest route from Berlin to Ulm",
    "how many airports are there and cities",
    "what is on the map?",
    "show these",
    "airports near Berlin",
    "buffer the airports by some way",
    "frobnicate the airports",
)


@pytest.mark.parametrize("request_", REFUSED)
async def test_no_sentence_of_a_refusal_stays_english(request_: str) -> None:
    """Requests to click on are in the language that the model reads."""
    answer = await Chat(World())(request_)
    lines = [line for piece in _own_words(answer) for line in piece.splitlines() if not line.startswith("- ")]
    left = [line for line in lines if line.strip(" .,?-") not in request_]
    assert [line for line in left if _SENTENCE.search(line)] == [], answer


_SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")


def _own_words(text: str) -> Iterator[str]:
    """What no template made, also among the values of templates."""
    at = 0
    for part in wording_of(text):
        yield text[at : part.start]
        own, at = text[part.start : part.end], part.end
        for slot in part.values.values():
            yield from _own_words(Worded(own[slot.start : slot.end], slot.wording))
    yield text[at:]


def test_a_text_of_another_process_keeps_its_parts() -> None:
    said = DAMAGED(file="towns.zip", why=count_of(2, "row"))
    sent = unpacked(json.loads(json.dumps(packed(said))))
    assert (sent, wording_of(sent)) == (said, said.wording)
    assert unpacked(packed("plain")) == "plain"


def test_parts_are_kept_by_text() -> None:
    assert stored_wordings(["plain", count_of(2, "row")]) == {
        "2 rows": stored_wording(count_of(2, "row"))["wording"]
    }
