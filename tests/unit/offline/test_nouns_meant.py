"""What a noun can mean: the column of a year, a value with a noun of its column, a code, the property said before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, where

ROADS = make_table(
    "data.road_links", "LINESTRING", "Road links of the road authority",
    [("id", "integer", ""), ("rd_no", "text", "Road number"), ("fclass", "text", "Functional class"),
     ("aadt_2019", "integer", "Average annual daily traffic 2019, vehicles per day"),
     ("aadt_2023", "integer", "Average annual daily traffic 2023, vehicles per day"),
     ("surf_cond", "text", "Condition of the surface"), ("surf_mat", "text", "Material of the surface"),
     ("resurf_dt", "date", "Date of the last resurfacing"), ("crew", "text", "Maintenance crew"),
     ("gauges", "integer", "Number of rain gauges")],
    [(1, "B 4", "trunk", 9000, 12000, "poor", "asphalt", "2019-05-01", "Night", 0, (1.0, 1.0)),
     (2, "L 501", "primary", 3000, 2500, "good", "concrete", None, "Day", 2, (2.0, 1.0)),
     (3, "K 12", "secondary", 500, 700, "fair", "asphalt", "2021-06-01", "Night", 1, (3.0, 1.0))],
)  # fmt: skip
AREAS = make_table(
    "data.care_areas", "POLYGON", None,
    [("id", "integer", ""), ("name", "text", ""), ("urb_rur", "text", "Kind of settlement: urban, town or rural"),
     ("flu_2021", "integer", "Cases of flu 2021"), ("flu_2022", "integer", "Cases of flu 2022"),
     ("inc_rt", "number", "Incidence rate per 100,000"), ("clinic_cnt", "integer", "Number of clinics")],
    [(1, "Red Deer", "urban", 3, 9, 20.0, 0, (1.0, 2.0)), (2, "Neuen", "town", 5, 4, 30.0, 1, (2.0, 2.0)),
     (3, "Hohen", "rural", 7, 2, 10.0, 0, (3.0, 2.0))],
)  # fmt: skip
TRAPS = make_table(
    "data.trap_sightings", "POINT", None,
    [("id", "integer", ""), ("spp", "text", "Species"), ("n_ind", "integer", ""), ("habitat", "text", ""),
     ("loss_m3_d", "number", ""), ("noise_db", "number", "Noise in dB"), ("seen", "date", "Date of sighting"),
     ("daily_riders", "integer", "")],
    [(1, "Red deer", 3, "meadow", 60.0, 40.0, "2021-02-03", 500, (1.0, 1.2)),
     (2, "Lynx", 1, "forest", 20.0, 70.0, "2022-02-03", 50, (2.0, 1.2)),
     (3, "Red deer", 5, "forest", 80.0, 80.0, None, 900, (3.0, 1.2))],
)  # fmt: skip
SOILS = make_table(
    "data.soil_pits", "POINT", None,
    [("id", "integer", ""), ("pit_code", "text", ""), ("land_cover", "text", ""), ("ph", "number", "")],
    [(1, "S-1", "forest", 4.5, (1.0, 1.5)), (2, "S-2", "meadow", 6.0, (2.0, 1.5))],
)  # fmt: skip
PERMITS = make_table(
    "data.building_permits", "POINT", "Building permits",
    [("id", "integer", ""), ("status", "text", ""), ("dwellings", "integer", ""), ("issued", "date", "")],
    [(1, "approved", 4, "2021-05-01", (1.0, 1.5)), (2, "approved", 14, "2022-05-01", (2.0, 1.5))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Bus stops",
    [("id", "integer", ""), ("shelter", "text", ""), ("wkdy_boardings", "integer", "Average boardings on a weekday"),
     ("wknd_riders", "integer", ""), ("opened", "date", "")],
    [(1, "no", 300, 20, "2021-05-01", (1.0, 1.6)), (2, "yes", 400, 30, "2022-05-01", (2.0, 1.6))],
)  # fmt: skip


async def asked(sentence: str) -> tuple[Chat, str]:
    world = World(ROADS, AREAS, SOILS, TRAPS, PERMITS, STOPS)
    chat = Chat(world, analyst=Desk(world))
    return chat, await chat(sentence)


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("how many road links had more than 2,600 vehicles per day in 2023?", where("aadt_2023", ">", 2600)),
        ("how many road links with an AADT below 1000 in 2019?", where("aadt_2019", "<", 1000)),
        ("how many road links with a traffic of 2019 above 4000?", where("aadt_2019", ">", 4000)),
        ("how many care areas had less than 5 cases of flu in 2022?", where("flu_2022", "<", 5)),
        ("how many care areas with flu in 2021 above 4?", where("flu_2021", ">", 4)),
        ("road links with a poor surface: how many?", where("surf_cond", "=", "poor")),
        ("how many links have a good or fair road surface?", where("surf_cond", "in", ["good", "fair"])),
        ("how many links with an asphalt surface are there?", where("surf_mat", "=", "asphalt")),
        ("For how many links is the date of resurfacing missing?", empty("resurf_dt")),
        ("how many care areas have no clinic at all?", where("clinic_cnt", "=", 0)),
        ("how many road links without any gauge at all?", where("gauges", "=", 0)),
        ("soil pits under forest: how many?", where("land_cover", "=", "forest")),
        ("how many soil pits under forest with a ph below 5?",
         both(where("land_cover", "=", "forest"), where("ph", "<", 5))),
        ("Care areas with more than 4 flu cases in 2021: n = ?", where("flu_2021", ">", 4)),
        ("how many approved permits with more than 10 dwellings issued since 2022?",
         {"op": "and", "args": [where("status", "=", "approved"), where("dwellings", ">", 10),
                                where("issued", ">=", {"date": "2022-01-01"})]}),
        ("how many bus stops have more than 200 boardings on a weekday?", where("wkdy_boardings", ">", 200)),
        ("how many bus stops with over 350 boardings on weekdays?", where("wkdy_boardings", ">", 350)),
        ("how many bus stops with fewer than 25 riders at weekends?", where("wknd_riders", "<", 25)),
        ("how many bus stops opened on a weekday have more than 200 boardings?",
         {"op": "and", "args": [{"op": "in", "args": [{"op": "weekday", "args": [{"property": "opened"}]},
                                                      [1, 2, 3, 4, 5]]}, where("wkdy_boardings", ">", 200)]}),
        ("road links with a poor surface, n?", where("surf_cond", "=", "poor")),
        ("how many road links of Night crew rain gauges over 0?",
         both(where("crew", "=", "Night"), where("gauges", ">", 0))),
        ("how many sightings with high noise, above 60 dB?", where("noise_db", ">", 60)),
        ("how many sightings with low noise (below 50 dB)?", where("noise_db", "<", 50)),
        ("how many sightings in forest losing over 50 m3/d?",
         both(where("habitat", "=", "forest"), where("loss_m3_d", ">", 50))),
        ("how many sightings with more than 400 passengers a day?", where("daily_riders", ">", 400)),
        ("how many foresty soil pits are there?", where("land_cover", "=", "forest")),
        ("how many sightings for more than 400 riders?", where("daily_riders", ">", 400)),
        ("how many red deer are in meadows?", both(where("spp", "=", "Red deer"), where("habitat", "=", "meadow"))),
        ("how many trap sighting locations in forest?", where("habitat", "=", "forest")),
        ("care areas zones with an incidence rate above 15: how many?", where("inc_rt", ">", 15)),
        ("how many soil pits in forest ph below 5?", both(where("land_cover", "=", "forest"), where("ph", "<", 5))),
        ("how many care areas gained flu cases since 2021?", where("flu_2022", ">", {"property": "flu_2021"})),
        ("how many road links that lost traffic since 2019?", where("aadt_2023", "<", {"property": "aadt_2019"})),
    ],
)  # fmt: skip
async def test_rows_are_counted_by_the_column_that_is_meant(sentence: str, kept: Any) -> None:
    chat, answer = await asked(sentence)
    (name, arguments), *_ = chat.calls
    assert (name, arguments.get("filters")) == ("count_features", kept), answer


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("top 2 road links by AADT in 2019", "aadt_2019"),
        ("list the two road links with the highest traffic in 2023", "aadt_2023"),
        ("which care area had the most flu cases in 2022?", "flu_2022"),
        ("colour the care areas by flu of 2021", "flu_2021"),
        ("average group size of the trap sightings", "n_ind"),
    ],
)
async def test_the_column_of_a_year(sentence: str, column: str) -> None:
    chat, answer = await asked(sentence)
    assert column in str(chat.calls[-1]), answer


@pytest.mark.parametrize(
    "sentence",
    [
        "top 2 road links by AADT in 2021",
        "how many care areas had more than 4 cases of flu in 2020?",
        "how many sightings with high noise, below 50 dB?",
    ],
)
async def test_what_no_column_can_mean_is_declined(sentence: str) -> None:
    chat, answer = await asked(sentence)
    assert not chat.calls or [name for name, _ in chat.calls] == ["cannot_do"], answer
    assert chat.finished is not None
    assert chat.finished.memory["offline"]["outcome"] in ("refused", "unread"), answer


@pytest.mark.parametrize(
    "sentence",
    [
        "Mean incidence rate by settlement type (urban, town, rural)",
        "mean incidence rate of the care areas by settlement type",
        "Mean and median incidence rate by kind of settlement (rural, town and urban)",
    ],
)
async def test_groups_with_their_values_in_parentheses(sentence: str) -> None:
    world = World(ROADS, AREAS, SOILS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    assert "urb_rur" in str(desk.analysis.steps), answer


@pytest.mark.parametrize(
    ("sentence", "by"),
    [
        ("show care areas with an incidence rate above 15 and colour them by that rate", "inc_rt"),
        ("show road links with an AADT in 2023 above 600, coloured by that AADT", "aadt_2023"),
        ("show soil pits with a ph below 7, sized by this ph", "ph"),
    ],
)
async def test_a_column_that_was_named_before(sentence: str, by: str) -> None:
    chat, answer = await asked(sentence)
    assert [layer.style.column for layer in chat.layers.values()] == [by], answer


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("show S-2", where("pit_code", "=", "S-2")),
        ("how many road links are within 500 km of S-1?", None),
        ("nearest soil pit to S-1?", None),
    ],
)
async def test_a_row_is_named_by_its_code(sentence: str, kept: Any) -> None:
    world = World(ROADS, AREAS, SOILS)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(sentence)
    said = str([chat.calls, desk.analysis.steps])
    assert "S-" in said, answer
    assert "cannot_do" not in said, answer
    assert kept is None or chat.calls[0][1]["filters"] == kept


async def test_a_chart_of_the_months_of_a_year() -> None:
    chat, answer = await asked("bar chart of road links per month for 2019")
    (name, arguments), *_ = chat.calls
    assert (name, arguments["period"], arguments["x"]) == ("make_chart", "month", "resurf_dt"), answer
    assert "2019" in str(arguments["filters"])


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("Schools and their pupils", "how many pupils are there?"),
        ("Bridges and defects, 2020 survey", "how many defects are there?"),
        ("Parcels and owners", "list the owners"),
    ],
)
async def test_other_things_in_a_comment_are_not_its_rows(comment: str, said: str) -> None:
    """The number of schools was that of the pupils."""
    rows = [(1, "a", (1.0, 1.0)), (2, "b", (2.0, 2.0))]
    chat = Chat(
        World(make_table("data.places", "POINT", comment, [("id", "integer", ""), ("ref", "text", "")], rows))
    )
    answer = await chat(said)
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer
