"""Times named by verbs, requests that are taken back, figures of fewer rows and denied flags: of a power utility and of
marine reserves."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.conversation.memory import Memory
from agents.offline.conversation.narrower import of_fewer_groups
from agents.offline.conversation.spoken import Spoken
from agents.offline.language.tokens import normalized
from agents.offline.language.vocabulary import Vocabulary
from server.gis.catalog.gazetteer import searchable
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

OUTAGES = make_table(
    "data.outages", "POINT", "Supply interruptions July 2024 - September 2025 (incident system)",
    [("id", "integer", ""), ("inc_ref", "text", ""), ("start_ts", "timestamp", ""),
     ("rest_ts", "timestamp", "Time of full restoration"), ("cause", "text", ""), ("cust_aff", "integer", "")],
    [(1, "INC-1", "2025-09-02T01:00:00", "2025-09-02T03:00:00", "Tree", 40, (36.8, -1.3)),
     (2, "INC-2", "2024-09-02T01:00:00", None, "Overload", 12, (36.81, -1.31))],
)  # fmt: skip
JOBS = make_table(
    "data.crew_jobs", "POINT", "",
    [("id", "integer", ""), ("job_no", "text", ""), ("crew", "text", ""), ("prio", "text", ""), ("status", "text", ""),
     ("raised_dt", "date", ""), ("due_dt", "date", ""), ("done_dt", "date", ""), ("cost_kes", "integer", "")],
    [(1, "WO-1", "Simba", "P1", "Done", "2025-04-01", "2025-05-01", "2025-08-01", 500, (36.8, -1.3)),
     (2, "WO-2", "Simba", "P2", "Open", "2025-07-02", "2025-09-01", None, None, (36.81, -1.31)),
     (3, "WO-3", "Ndovu", "P1", "Cancelled", "2024-01-02", "2024-03-01", None, 900, (36.81, -1.32))],
)  # fmt: skip
SUBSTATIONS = make_table(
    "data.substations", "POINT", "Primary substations",
    [("id", "integer", ""), ("ss_name", "text", ""), ("status", "text", ""), ("scada", "boolean", ""),
     ("comm_dt", "date", "Date of commissioning")],
    [(1, "Airport", "In service", True, "1999-01-01", (36.8, -1.3)),
     (2, "Gigiri", "Standby", False, "2009-01-01", (36.81, -1.31)),
     (3, "Ruaraka", "In service", False, "2010-01-01", (36.81, -1.31))],
)  # fmt: skip
RESERVES = make_table(
    "data.marine_reserve", "POINT", "",
    [("id", "integer", ""), ("res_name", "text", ""), ("no_take", "text", "Y = no fishing at all"),
     ("mgmt_plan", "boolean", "Has a management plan")],
    [(1, "Ninepin", "Y", True, (147.0, -43.0)), (2, "Kent", "N", False, (147.1, -43.1))],
)  # fmt: skip
INSPECTIONS = make_table(
    "data.food_inspections", "POINT", "",
    [("insp_id", "integer", ""), ("lic_no", "integer", "License number"), ("insp_dt", "date", ""),
     ("n_viol", "integer", "Number of violations cited")],
    [(1, 77, "2025-01-01", 3, (1.0, 1.0)), (2, 78, "2025-01-02", 9, (1.0, 1.1))],
)  # fmt: skip
COMPLAINTS = make_table(
    "data.complaints", "POINT", "",
    [("sr_no", "text", ""), ("sr_type", "text", ""), ("lic_no", "integer", "License number")],
    [("SR1", "Sanitation violation", 77, (1.0, 1.0)), ("SR2", "Smoking violation", 77, (1.0, 1.1))],
)  # fmt: skip
COUNTS = make_table(
    "data.traffic_counts", "POINT", "",
    [("id", "integer", ""), ("stn_code", "text", ""), ("avg_spd_kmh", "number", "Average speed, km/h")],
    [(1, "S-1", 18.0, (1.0, 1.0)), (2, "S-2", 44.0, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(OUTAGES, JOBS, SUBSTATIONS, RESERVES, INSPECTIONS, COMPLAINTS, COUNTS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def during(column: str, first: str, following: str, kind: str = "date") -> dict[str, Any]:
    end = "T00:00:00Z" if kind == "timestamp" else ""
    return both(where(column, ">=", {kind: first + end}), where(column, "<", {kind: following + end}))


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("outages in september 2025", during("start_ts", "2025-09-01", "2025-10-01", "timestamp")),
        ("outages started in september 2025", during("start_ts", "2025-09-01", "2025-10-01", "timestamp")),
        ("outages that started in september 2025", during("start_ts", "2025-09-01", "2025-10-01", "timestamp")),
        ("outages restored in september 2025", during("rest_ts", "2025-09-01", "2025-10-01", "timestamp")),
        ("jobs in Q3 2025", during("raised_dt", "2025-07-01", "2025-10-01")),
        ("jobs due in q2 2025", during("due_dt", "2025-04-01", "2025-07-01")),
        ("jobs done in q3 2025", during("done_dt", "2025-07-01", "2025-10-01")),
        ("jobs done since june 2025", where("done_dt", ">=", {"date": "2025-06-01"})),
        ("jobs not done yet", no(where("status", "=", "Done"))),
        ("no take reserves", where("no_take", "=", "Y")),
        ("reserves with no management plan", where("mgmt_plan", "=", False)),
        ("traffic counts with average speed under 20 km/h", where("avg_spd_kmh", "<", 20)),
    ],
)  # fmt: skip
async def test_times_of_verbs_and_denied_flags(chat: Chat, sentence: str, filters: Any) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


async def test_a_time_after_a_single_target_is_that_of_the_rows_near_it(chat: Chat, desk: Desk) -> None:
    answer = await chat("outages within 2 km of Airport substation since jan 2025")
    filters = [call for name, call in desk.analysis.steps if name == "filter"]
    of_outages = [each["filter"] for each in filters if each["source"] == "data.outages"]
    assert of_outages == [where("start_ts", ">=", {"timestamp": "2025-01-01T00:00:00Z"})], answer
    assert all("comm_dt" not in str(each) for each in filters)


async def test_rows_are_ranked_by_their_own_number(chat: Chat) -> None:
    await chat("top 10 inspections by number of violations")
    ((name, call),) = chat.calls
    assert (name, call["table"], call["sort"]) == ("query_features", "data.food_inspections", "n_viol")


@pytest.mark.parametrize(
    ("message", "request_meant"),
    [
        ("no, only the ones in service", "only the ones in service"),
        ("no sorry, only private ones", "only private ones"),
        ("no only the open ones", "only the open ones"),
        ("sorry, i meant 2024", "what about 2024"),
        ("sorry meant 2024", "what about 2024"),
        ("no, I mean show the feeders", "show the feeders"),
        ("actually, make it 2 km", "make it 2 km"),
        ("oops: the closed ones", "the closed ones"),
        ("no take reserves", "no take reserves"),
        ("no schools within 500 m", "no schools within 500 m"),
        ("sorry", "sorry"),
        ("means of transport", "means of transport"),
        ("mean depth of wells", "mean depth of wells"),
    ],
)
def test_what_takes_a_request_back_says_nothing_of_the_next(message: str, request_meant: str) -> None:
    assert normalized(message) == request_meant


async def test_a_request_is_taken_back(chat: Chat) -> None:
    await chat("substations without scada")
    await chat("no, only the ones in service")
    (layer,) = chat.layers.values()
    assert layer.filter == both(where("scada", "=", False), where("status", "=", "In service"))


COSTS = make_table(
    "data.costs_by_crew", "POINT", "",
    [("id", "integer", ""), ("crew", "text", ""), ("sum_cost_kes", "integer", "")],
    [(1, "Simba", 500, (36.8, -1.3)), (2, "Ndovu", 900, (36.81, -1.32))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "added"),
    [
        ("only P1", "that are P1"),
        ("P1 jobs only", "that are P1 jobs"),
        ("leave out the cancelled ones", "that are not cancelled"),
        ("excluding open ones", "that are not open"),
        ("just 2025", "in 2025"),
        ("in 2025 only", "in 2025"),
        ("since 2025", "since 2025"),
        ("only 2024 to 2025", "from 2024 to 2025"),
        ("only Simba", None),  # the result has it
        ("only the red ones", None),
    ],
)
async def test_figures_of_groups_are_asked_again_for_fewer_rows(
    chat: Chat, sentence: str, added: str | None
) -> None:
    result, rows = COSTS
    world = World(OUTAGES, JOBS, (result.model_copy(update={"is_result": True}), rows))
    chat = Chat(world)
    await chat("show costs by crew")
    (layer,) = chat.layers.values()
    vocabulary = Vocabulary(world.registry, [layer])
    question = "total cost of crew jobs by crew"
    again = [*of_fewer_groups(Spoken(Memory(question_text=question), layer, vocabulary), sentence)]
    assert [each.text for each in again] == ([] if added is None else [f"{question} {added}"])


async def test_figures_of_each_year_are_asked_again_for_fewer_rows(chat: Chat) -> None:
    result, rows = COSTS
    world = World(OUTAGES, JOBS, (result.model_copy(update={"is_result": True}), rows))
    chat = Chat(world)
    await chat("show costs by crew")
    (layer,) = chat.layers.values()
    before = Memory(question_text="how many crew jobs did we have each year")
    (again,) = of_fewer_groups(
        Spoken(before, layer, Vocabulary(world.registry, [layer])), "and without the P1 jobs"
    )
    assert again.text == "how many crew jobs did we have each year that are not P1 jobs"


@pytest.mark.parametrize("condition", ["that are P1", "that are not cancelled", "in 2025", "since 2025"])
async def test_groups_of_fewer_rows_are_read(chat: Chat, desk: Desk, condition: str) -> None:
    answer = await chat(f"total cost of crew jobs by crew {condition}")
    assert [name for name, _ in desk.analysis.steps] == ["filter", "dissolve"], answer


def test_places_are_searched_in_tables_of_areas_by_the_noun_before() -> None:
    def names(table: str, kind: str, column: str, *values: str) -> list[tuple[str, ...]]:
        rows = [(at, value, (1.0, 1.0 + at)) for at, value in enumerate(values)]
        made, _ = make_table(table, kind, "", [("id", "integer", ""), (column, "text", "")], rows)
        return [each.names for each in searchable([made])]

    assert names("data.community_areas", "POLYGON", "community", "AUSTIN", "NEAR NORTH SIDE") == [
        ("community",)
    ]
    assert names("data.lad_2022", "POLYGON", "lad22nm", "Leeds", "North Tyneside") == [("lad22nm",)]
    assert names("data.nta", "POLYGON", "ntaname", "Astoria", "Park Slope") == [("ntaname",)]
    assert names("data.flood_zones", "POLYGON", "flood", "A", "AE") == []
    assert names("data.community_clubs", "POINT", "community", "AUSTIN", "NEAR NORTH SIDE") == []
