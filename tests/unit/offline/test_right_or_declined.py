"""Requests that have a near but wrong reading: they are carried out as they are meant, or declined."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import Row, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Calls, Chat, both, empty, known, no, where, within


def dated(made: tuple[Any, list[Row]], *full: str) -> tuple[Any, list[Row]]:
    """Every row has the columns `full`."""
    table, rows = made
    columns = [each.model_copy(update={"nullable": each.name not in full}) for each in table.columns]
    return table.model_copy(update={"columns": tuple(columns)}), rows


SHOPS = make_table(
    "data.shops", "POINT", "",
    [("id", "integer", ""), ("name", "text", ""), ("status", "text", ""), ("street", "text", "")],
    [(1, "Foo", "open", "Main Street (North)", (1.0, 1.0)), (2, "Bar", "reported", "North", (2.0, 2.0)),
     (3, "Baz", "assigned", "Elm Street (East)", (2.0, 2.0))],
)  # fmt: skip
INSPECTIONS = make_table(
    "data.inspections", "POINT", "",
    [("id", "integer", ""), ("result", "text", ""), ("inspected_at", "timestamp", ""), ("damage", "text", ""),
     ("opened", "integer", "")],
    [(1, "affected", "2021-12-31T10:00:00Z", "some", 1990, (1.0, 1.0)),
     (2, "available", "2020-12-31T10:00:00Z", None, 2000, (2.0, 2.0))],
)  # fmt: skip
CITIES = make_table(
    "data.towns", "POLYGON", "",
    [("id", "integer", ""), ("name", "text", ""), ("country", "text", ""), ("city", "text", "")],
    [(1, "A", "Congo (Kinshasa)", "Kinshasa", (1.0, 1.0)),
     (2, "B", "Congo (Brazzaville)", "Brazzaville", (2.0, 2.0))],
)  # fmt: skip
LAKES = make_table("data.lakes", "POLYGON", "", [("id", "integer", "")], [(1, (1.0, 1.0)), (2, (2.0, 2.0))])
WELLS = make_table(
    "data.wells", "POINT", "",
    [("id", "integer", ""), ("drilled_on", "date", ""), ("created_at", "date", ""), ("built", "integer", "")],
    [(1, "2020-05-01", "2023-01-01", 1999, (1.0, 1.0)), (2, None, "2023-01-01", 2000, (2.0, 2.0))],
)  # fmt: skip


async def asked(*sentences: str) -> tuple[Chat, Desk, str]:
    world = World(SHOPS, INSPECTIONS, CITIES, LAKES, dated(WELLS, "id", "created_at"))
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    for sentence in sentences:
        answer = await chat(sentence)
    return chat, desk, answer


def made(chat: Chat) -> Calls:
    return [(name, arguments) for name, arguments in chat.calls if name != "cannot_do"]


@pytest.mark.parametrize(
    "sentence",
    ["hide both", "remove both of them", "zoom to both", "rename both to Homes", "move both to the top",
     "set the opacity of both to 50%", "make both red", "hide all three of them", "how many of both are open?"],
)  # fmt: skip
async def test_several_layers_are_never_the_last_one(sentence: str) -> None:
    chat, _, answer = await asked("show shops", "show towns", sentence)
    assert made(chat) == [], answer


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("how many shops are reported?", where("status", "=", "reported")),
        ("how many shops were registered?", None),
        ("how many inspections were reported?", None),
    ],
)
async def test_a_count_is_of_the_rows_that_have_the_value(sentence: str, filters: Any) -> None:
    chat, _, answer = await asked(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments.get("filters")) == ("count_features", filters), answer


def before(year: int) -> dict[str, Any]:
    return where("inspected_at", "<", {"timestamp": f"{year}-01-01T00:00:00Z"})


def since(year: int) -> dict[str, Any]:
    return where("inspected_at", ">=", {"timestamp": f"{year}-01-01T00:00:00Z"})


@pytest.mark.parametrize(
    ("rows", "meant"),
    [
        ("shops with status reported", where("status", "=", "reported")),
        ("shops with status assigned", where("status", "=", "assigned")),
        ("shops with a name registered", known("name")),
        ("inspections with result affected", where("result", "=", "affected")),
        ("inspections with result available", where("result", "=", "available")),
        ("inspections with damage reported", known("damage")),
        ("inspections with no damage reported", empty("damage")),
        ("towns in Congo (Kinshasa)", where("country", "=", "Congo (Kinshasa)")),
        ("towns not in Congo (Kinshasa)", no(where("country", "=", "Congo (Kinshasa)"))),
        ("towns with country Congo (Brazzaville)", where("country", "=", "Congo (Brazzaville)")),
        ("shops on street Main Street (North)", where("street", "=", "Main Street (North)")),
        ("shops whose street is Elm Street (East)", where("street", "=", "Elm Street (East)")),
        ("shops whose street is the north road (North)", where("street", "=", "North")),
        ("inspections before the end of 2021", before(2022)),
        ("inspections until the end of 2021", before(2022)),
        ("inspections after the end of 2020", since(2021)),
        ("inspections after the start of 2021", since(2021)),
        ("inspections before the start of 2021", before(2021)),
        ("inspections since the end of 2020", since(2021)),
        ("inspections not before the end of 2020", since(2021)),
        ("inspections until the start of 2021", before(2021)),
        ("inspections between the end of 2019 and the start of 2021", both(since(2020), before(2021))),
        ("inspections opened since the end of 2000", where("opened", ">", 2000)),
        ("inspections opened between the end of 1989 and the start of 2001", within("opened", 1990, 2000)),
        ("inspections opened before the end of 2000", where("opened", "<=", 2000)),
        ("inspections opened after the end of 2000", where("opened", ">", 2000)),
        ("inspections opened since the start of 2000", where("opened", ">=", 2000)),
        ("inspections opened before the start of 2000", where("opened", "<", 2000)),
        ("inspections opened between the start of 1990 and the end of 2000", within("opened", 1990, 2000)),
    ],
)
async def test_a_condition_is_the_one_that_was_said(rows: str, meant: dict[str, Any]) -> None:
    chat, _, answer = await asked(f"show {rows}")
    assert [layer.filter for layer in chat.layers.values()] == [meant], answer


@pytest.mark.parametrize(
    ("sentence", "options"),
    [
        ("show inspections with no result available", ("result is empty", "result is not available")),
        ("show shops without a status reported", ("status is empty", "status is not reported")),
        ("show wells in 2023", ("drilled_on", "created_at")),
        ("how many wells since 2022?", ("drilled_on", "created_at")),
        ("newest well", ("drilled_on", "created_at")),
    ],
)
async def test_what_may_mean_two_things_is_asked(sentence: str, options: tuple[str, str]) -> None:
    chat, _, answer = await asked(sentence)
    assert made(chat) == []
    assert all(each in answer for each in options), answer


async def test_a_layer_may_be_called_both_ends() -> None:
    ends = make_table("data.both_ends", "POINT", "", [("id", "integer", "")], [(1, (1.0, 1.0))])
    chat = Chat(World(ends))
    await chat("show both ends")
    answer = await chat("zoom to both ends")
    assert [name for name, _ in chat.calls] == ["zoom_to"], answer


async def test_the_answer_tells_which_of_both_is_meant() -> None:
    question = "show inspections with no result available"
    chat, _, _ = await asked(question, "result is not available")
    assert [layer.filter for layer in chat.layers.values()] == [no(where("result", "=", "available"))]
    chat, _, _ = await asked(question, "result is empty")
    assert [layer.filter for layer in chat.layers.values()] == [empty("result")]


@pytest.mark.parametrize(
    "sentence",
    [
        "wells per year",
        "how many wells per day?",
        "which year had the most wells?",
        "bar chart of wells per year",
    ],
)
async def test_a_period_of_one_of_several_dates_is_declined(sentence: str) -> None:
    chat, desk, answer = await asked(sentence)
    assert [name for name, _ in chat.calls if name == "make_chart"] == [], answer
    assert desk.analysis.steps == [], answer


@pytest.mark.parametrize(
    ("sentence", "predicate"),
    [
        ("show towns that touch lakes", "touches"),
        ("which towns touch a lake?", "touches"),
        ("which towns touch towns?", "touches"),
        ("which shops touch towns?", "intersects"),
        ("buffer lakes by 1 km, then show towns that touch it", "intersects"),
    ],
)
async def test_shapes_touch_at_their_borders(sentence: str, predicate: str) -> None:
    _, desk, answer = await asked(sentence)
    assert desk.analysis.steps[-1][1]["predicate"] == predicate, answer


async def test_few_questions_that_were_alike_are_kept() -> None:
    again = ["and of status reported?", "and of status open?"] * 3
    chat, _, answer = await asked("how many shops are of status open?", *again)
    assert chat.finished is not None
    assert len(chat.finished.memory["offline"]["alike"]) == 3, answer


SITES = make_table(
    "data.wq_site", "POINT", "Sampling sites",
    [("site_cd", "text", "Site code"), ("site_typ", "text", "Kind of site")],
    [("K1", "TAP", (1.0, 1.0)), ("K2", "WELL", (2.0, 2.0))],
)  # fmt: skip
SAMPLES = make_table(
    "data.samples", "POINT", "Water samples",
    [("id", "integer", ""), ("site_cd", "text", "Site code"), ("no3", "number", "Nitrate"), ("sampled", "date", "")],
    [(1, "K1", 1.5, "2024-01-01", (1.0, 1.0)), (2, "K2", 2.5, "2024-02-01", (1.0, 1.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("mean no3 by site type", ""),
        ("mean no3 of samples per site type", ""),
        ("mean no3 by sampled year", ""),
        ("mean no3 of samples by sampled month", "month"),
        ("mean no3 of samples by site code", "site_cd"),
        ("mean no3 of samples by sampled", "sampled"),
    ],
)
async def test_groups_are_of_every_word_that_names_them(sentence: str, column: str) -> None:
    world = World(SITES, SAMPLES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    by = [arguments["by"] for operation, arguments in desk.analysis.steps if operation == "dissolve"]
    assert by == ([[column]] if column else []), answer


async def test_ones_are_not_the_first_of_a_ranking() -> None:
    world = World(SITES, SAMPLES)
    chat = Chat(world, analyst=Desk(world))
    await chat("show site K1")
    made = len(chat.calls)
    answer = await chat("which ones have the type WELL?")
    assert chat.calls[made:] == []
    assert "no layer on the map is called “ones”" in answer


PARCELS = make_table(
    "data.parcel", "POLYGON", "Parcels",
    [("apn", "text", ""), ("lu_desc", "text", "Land use"), ("acres", "number", ""), ("fld_zn", "text", "Flood zone")],
    [("17-1", "Vacant", 6.0, "X", (1.0, 1.0)), ("17-2", "Vacant", 7.0, "AE", (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show parcels outside the flood zone (X)", []),
        ("vacant parcels larger than 5 acres outside the flood zone (X), order by acres descending", []),
        ("show parcels not in the flood zone (X)", []),
        ("show parcels outside flood zone AE", [no(where("fld_zn", "=", "AE"))]),
    ],
)
async def test_a_code_in_parentheses_may_be_of_what_is_outside(sentence: str, filters: list[Any]) -> None:
    """X may be the zone, or what lies outside of flood zones."""
    world = World(PARCELS)
    chat = Chat(world, analyst=Desk(world))
    answer = await chat(sentence)
    assert [layer.filter for layer in chat.layers.values()] == filters, answer
    assert "17-1" not in answer, answer
    assert "17-2" not in answer, answer
