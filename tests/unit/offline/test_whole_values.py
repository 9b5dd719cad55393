"""Values with words of the language in them, values as nouns, columns named like a rate: read as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, no, where

FITTINGS = make_table(
    "data.fittings", "POINT", "Network fittings",
    [("id", "integer", ""), ("fit_type", "text", ""), ("flow_lpm", "integer", "tested hydrant flow, litres per minute"),
     ("state", "text", "valve position")],
    [(1, "hydrant", 900, None, (1.0, 1.0)), (2, "valve", None, "open", (1.0, 1.1)),
     (3, "hydrant", 700, None, (1.0, 1.2))],
)  # fmt: skip
MAINS = make_table(
    "data.mains", "LINESTRING", "Water mains (pipes)",
    [("id", "integer", ""), ("status", "text", "")],
    [(1, "live", (1.0, 1.0)), (2, "abandoned", (1.0, 1.1))],
)  # fmt: skip
BURSTS = make_table(
    "data.bursts", "POINT", "Bursts and leaks",
    [("id", "integer", ""), ("job_type", "text", ""), ("cause", "text", "")],
    [(1, "burst main", "frost", (1.0, 1.0)), (2, "service pipe leak", "unknown", (1.0, 1.1)),
     (3, "visible leak", None, (1.0, 1.2))],
)  # fmt: skip
CASES = make_table(
    "data.nmc_cases", "POINT", "Notified cases",
    [("id", "integer", ""), ("outcome", "text", ""), ("assessment", "text", ""), ("travelled", "text", "")],
    [(1, "still in hospital", "Not achieved", "yes", (1.0, 1.0)), (2, "recovered", "Gold", "no", (1.0, 1.1)),
     (3, "died", "Gold", "partly", (1.0, 1.2))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Bus stops",
    [("id", "integer", ""), ("stop_name", "text", ""), ("buses_per_hr", "integer", ""), ("operator", "text", "")],
    [(1, "Mill Lane", 9, "First", (1.0, 1.0)), (2, "Castle", 4, "Arriva", (1.0, 1.1))],
)  # fmt: skip
SIGHTINGS = make_table(
    "data.sightings", "POINT", "Casual bird and mammal sightings",
    [("id", "integer", ""), ("species", "text", ""), ("grp", "text", "bird / mammal")],
    [(1, "Chough", "bird", (1.0, 1.0)), (2, "Otter", "mammal", (1.0, 1.1))],
)  # fmt: skip
NESTS = make_table(
    "data.nest_sites", "POINT", "Nests",
    [("id", "integer", ""), ("species", "text", "")],
    [(1, "Chough", (1.0, 1.0)), (2, "Curlew", (1.0, 1.1))],
)  # fmt: skip
ORDERS = make_table(
    "data.work_orders", "POINT", "Work orders",
    [("id", "integer", ""), ("prty", "text", "Priority: P1 = urgent, P2 = high")],
    [(1, "P1", (1.0, 1.0)), (2, "P2", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    return Chat(World(ORDERS, FITTINGS, MAINS, BURSTS, CASES, STOPS, SIGHTINGS, NESTS))


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("how many hydrants are there", "There are 2 fittings where fit_type is hydrant."),
        ("how many valves are there", "There is 1 fitting where fit_type is valve."),
        ("how many mains are live", "There is 1 main where status is live."),
        ("how many burst mains are there", "There is 1 burst where job_type is burst main."),
        ("how many cases are still in hospital", "There is 1 nmc case where outcome is still in hospital."),
        ("how many P1s are there", "There is 1 work order where prty is P1."),
        ("can i get the number of valves", "There is 1 fitting where fit_type is valve."),
        ("how many first bus stops are there", "There is 1 bus stop where operator is First."),
        ("how many bus stops have buses per hr over 8", "There is 1 bus stop where buses_per_hr > 8."),
    ],
)
async def test_rows_are_counted_by_the_value_that_is_named(chat: Chat, request_: str, answer: str) -> None:
    assert await chat(request_) == answer


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("mains where status is live", where("status", "=", "live")),
        ("mains that are not live", no(where("status", "=", "live"))),
        ("show service pipe leaks", where("job_type", "=", "service pipe leak")),
        ("cases where outcome is still in hospital", where("outcome", "=", "still in hospital")),
        ("cases where assessment is Not achieved", where("assessment", "=", "Not achieved")),
        ("cases where travelled is yes", where("travelled", "=", "yes")),
        ("bursts where cause is unknown", where("cause", "=", "unknown")),
        ("first bus stops", where("operator", "=", "First")),
        ("show bird sightings", where("grp", "=", "bird")),
        (
            "bursts where job type is visible leak or burst main",
            where("job_type", "in", ["visible leak", "burst main"]),
        ),
        ("hydrants with flow under 800 l/min", None),
    ],
)
async def test_rows_are_shown_by_the_whole_value(
    chat: Chat, request_: str, wanted: dict[str, Any] | None
) -> None:
    answer = await chat(request_)
    (layer,) = chat.layers.values()
    if wanted is None:
        assert layer.filter["args"][-1] == where("flow_lpm", "<", 800), answer
    else:
        assert layer.filter == wanted, answer


async def test_a_table_is_taken_by_its_whole_name_though_its_comment_lists_kinds() -> None:
    trees = make_table(
        "data.street_trees", "POINT", "Tree register: street and park trees",
        [("id", "integer", ""), ("loc_type", "text", "")],
        [(1, "Street", (1.0, 1.0)), (2, "Park", (1.0, 1.1))],
    )  # fmt: skip
    assert await Chat(World(trees))("how many street trees are there") == "There are 2 street trees."


async def test_a_share_of_rows_with_a_value_that_begins_like_the_state_of_a_layer(chat: Chat) -> None:
    answer = await chat("what percentage of bursts are visible leak")
    assert answer.startswith("33.3 % of the 3 bursts"), answer


async def test_a_value_of_several_tables_is_asked_about_with_requests_for_each(chat: Chat) -> None:
    answer = await chat("how many choughs are there")
    assert "“choughs” are rows of several tables: " in answer
    assert "- how many sightings where species is Chough" in answer
    assert "- how many nest sites where species is Chough" in answer
    assert await chat("how many nest sites where species is Chough") == (
        "There is 1 nest site where species is Chough."
    )
