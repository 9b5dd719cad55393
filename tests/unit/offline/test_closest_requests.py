"""What is offered in place of a request that cannot be read: plain requests with the parts that it names."""

from __future__ import annotations

import pytest

from agents.offline.offers.declined import MAX_OFFERED
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

FACILITIES = make_table(
    "data.health_facilities", "POINT", "Clinics and hospitals",
    [("id", "integer", ""), ("fac_name", "text", ""), ("fac_type", "text", ""), ("ideal_status", "text", ""),
     ("tb_site", "text", "TB treatment site (Y/N)"), ("wait_min", "integer", "Average waiting time, minutes")],
    [(1, "Mowbray", "Hospital", "Gold", "Y", 60, (1.0, 1.0)),
     (2, "Woodstock", "Clinic", "Silver", "N", 30, (1.0, 1.1))],
)  # fmt: skip
CASES = make_table(
    "data.nmc_cases", "POINT", "Notified cases",
    [("id", "integer", ""), ("disease", "text", ""), ("age_yrs", "integer", ""), ("onset", "date", ""),
     ("outcome", "text", "")],
    [(1, "Measles", 3, "2024-02-01", "failed - predation", (1.0, 1.0)),
     (2, "Pertussis", 9, "2023-01-01", "died", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    desk = Desk(World(FACILITIES, CASES))
    return Chat(desk.world, analyst=desk)


def offered(answer: str) -> list[str]:
    return [line.removeprefix("- ") for line in answer.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(
    ("request_", "closest"),
    [
        ("average age of those struck by pertussis", "average age of nmc cases where disease is Pertussis"),
        (
            "tell me which hospitals ended up gold",
            "show health facilities where fac type is Hospital and ideal status is Gold",
        ),
        ("how many cases got lost to predation", 'how many nmc cases where outcome is "failed - predation"'),
        ("facilities doing TB for us", "show health facilities where tb site is Y"),
        ("facilities not doing TB for us", "show health facilities where tb site is not Y"),
        ("facilities without a proper TB corner", "show health facilities where tb site is not Y"),
        ("how many kids caught measles since 2024", "how many nmc cases since 2024 where disease is Measles"),
        ("split the cases per disease somehow", "number of nmc cases by disease"),
    ],
)
async def test_the_first_offer_has_all_parts_that_the_request_names(
    chat: Chat, request_: str, closest: str
) -> None:
    answer = await chat(request_)
    assert chat.layers == {}, answer
    assert offered(answer)[:1] == [closest], answer


async def test_a_refused_analysis_offers_the_closest_requests_too(chat: Chat) -> None:
    answer = await chat("gold hospitals within 500 m of a really shiny case")
    assert chat.layers == {}, answer
    assert any("Gold" in each for each in offered(answer)), answer


async def test_a_word_that_is_left_out_takes_its_helping_verb_along(chat: Chat) -> None:
    answer = await chat("how many cases did we monitor in 2024")
    assert offered(answer)[0] == "how many cases in 2024", answer


async def test_an_offer_can_be_carried_out(chat: Chat) -> None:
    (first, *_) = offered(await chat("tell me which hospitals ended up gold"))
    answer = await chat(first)
    (layer,) = chat.layers.values()
    wanted = [where("fac_type", "=", "Hospital"), where("ideal_status", "=", "Gold")]
    assert layer.filter == {"op": "and", "args": wanted}, answer


async def test_a_few_requests_are_offered_and_none_twice(chat: Chat) -> None:
    lines = offered(await chat("hospitals that went for gold in the end"))
    assert 0 < len(lines) <= MAX_OFFERED
    assert len(set(lines)) == len(lines)


async def test_nothing_is_offered_about_tables_that_the_request_does_not_name(chat: Chat) -> None:
    lines = offered(await chat("frobnicate the gold ones"))
    assert lines
    assert all("nmc cases" not in each for each in lines)
