"""Rows that have rows of another table, or none, by the key that both have."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table, referring
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

DISTRICTS = make_table(
    "data.districts", "POLYGON", "Districts",
    [("id", "integer", ""), ("dist_cd", "text", ""), ("name", "text", ""), ("ctr", "text", "Health centre")],
    [(1, "N", "North", "Ulm", (1.0, 1.0)), (2, "S", "South", "East", (1.0, 1.1)), (3, "E", "East", "Ulm", (1.0, 1.2))],
)  # fmt: skip
SHOPS = referring(
    make_table(
        "data.food_shops", "POINT", "Licensed food shops",
        [("id", "integer", ""), ("lic_no", "integer", "Licence number"), ("shop_name", "text", ""),
         ("shop_type", "text", ""), ("dist_cd", "text", "District")],
        [
            (1, 2200104, "Golden Bowl", "Restaurant", "N", (1.0, 1.0)),
            (2, 2200105, "Corner Bakery", "Bakery", "N", (1.0, 1.1)),
            (3, 2200106, "Blue Cup", "Restaurant", "S", (1.1, 1.1)),
        ],
    ),
    ("dist_cd", "data.districts", "dist_cd"),
)  # fmt: skip
INSPECTIONS = referring(
    make_table(
        "data.shop_inspections", "POINT", "Inspections, one row a visit",
        [("id", "integer", ""), ("shop_lic", "integer", "Licence of the inspected shop"), ("visited", "date", ""),
         ("results", "text", ""), ("n_faults", "integer", ""), ("waste_kg", "number", "")],
        [
            (1, 2200104, "2025-01-01", "Fail", 4, 2.5, (1.0, 1.0)),
            (2, 2200104, "2025-02-01", "Pass", 0, None, (1.0, 1.0)),
            (3, 2200106, "2025-02-02", "Pass", 1, 3.5, (1.1, 1.1)),
        ],
    ),
    ("shop_lic", "data.food_shops", "lic_no"),
)  # fmt: skip
JOBS = make_table(
    "data.repair_jobs", None, "Repairs",
    [("id", "integer", ""), ("crew", "text", ""), ("raised", "date", ""), ("closed", "text", ""),
     ("inspection_id", "integer", "")],
    [(1, "Red", "2025-01-02", "Y", 1), (2, "Blue", "2025-02-03", "N", 3)],
)  # fmt: skip
CLINICS = make_table(
    "data.clinics", "POINT", "Clinics",
    [("id", "integer", ""), ("clinic", "text", ""), ("dist_cd", "text", "")],
    [(1, "Harbour", "N", (1.0, 1.0)), (2, "Hill", "N", (1.1, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(DISTRICTS, SHOPS, INSPECTIONS, JOBS, CLINICS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def without(source: str, other: str, key: str, other_key: str) -> tuple[str, dict[str, Any]]:
    return "select_by_attribute", {
        "source": source, "other": other, "key": key, "other_key": other_key, "invert": True,
    }  # fmt: skip


NO_INSPECTIONS = without("data.food_shops", "data.shop_inspections", "lic_no", "shop_lic")


@pytest.mark.parametrize(
    ("sentence", "step"),
    [
        ("food shops without inspections", NO_INSPECTIONS),
        ("how many shops have no inspections?", NO_INSPECTIONS),
        ("shops with no inspections recorded", NO_INSPECTIONS),
        ("shops where no inspection was made", NO_INSPECTIONS),
        ("shops where there were no inspections", NO_INSPECTIONS),
        ("shops without an inspection", NO_INSPECTIONS),
        ("which shops haven't had an inspection yet?", NO_INSPECTIONS),
        ("shops that never had an inspection", NO_INSPECTIONS),
        ("shops that were never inspected", NO_INSPECTIONS),
        ("which shops have never been inspected?", NO_INSPECTIONS),
        ("shops not inspected yet", NO_INSPECTIONS),
        ("which places have never been inspected", NO_INSPECTIONS),
        ("districts without shops", without("data.districts", "data.food_shops", "dist_cd", "dist_cd")),
        # by names and values alone: `dist_cd` of both, and `inspection_id`
        ("districts that have no clinics", without("data.districts", "data.clinics", "dist_cd", "dist_cd")),
        (
            "inspections with no job raised",
            without("data.shop_inspections", "data.repair_jobs", "id", "inspection_id"),
        ),
    ],
)
async def test_rows_without_related_ones_are_found_by_key(
    chat: Chat, desk: Desk, sentence: str, step: tuple[str, dict[str, Any]]
) -> None:
    answer = await chat(sentence)
    assert desk.analysis.steps == [step], answer
    assert "Matched by the column" in answer


async def test_rows_of_a_value_are_related_by_key(chat: Chat, desk: Desk) -> None:
    answer = await chat("restaurants without failed inspections")
    names = [name for name, _ in desk.analysis.steps]
    assert names == ["filter", "filter", "select_by_attribute"], answer
    assert desk.analysis.steps[0][1]["filter"] == where("shop_type", "=", "Restaurant")
    assert [row["shop_name"] for row in desk.analysis.results["step_3"]] == ["Blue Cup"]


async def test_rows_that_have_others_are_found_by_key(chat: Chat, desk: Desk) -> None:
    answer = await chat("shops with inspections")
    ((name, arguments),) = desk.analysis.steps
    assert name == "select_by_attribute", answer
    assert "invert" not in arguments, answer
    assert len(desk.analysis.results["step_1"]) == 2


@pytest.mark.parametrize(
    "sentence",
    [
        "clinics without inspections",  # nothing relates them
        "clinics that were never inspected",
        "places that were never cleaned",
        "inspections with no job closed",  # `closed` is a column of the jobs
    ],
)
async def test_rows_that_nothing_relates_are_declined(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert desk.analysis.steps == [], answer
    assert not chat.layers, answer


async def test_several_keys_between_two_tables_are_declined(desk: Desk) -> None:
    table, rows = INSPECTIONS
    twice = referring(
        (table, rows), ("shop_lic", "data.food_shops", "lic_no"), ("n_faults", "data.food_shops", "lic_no")
    )
    desk = Desk(World(DISTRICTS, SHOPS, twice))
    answer = await Chat(desk.world, analyst=desk)("shops without inspections")
    assert desk.analysis.steps == [], answer


async def test_a_name_alone_relates_no_rows(desk: Desk) -> None:
    """The codes of the clinics are no districts."""
    table, rows = CLINICS
    others = (table, [{**row, "dist_cd": f"C{row['id']}"} for row in rows])
    desk = Desk(World(DISTRICTS, SHOPS, others))
    answer = await Chat(desk.world, analyst=desk)("districts without clinics")
    ((name, _),) = desk.analysis.steps
    assert name == "select_by_location", answer


def by(key: str, other_key: str, source: str = "step_1", other: str = "step_1") -> dict[str, Any]:
    return {"source": source, "other": other, "key": key, "other_key": other_key}


@pytest.mark.parametrize(
    ("sentence", "filters", "keys"),
    [
        (
            "inspections of restaurants",
            [where("shop_type", "=", "Restaurant")],
            by("shop_lic", "lic_no", source="data.shop_inspections"),
        ),
        (
            "failed inspections at restaurants",
            [where("results", "=", "Fail"), where("shop_type", "=", "Restaurant")],
            by("shop_lic", "lic_no", other="step_2"),
        ),
        (  # a time is that of the rows, which have dates
            "inspections of restaurants in 2025",
            [
                both(
                    where("visited", ">=", {"date": "2025-01-01"}),
                    where("visited", "<", {"date": "2026-01-01"}),
                ),
                where("shop_type", "=", "Restaurant"),
            ],
            by("shop_lic", "lic_no", other="step_2"),
        ),
        (
            "jobs for failed inspections",
            [where("results", "=", "Fail")],
            by("inspection_id", "id", source="data.repair_jobs"),
        ),
    ],
)
async def test_rows_of_chosen_rows_are_found_by_key(
    chat: Chat, desk: Desk, sentence: str, filters: list[dict[str, Any]], keys: dict[str, Any]
) -> None:
    answer = await chat(sentence)
    *before, last = desk.analysis.steps
    assert [arguments["filter"] for _, arguments in before] == filters, answer
    assert last == ("select_by_attribute", keys)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("restaurants in North", both(where("shop_type", "=", "Restaurant"), where("dist_cd", "=", "N"))),
        ("North clinics", where("dist_cd", "=", "N")),
        ("Red inspections", None),  # jobs refer to inspections, not these to jobs
        ("failed shops", None),  # a state of the inspections is none of the shops
    ],
)
async def test_names_of_the_rows_referred_to_are_understood(
    chat: Chat, sentence: str, filters: dict[str, Any] | None
) -> None:
    answer = await chat(sentence)
    found = [arguments.get("filters") for name, arguments in chat.calls if name == "add_map_layer"]
    assert found == ([filters] if filters else []), answer


async def test_rows_of_a_table_without_a_key_are_declined(chat: Chat, desk: Desk) -> None:
    answer = await chat("clinics of restaurants")
    assert desk.analysis.steps == [], answer


def named(steps: list[tuple[str, dict[str, Any]]], name: str) -> list[dict[str, Any]]:
    return [arguments for operation, arguments in steps if operation == name]


@pytest.mark.parametrize(
    ("sentence", "by", "figure"),
    [
        ("average number of faults of inspections by shop type", ["shop_type"], ("mean", "n_faults")),
        ("number of inspections by shop type", ["shop_type"], None),
        ("average faults per inspection by shop type", ["shop_type"], ("mean", "n_faults")),
        ("average kg per inspection by shop type", ["shop_type"], ("mean", "waste_kg")),
        ("average faults of inspections per shop", ["shop_lic", "shop_name"], ("mean", "n_faults")),
        ("number of inspections per shop", ["shop_lic", "shop_name"], None),
    ],
)
async def test_rows_are_grouped_by_what_they_refer_to(
    chat: Chat, desk: Desk, sentence: str, by: list[str], figure: tuple[str, str] | None
) -> None:
    answer = await chat(sentence)
    (grouped,) = named(desk.analysis.steps, "dissolve")
    assert grouped["by"] == by, answer
    assert ("of food shops" in answer) == (by == ["shop_type"])
    wanted = [dict(zip(("function", "column"), figure, strict=True))] if figure else []
    assert [each for each in grouped["aggregates"] if each["function"] != "count"] == wanted
    assert "Grouped by the column" in answer


async def test_rows_are_grouped_by_way_of_another_table() -> None:
    jobs = referring(JOBS, ("inspection_id", "data.shop_inspections", "id"))
    desk = Desk(World(DISTRICTS, SHOPS, INSPECTIONS, jobs))
    chat = Chat(desk.world, analyst=desk)
    answer = await chat("number of jobs per shop")
    first, second, grouped = desk.analysis.steps
    assert first[1]["columns"] == ["shop_lic"], answer
    keys = by("shop_lic", "lic_no", other="data.food_shops")
    assert second[1] == {**keys, "columns": ["shop_name"], "rows": "matched"}
    assert grouped[1]["by"] == ["shop_lic", "shop_name"]


@pytest.mark.parametrize("sentence", ["number of inspections by type", "number of jobs by owner"])
async def test_columns_of_others_are_not_guessed(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert named(desk.analysis.steps, "join_by_attribute") == [], answer


async def test_shares_are_grouped_by_what_the_rows_refer_to(chat: Chat, desk: Desk) -> None:
    answer = await chat("fail rate by shop type")
    names = [name for name, _ in desk.analysis.steps]
    assert names == [
        "join_by_attribute",
        "filter",
        "dissolve",
        "summarise",
        "join_by_attribute",
        "calculate",
    ], answer
    assert desk.analysis.steps[0][1] == {
        "source": "data.shop_inspections", "other": "data.food_shops", "key": "shop_lic", "other_key": "lic_no",
        "columns": ["shop_type"], "rows": "matched",
    }  # fmt: skip
    assert desk.analysis.steps[1][1]["filter"] == where("results", "=", "Fail")


async def test_the_most_of_chosen_rows_are_counted_among_these(chat: Chat, desk: Desk) -> None:
    answer = await chat("which restaurants had the most inspections")
    names = [name for name, _ in desk.analysis.steps]
    assert names == ["filter", "select_by_attribute", "join_by_attribute", "summarise", "top"], answer
    assert named(desk.analysis.steps, "summarise")[0]["by"] == ["shop_lic", "shop_name"]


async def test_the_most_of_a_group_is_that_of_what_rows_refer_to(chat: Chat, desk: Desk) -> None:
    answer = await chat("which shop type has the most inspections?")
    assert named(desk.analysis.steps, "summarise")[0]["by"] == ["shop_type"], answer
    answer = await chat("which shop type has the highest average faults per inspection?")
    assert named(desk.analysis.steps, "dissolve")[0]["by"] == ["shop_type"], answer


RESTAURANTS = "show the restaurants"
SHOPS_WITH = {"key": "lic_no", "other_key": "shop_lic"}


@pytest.mark.parametrize(
    ("follow_up", "found", "keys"),
    [
        ("have any of them failed an inspection?", [1], SHOPS_WITH),
        ("which of them failed an inspection", [1], SHOPS_WITH),
        ("how many of them never failed an inspection?", [3], {**SHOPS_WITH, "invert": True}),
        ("have any of them been inspected?", [1, 3], SHOPS_WITH),
        ("do any of them have inspections?", [1, 3], SHOPS_WITH),
        ("how many of them have an inspection recorded?", [1, 3], SHOPS_WITH),
        ("which of those have no inspections", [], {**SHOPS_WITH, "invert": True}),
        ("show their inspections", [1, 2, 3], {"key": "shop_lic", "other_key": "lic_no"}),
        ("how many inspections have they had?", [1, 2, 3], {"key": "shop_lic", "other_key": "lic_no"}),
        ("which inspections are affected?", [1, 2, 3], {"key": "shop_lic", "other_key": "lic_no"}),
    ],
)
async def test_rows_spoken_of_are_related_by_key(
    chat: Chat, desk: Desk, follow_up: str, found: list[int], keys: dict[str, Any]
) -> None:
    await chat(RESTAURANTS)
    answer = await chat(follow_up)
    ((_, arguments),) = [each for each in desk.analysis.steps if each[0] == "select_by_attribute"]
    assert {name: each for name, each in arguments.items() if name not in ("source", "other")} == keys, answer
    assert [row["id"] for row in list(desk.analysis.results.values())[-1]] == found


async def test_rows_of_a_result_have_the_key_of_their_table(chat: Chat, desk: Desk) -> None:
    await chat("shops with inspections")
    answer = await chat("which of them failed an inspection?")
    last = desk.analysis.steps[-1]
    assert {name: last[1][name] for name in SHOPS_WITH} == SHOPS_WITH, answer


@pytest.mark.parametrize(
    "follow_up", ["how many clinics have they had?", "show their clinics", "which clinics are affected?"]
)
async def test_rows_that_do_not_belong_to_those_spoken_of_are_declined(
    chat: Chat, desk: Desk, follow_up: str
) -> None:
    await chat(RESTAURANTS)
    before = list(chat.world.map.layers())
    answer = await chat(follow_up)
    assert "There are" not in answer
    assert "cannot" in answer or "not understand" in answer or "but not" in answer, answer
    assert list(chat.world.map.layers()) == before


@pytest.mark.parametrize(
    "follow_up", ["have any of them failed an inspection?", "how many inspections did they have?"]
)
async def test_all_rows_are_not_told_for_those_spoken_of(chat: Chat, follow_up: str) -> None:
    """Nothing relates clinics to inspections; the answer was the number of all inspections."""
    await chat("show clinics")
    answer = await chat(follow_up)
    assert "There are" not in answer, answer


async def test_a_noun_of_the_rows_is_no_value_of_them(chat: Chat, desk: Desk) -> None:
    answer = await chat("which shop type has the highest total faults in inspections")
    assert named(desk.analysis.steps, "dissolve")[0]["by"] == ["shop_type"], answer
    assert named(desk.analysis.steps, "filter") == []


async def test_a_value_before_the_name_of_its_column_is_that_of_the_areas(chat: Chat) -> None:
    await chat("restaurants in the East health centre")  # not in the district East
    ((_, call),) = chat.calls
    assert call["filters"] == both(where("shop_type", "=", "Restaurant"), where("dist_cd", "=", "S"))


async def test_rows_that_are_no_areas_are_counted_by_their_key(chat: Chat, desk: Desk) -> None:
    await chat("show the food shops with at least 2 inspections")
    counted, joined, kept = desk.analysis.steps
    assert counted == ("summarise", {"source": "data.shop_inspections", "by": ["shop_lic"]})
    assert (joined[0], joined[1]["key"], joined[1]["other_key"]) == (
        "join_by_attribute",
        "lic_no",
        "shop_lic",
    )
    assert (joined[1]["columns"], joined[1]["zero"]) == (["count"], True)
    assert kept[0] == "filter"


async def test_groups_after_a_request_that_was_declined_are_not_of_all_rows(chat: Chat, desk: Desk) -> None:
    await chat("food shops with unicorns")
    assert "it is not clear which rows you mean" in await chat("average waste kg per shop type")
    assert not desk.analysis.steps
    await chat("average waste kg per shop type of all shop inspections")
    assert desk.analysis.steps


async def test_the_first_groups_with_names_are_those_of_the_most_rows(chat: Chat, desk: Desk) -> None:
    await chat("number of inspections by shop, top 1")
    assert desk.analysis.steps[-1][1]["by"] == "count"  # not the area of the points
