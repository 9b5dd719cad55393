"""The same words mean the same column, value and rows wherever they stand: in conditions, figures, groups, charts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import Row, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, no, where

CLAIMS = make_table(
    "data.flood_claims", "POINT", "Flood insurance claims",
    [("id", "integer", ""), ("claim_no", "text", ""), ("loss_dt", "date", ""), ("closed_dt", "date", ""),
     ("occ_type", "text", "Occupancy type of the insured building"), ("paid_usd", "integer", ""),
     ("water_depth_ft", "number", ""), ("rep_loss", "boolean", "Repetitive loss property"), ("adjuster", "text", "")],
    [(1, "FC-1", "2021-07-01", "2021-09-01", "single family", 9000, 5.0, True, "M. Landry", (1.0, 1.0)),
     (2, "FC-2", "2021-08-01", None, "mobile home", 4000, 2.0, False, "K. Rivers", (2.0, 2.0)),
     (3, "FC-3", "2020-08-01", None, "condo", 3000, 6.0, True, None, (3.0, 3.0))],
)  # fmt: skip
TRACTS = make_table(
    "data.health_tracts", "POLYGON", "Health indicators by census tract",
    [("gid", "integer", ""), ("geoid", "text", ""), ("parish", "text", ""), ("pop_tot", "integer", ""),
     ("pct_unins", "number", "Percent of residents without health insurance"), ("life_exp_yrs", "number", ""),
     ("svi_cat", "text", "Social Vulnerability Index, category"),
     ("hpsa", "text", "Health Professional Shortage Area (Y/N)")],
    [(1, "2201", "Orleans", 900, 25.0, 70.0, "Very high", "Y", (1.0, 1.0)),
     (2, "2202", "St. Bernard", 500, 12.0, 75.0, "Low", "N", (2.0, 2.0)),
     (3, "2203", "Orleans", 700, 22.0, 72.0, "High", "N", (3.0, 3.0))],
)  # fmt: skip
LEVEES = make_table(
    "data.levee_reaches", "LINESTRING", "Levee reaches",
    [("reach_id", "text", ""), ("owner", "text", ""), ("cond_rtg", "text", "Condition rating of the last inspection"),
     ("lev_type", "text", ""), ("len_ft", "integer", "")],
    [("R1", "Parish", "Acceptable", "earthen", 900, (1.0, 1.0)),
     ("R2", "Private", "Unacceptable", "floodwall", 800, (2.0, 2.0))],
)  # fmt: skip
NATIONS = make_table(
    "data.nations", "POLYGON", "",
    [("id", "integer", ""), ("name", "text", ""), ("currency", "text", "")],
    [(1, "Spain", "EUR", (1.0, 1.0)), (2, "Panama", "USD", (2.0, 2.0))],
)  # fmt: skip


def with_dates(made: tuple[Any, list[Row]]) -> tuple[Any, list[Row]]:
    """Every row has a `loss_dt`."""
    table, rows = made
    columns = [each.model_copy(update={"nullable": each.name != "loss_dt"}) for each in table.columns]
    return table.model_copy(update={"columns": tuple(columns)}), rows


def world() -> World:
    return World(with_dates(CLAIMS), TRACTS, LEVEES, NATIONS)


SHOWN: list[tuple[str, Any]] = [
    ("repetitive loss claims", where("rep_loss", "=", True)),
    ("claims with more than 4 feet of water", where("water_depth_ft", ">", 4)),
    ("claims that had water deeper than 4 feet", where("water_depth_ft", ">", 4)),
    ("single family homes", where("occ_type", "=", "single family")),
    ("claims of single family homes", where("occ_type", "=", "single family")),
    ("claims of apartments (condo)", where("occ_type", "=", "condo")),
    ("levees in bad shape (unacceptable)", where("cond_rtg", "=", "Unacceptable")),
    ("tracts with uninsured residents (pct_unins) above 20", where("pct_unins", ">", 20)),
    ("claims with no adjuster assigned", empty("adjuster")),
    ("claims with an adjuster assigned", no(empty("adjuster"))),
    ("claims by K. Rivers", where("adjuster", "=", "K. Rivers")),
    ("claims in 2020", {"op": "and", "args": [where("loss_dt", ">=", {"date": "2020-01-01"}),
                                              where("loss_dt", "<", {"date": "2021-01-01"})]}),
    ("tracts with more than 20 percent uninsured", where("pct_unins", ">", 20)),
    ("tracts where more than 20% are uninsured", where("pct_unins", ">", 20)),
    ("tracts with a life expectancy below 73 years", where("life_exp_yrs", "<", 73)),
    ("tracts with very high social vulnerability", where("svi_cat", "=", "Very high")),
    ("tracts in Orleans that are a health professional shortage area",
     both(where("parish", "=", "Orleans"), where("hpsa", "=", "Y"))),
    ("tracts in St. Bernard", where("parish", "=", "St. Bernard")),
    ("tracts in St. Bernard parish", where("parish", "=", "St. Bernard")),
    ("unacceptable levees", where("cond_rtg", "=", "Unacceptable")),
    ("levees rated unacceptable", where("cond_rtg", "=", "Unacceptable")),
    ("levees that were rated acceptable", where("cond_rtg", "=", "Acceptable")),
    ("privately owned levees", where("owner", "=", "Private")),
    ("levees owned by the parish", where("owner", "=", "Parish")),
    ("nations that use the euro", where("currency", "=", "EUR")),
    ("nations using the US dollar", where("currency", "=", "USD")),
]  # fmt: skip


@pytest.mark.parametrize(("said", "meant"), SHOWN, ids=[said for said, _ in SHOWN])
async def test_rows_are_known_by_the_words_of_their_values(said: str, meant: Any) -> None:
    chat = Chat(world())
    answer = await chat(f"show the {said}")
    assert [layer.filter for layer in chat.layers.values()] == [meant], answer


@pytest.mark.parametrize(
    "said",
    [
        "show the uninsured levees",
        "show the rated claims",
        "show single family farms",
        "show tracts with more than 20 percent unemployed",
        "show levees rated terrible",
        "show nations that use the florin",
        "show claims with no adjuster fired",
        "show claims of apartments (palace)",
        "show tracts with uninsured residents (pct_pop) above 20",
    ],
)
async def test_a_word_that_nothing_is_called_is_declined(said: str) -> None:
    chat = Chat(world())
    await chat(said)
    assert not chat.layers, [layer.filter for layer in chat.layers.values()]


FIELDS = make_table(
    "data.farm_fields", "POLYGON", "Farm fields with crop and yield",
    [("id", "integer", ""), ("farm", "text", ""), ("crop", "text", "Crop in 2024"), ("crop_prev", "text", ""),
     ("yield_t_ha", "number", "Yield in tonnes per hectare"), ("area_ha", "number", "")],
    [(1, "Mill Farm", "grass", "beet", 8.0, 10.0, (1.0, 1.0)),
     (2, "Mill Farm", "beet", "grass", 70.0, 20.0, (2.0, 2.0))],
)  # fmt: skip
SITES = make_table(
    "data.heritage_assets", "POINT", "Heritage: listed buildings and parks",
    [("id", "integer", ""), ("name", "text", ""), ("asset_type", "text", ""),
     ("at_risk", "text", "On the register, Y or N"),
     ("last_visit", "date", "Day of the last visit")],
    [(1, "Mill", "listed building", "Y", "2020-01-01", (1.0, 1.0)), (2, "Elm Park", "park", "N", None, (2.0, 2.0))],
)  # fmt: skip
WAYS = make_table(
    "data.rights_of_way", "LINESTRING", "Public rights of way: footpaths and bridleways",
    [("path_no", "text", ""), ("status", "text", ""), ("open_yn", "text", "Open to the public, Y or N"),
     ("last_insp", "date", "Day of the last inspection"), ("surface", "text", ""), ("laid", "integer", "")],
    [("P1", "Bridleway", "N", "2019-01-01", "stone", 1950, (1.0, 1.0)),
     ("P2", "Footpath", "Y", "2021-01-01", "earth", 1990, (2.0, 2.0))],
)  # fmt: skip
SIGHTINGS = make_table(
    "data.bird_sightings", "POINT", "",
    [("id", "integer", ""), ("species", "text", ""), ("individuals", "integer", "")],
    [(1, "Lapwing", 12, (1.0, 1.0)), (2, "Lapwing", 3, (2.0, 2.0)), (3, "Heron", 1, (3.0, 3.0))],
)  # fmt: skip
LABS = make_table(
    "data.wells", "POINT", "",
    [("well_no", "text", ""), ("depth_m", "number", ""), ("no3_mg_l", "number", "Nitrate (NO3) in mg/l"),
     ("yield_gpm", "integer", "")],
    [("W1", 60.0, 62.0, 50, (1.0, 1.0)), ("W2", 40.0, 20.0, 60, (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("how many heritage sites are at risk?", "1 heritage asset"),
        ("how many of the heritage sites are not at risk?", "1 heritage asset"),
        ("how many heritage sites did we visit in 2020?", "1 heritage asset"),
        ("how many listed buildings are at risk?", "1 heritage asset"),
        ("which bridleways are closed?", "**P1**"),
        ("which footpaths are open?", "**P2**"),
        ("how many ways have not been inspected since the start of 2020?", "1 "),
        ("how many paths are in the database?", "2 "),
        ("which paths are surfaced with stone?", "**P1**"),
        ("which paths were built before 1960?", "**P1**"),
        ("how many paths are there?", "2 "),
        ("how many lapwings were seen?", "15"),
        ("how many lapwing sightings are there?", "2 bird sightings"),
        ("how many hectares of grass do we have?", "10 ha"),
        ("which wells have more than 50 mg of nitrate?", "**W1**"),
    ],
)
async def test_questions_know_the_same_words(said: str, told: str) -> None:
    answer = await Chat(World(FIELDS, SITES, WAYS, SIGHTINGS, LABS))(said)
    assert told in answer


async def test_a_rate_is_not_in_the_unit_that_it_ends_with() -> None:
    answer = await Chat(World(FIELDS))("what is the average yield of the fields?")
    assert "39" in answer
    assert " ha" not in answer


async def test_a_country_is_no_share_of_itself_by_its_capital() -> None:
    chat = Chat()
    answer = await chat("what share of the people of Germany lives in Berlin?")
    assert answer.startswith("4.13 % of the total `population`"), answer


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("show claims in the flood zone AE", where("fld_zone", "=", "AE")),
        ("show claims in flood zone X", where("fld_zone", "=", "X")),
        ("show claims in the time zone Asia/Tokyo", where("timezone", "=", "Asia/Tokyo")),
        ("show claims in water protection zone I", where("wpz", "=", "I")),
        ("show claims that are in no water protection zone", empty("wpz")),
    ],
)
async def test_a_name_behind_a_column_is_its_value_although_a_table_is_called_so(
    said: str, meant: Any
) -> None:
    claims = make_table(
        "data.claims", "POINT", "",
        [("id", "integer", ""), ("fld_zone", "text", "Flood zone of the policy: A, AE"), ("timezone", "text", ""),
         ("wpz", "text", "Water protection zone I, II or III")],
        [(1, "AE", "Asia/Tokyo", "I", (1.0, 1.0)), (2, "X", "Europe/Rome", "II", (2.0, 2.0))],
    )  # fmt: skip
    zones = make_table(
        "data.zoning", "POLYGON", "Zoning plan", [("id", "integer", ""), ("zone_code", "text", "")],
        [(1, "R1", (1.0, 1.0))],
    )  # fmt: skip
    world = World(claims, zones)
    chat = Chat(world, analyst=Desk(world))
    answer = await chat(said)
    assert [layer.filter for layer in chat.layers.values()] == [meant], answer


@pytest.mark.parametrize(
    "said", ["show rivers", "the wetlands", "how many harbours are there?", "list the rivers"]
)
async def test_where_rows_are_is_not_what_they_are(said: str) -> None:
    seen = make_table(
        "data.bird_sightings", "POINT", "Sightings of birds",
        [("id", "integer", ""), ("species", "text", ""), ("habitat", "text", ""), ("seen_at", "text", "")],
        [(1, "Heron", "river", "Harbour", (1.0, 1.0)), (2, "Lapwing", "wetland", "Harbour", (2.0, 2.0))],
    )  # fmt: skip
    chat = Chat(World(seen))
    assert "bird sightings" not in (await chat(said)).partition("You could say")[0]
    assert not [arguments for name, arguments in chat.calls if name != "cannot_do"]
    assert "1 bird sighting" in await chat("show herons")
