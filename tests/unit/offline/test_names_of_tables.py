"""A table is found by the words of its name, however short they are there, and of its comment."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.names.comments import codes_explained
from agents.offline.language.words import are_forms, begins_others, place_of
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, no, where

SEGMENTS = make_table(
    "data.pave_seg", "LINESTRING", "Road segments of the pavement management system",
    [("id", "integer", ""), ("func_class", "text", "Functional class: Arterial or Local"),
     ("pci", "integer", "Pavement condition index, 0 (failed) to 100 (new)"),
     ("aadt", "integer", "Average annual daily traffic, vehicles per day"), ("cond", "text", "")],
    [(1, "Arterial", 40, 9000, "poor", (1.0, 1.0)), (2, "Local", 80, 100, "good", (2.0, 2.0))],
)  # fmt: skip
SQUARES = make_table(
    "data.bird_atlas_sq", "POLYGON", "Breeding bird atlas: 1 km survey squares",
    [("id", "integer", ""), ("sq_code", "text", ""), ("region", "text", ""), ("surv_stat", "text", ""),
     ("effort_hrs", "number", "Observer hours in the square"),
     ("sar_present", "text", "Species at risk found: Yes or No")],
    [(1, "A1", "North", "complete", 5.0, "Yes", (1.0, 1.0)),
     (2, "A2", "South", "in progress", 2.0, "No", (2.0, 2.0))],
)  # fmt: skip
GAUGES = make_table(
    "data.hydro_stn", "POINT", "Gauging stations (hydrometric sites) of the river network",
    [("id", "integer", ""), ("stn_code", "text", ""), ("mode", "text", ""), ("catch_km2", "number", "Catchment area")],
    [(1, "G77", "radar", 50.0, (1.0, 1.0)), (2, "G78", "float", 90.0, (2.0, 2.0))],
)  # fmt: skip
STOPS = make_table(
    "data.pt_stops", "POINT", "Public transport stops (bus, tram)",
    [("id", "integer", ""), ("stop_nm", "text", ""), ("stop_code", "text", ""), ("mode", "text", "")],
    [(1, "Mill", "S01", "bus", (1.0, 1.0)), (2, "Gate", "S02", "tram", (2.0, 2.0))],
)  # fmt: skip
ASSETS = make_table(
    "data.heritage_assets", "POINT", "Heritage: listed buildings, monuments and parks",
    [("id", "integer", ""), ("name", "text", ""), ("asset_type", "text", "")],
    [(1, "Old Mill", "listed building", (1.0, 1.0)), (2, "Barrow", "monument", (2.0, 2.0))],
)  # fmt: skip


async def answered(said: str, *tables: Any) -> tuple[Chat, str]:
    world = World(*(tables or (SEGMENTS, SQUARES, GAUGES, STOPS, ASSETS)))
    chat = Chat(world, analyst=Desk(world))
    return chat, await chat(said)


@pytest.mark.parametrize(
    ("said", "table", "filters"),
    [
        ("show all pavement segments", "pave_seg", None),
        ("show the road segments", "pave_seg", None),
        ("show pavement segments with a PCI below 50", "pave_seg", where("pci", "<", 50)),
        ("show segments with more than 1,000 vehicles per day", "pave_seg", where("aadt", ">", 1000)),
        ("show arterial road segments", "pave_seg", where("func_class", "=", "Arterial")),
        ("show the atlas squares", "bird_atlas_sq", None),
        ("show the bird atlas squares", "bird_atlas_sq", None),
        ("show the survey squares in the North region", "bird_atlas_sq", where("region", "=", "North")),
        ("show squares with species at risk", "bird_atlas_sq", where("sar_present", "=", "Yes")),
        ("show squares with a complete survey", "bird_atlas_sq", where("surv_stat", "=", "complete")),
        ("show the gauging stations", "hydro_stn", None),
        ("show hydrometric sites with a catchment area over 60 km2", "hydro_stn", where("catch_km2", ">", 60)),
        ("show the public transport stops", "pt_stops", None),
        ("show bus stops", "pt_stops", where("mode", "=", "bus")),
        ("show stop S02", "pt_stops", where("stop_code", "=", "S02")),
        ("show station G77", "hydro_stn", where("stn_code", "=", "G77")),
        ("show listed buildings", "heritage_assets", where("asset_type", "=", "listed building")),
    ],
)  # fmt: skip
async def test_rows_are_known_by_the_name_and_the_comment_of_their_table(
    said: str, table: str, filters: Any
) -> None:
    chat, answer = await answered(said)
    assert [(each.table, each.filter) for each in chat.layers.values()] == [(f"data.{table}", filters)], (
        answer
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("total survey hours in the bird atlas", "7"),
        ("average survey hours of the atlas squares per atlas region", "5"),
        ("how many squares are in each atlas region?", "North"),
        ("average daily traffic per functional class of the pavement segments", "9,000"),
    ],
)
async def test_words_of_the_table_say_no_more_of_a_column(said: str, told: str) -> None:
    _, answer = await answered(said)
    assert told in answer


@pytest.mark.parametrize(
    "said",
    ["show the paving stones", "show the atlas pages", "show lake segments", "show the parks and squares of tiles",
     "show bus segments", "show network stations"],
)  # fmt: skip
async def test_a_noun_or_a_word_before_it_that_is_unknown_is_declined(said: str) -> None:
    chat, answer = await answered(said)
    assert not chat.layers, answer


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("paved", "pavement", True),
        ("dense", "density", True),
        ("installed", "installation", True),
        ("paid", "payment", True),
        ("died", "death", True),
        ("limed", "liming", True),
        ("agricultural", "agriculture", True),
        ("sold", "sale", True),
        ("rent", "renter", False),
        ("prison", "prisoner", False),
        ("home", "homeless", False),
        ("organic", "organization", False),
        ("built", "building", False),
        ("planed", "planned", False),
    ],
)
def test_forms_of_one_verb_or_adjective(one: str, other: str, expected: bool) -> None:
    assert are_forms(one, other) is expected
    assert are_forms(other, one) is expected


def test_what_is_no_word_may_be_short_for_one() -> None:
    assert [each for each in ("land", "home", "fire", "precip", "surv", "rehab", "infil") if begins_others(each)] == [
        "land", "home", "fire",
    ]  # fmt: skip


def test_adjectives_of_places() -> None:
    assert [place_of(each) for each in ("kenyan", "south american", "czech", "large")] == [
        "Kenya", "South America", "Czechia", "",
    ]  # fmt: skip


TREES = make_table(
    "data.tree_inv", "POINT", "Municipal tree inventory",
    [("id", "integer", ""), ("tree_no", "text", "Tree number on the tag"), ("ht_m", "number", "Height in m"),
     ("cond_cd", "text", "Condition: G = good, P = poor"), ("plant_yr", "integer", "Year planted"),
     ("last_prune", "date", "Date of last pruning"), ("reg_date", "date", "Date of registration"),
     ("ward_nm", "text", "Ward"), ("nests_ct", "integer", "Number of nests")],
    [(1, "T-1", 12.0, "G", 1990, "2020-03-01", "2001-01-01", "Mill", 2, (1.0, 1.0)),
     (2, "T-2", 22.0, "P", 1890, "2021-03-01", "2011-01-01", "Quay", 0, (2.0, 2.0))],
)  # fmt: skip
HYDRANTS = make_table(
    "data.fire_hyd", "POINT", "Fire hydrants",
    [("id", "integer", ""), ("hyd_id", "text", ""), ("flow_lpm", "integer", "Flow rate in litres per minute"),
     ("mat_cd", "text", "Material: CI cast iron, ST steel"), ("operable", "boolean", ""),
     ("dmg", "text", "Damage: none or dented"), ("yr_const", "integer", "Year of construction"),
     ("exc_p", "boolean", "Pressure exceeded"), ("warn_lvl", "text", "Warning level"),
     ("op_stat", "text", ""), ("ten_type", "text", "")],
    [(1, "H7", 1200, "CI", True, "none", 1930, True, "none", "in_service", "rent", (1.0, 1.0)),
     (2, "H8", 800, "ST", False, "dented", 1990, False, "yellow", "under_repair", "sale", (2.0, 2.0))],
)  # fmt: skip
BLOCKS = make_table(
    "data.bb_cov", "POLYGON", "Broadband coverage by census block",
    [("id", "integer", ""), ("open_yn", "text", "Open to the public, Y or N (closed)"),
     ("tech_cd", "text", "Technology: FTTH = fibre, DSL"), ("land_use", "text", ""),
     ("bldg_st", "integer", "Building height in storeys"), ("bldg_type", "text", "")],
    [(1, "Y", "FTTH", "Industry", 4, "Semi-detached", (1.0, 1.0)), (2, "N", "DSL", "Farm", 12, "terraced", (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "filters"),
    [
        ("trees in poor condition", where("cond_cd", "=", "P")),
        ("trees planted before 1900", where("plant_yr", "<", 1900)),
        ("trees registered after 2008", where("reg_date", ">=", {"date": "2009-01-01"})),
        ("trees in Quay", where("ward_nm", "=", "Quay")),
        ("trees with no nests", where("nests_ct", "=", 0)),
        ("hydrants with a flow rate over 1000 litres per minute", where("flow_lpm", ">", 1000)),
        ("cast iron hydrants", where("mat_cd", "=", "CI")),
        ("inoperable hydrants", where("operable", "=", False)),
        ("hydrants under repair", where("op_stat", "=", "under_repair")),
        ("hydrants that are in service", where("op_stat", "=", "in_service")),
        ("hydrants for sale", where("ten_type", "=", "sale")),
        ("census blocks with fibre", where("tech_cd", "=", "FTTH")),
        ("blocks that are closed", where("open_yn", "=", "N")),
        ("blocks with fibre or DSL", where("tech_cd", "in", ["FTTH", "DSL"])),
        ("damaged hydrants", no(where("dmg", "=", "none"))),
        ("hydrants installed before 1950", where("yr_const", "<", 1950)),
        ("hydrants where the pressure is exceeded", where("exc_p", "=", True)),
        ("hydrants with a yellow warning", where("warn_lvl", "=", "yellow")),
        ("industrial blocks", where("land_use", "=", "Industry")),
        ("blocks with more than 10 storeys", where("bldg_st", ">", 10)),
        ("semi detached blocks", where("bldg_type", "=", "Semi-detached")),
    ],
)
async def test_values_are_known_however_they_are_written(said: str, filters: Any) -> None:
    chat, answer = await answered(f"show {said}", TREES, HYDRANTS, BLOCKS)
    assert [each.filter for each in chat.layers.values()] == [filters], answer


@pytest.mark.parametrize(
    ("said", "told"),
    [("the tallest tree", "T-2"), ("the oldest tree", "T-2"), ("how old is the oldest tree?", "T-2")],
)
async def test_what_is_measured_is_known_by_short_names(said: str, told: str) -> None:
    _, answer = await answered(said, TREES)
    assert told in answer


async def test_when_something_was_done_last_is_no_age() -> None:
    table, rows = make_table(
        "data.wells", "POINT", "",
        [("id", "integer", ""), ("name", "text", ""), ("last_insp", "date", "")],
        [(1, "A", "2020-01-01", (1.0, 1.0)), (2, "B", "2021-01-01", (2.0, 2.0))],
    )  # fmt: skip
    chat, answer = await answered("which well is the oldest?", (table, rows))
    assert [name for name, _ in chat.calls] == ["cannot_do"], answer


@pytest.mark.parametrize(
    ("said", "unit"),
    [("average flow rate of the hydrants", "minutes"), ("average flow rate of the hydrants", " m ")],
)
async def test_a_rate_is_in_no_unit_of_its_words(said: str, unit: str) -> None:
    _, answer = await answered(said, HYDRANTS)
    assert "1,000" in answer
    assert unit not in answer


@pytest.mark.parametrize(
    "said", ["what is the water level of the gauge Ulm?", "what is the water level of the Ulm gauge?"]
)
async def test_a_name_may_have_the_noun_of_its_table(said: str) -> None:
    gauges = make_table(
        "data.riv_gauges", "POINT", "River gauges",
        [("id", "integer", ""), ("riv_nm", "text", "River"), ("gauge_nm", "text", "Name of the gauge"),
         ("wl_cm", "integer", "Current water level in cm")],
        [(1, "Danube", "Ulm", 210, (1.0, 1.0)), (2, "Iller", "Kempten", 95, (2.0, 2.0))],
    )  # fmt: skip
    _, answer = await answered(said, gauges)
    assert "210 cm" in answer


async def test_a_value_of_other_rows_is_an_area() -> None:
    chat, answer = await answered("clip the pavement segments to the North region")
    assert [name for name, _ in chat.calls] == ["run_analysis"], answer
    assert "cannot" not in answer


USES = make_table(
    "data.flats", "POINT", "Flats by year",
    [("id", "integer", ""), ("use_yn", "boolean", "Used"), ("employ_typ", "text", "Employment"), ("region", "text", ""),
     ("tenure", "text", ""), ("owner", "text", "")],
    [(1, True, "full time", "North", "owned", "City", (1.0, 1.0)),
     (2, False, "none", "South", "rented", "Ann", (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    "said",
    ["show flats in use", "number of flats by employer", "number of flats by state", "how many years are there?",
     "show flats owned by Bob"],
)  # fmt: skip
async def test_a_word_that_only_resembles_another_is_not_taken_for_it(said: str) -> None:
    chat, answer = await answered(said, USES)
    wrong = [{"op": "=", "args": [{"property": "use_yn"}, False]}, where("tenure", "=", "owned")]
    assert not [each for each in chat.layers.values() if each.filter in wrong], answer
    assert {name for name, _ in chat.calls} <= {"cannot_do", "add_map_layer"}, answer


MAINS = make_table(
    "data.sewer_pipes", "LINESTRING", "Sewer pipes",
    [("id", "integer", ""), ("yr_laid", "integer", "Year of construction"), ("last_insp", "date", ""),
     ("turb_ntu", "number", "Turbidity in NTU"), ("owner", "text", ""), ("use", "text", ""), ("plan_no", "text", ""),
     ("nation", "text", ""), ("currency", "text", "")],
    [(1, 1920, "2020-01-01", 5.0, "City", "vacant", "P1", "US", "EUR", (1.0, 1.0)),
     (2, 2015, "2010-01-01", 20.0, "State", "active", "P2", "FR", "USD", (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(("said", "year"), [("oldest", "1920"), ("newest", "2015")])
async def test_what_is_old_has_an_early_year_though_its_range_is_unknown(said: str, year: str) -> None:
    table, rows = MAINS
    unknown = [each.model_copy(update={"minimum": None, "maximum": None}) for each in table.columns]
    _, answer = await answered(
        f"which is the {said} pipe?", (table.model_copy(update={"columns": tuple(unknown)}), rows)
    )
    assert year in answer


@pytest.mark.parametrize(
    "said",
    ["show vacation pipes", "show activity pipes", "show planned pipes", "show pipes with a turbulence above 10",
     "list the current pipes", "how many territories are there?", "number of pipes per territory"],
)  # fmt: skip
async def test_another_noun_of_one_root_means_something_else(said: str) -> None:
    chat, answer = await answered(said, MAINS)
    assert {name for name, _ in chat.calls} <= {"cannot_do"}, answer


async def test_a_year_is_no_amount_of_money() -> None:
    claims = make_table(
        "data.claims", "POINT", "",
        [("id", "integer", ""), ("paid_usd", "integer", ""), ("loss_dt", "date", ""), ("closed_dt", "date", "")],
        [(1, 5000, "2020-01-01", "2021-01-01", (1.0, 1.0)), (2, 900, "2021-01-01", "2022-01-01", (2.0, 2.0))],
    )  # fmt: skip
    chat, answer = await answered("show claims paid in 2020", claims)
    assert not chat.layers, answer


async def test_us_is_no_country() -> None:
    chat, answer = await answered("show pipes for us", MAINS)
    assert [each.filter for each in chat.layers.values()] in ([], [None]), answer


def test_codes_are_explained_up_to_a_joiner() -> None:
    assert dict(codes_explained("Class, A = high or B = low")) == {("high",): ("A",), ("low",): ("B",)}
