"""Places are found by name in the samples and in a person's own tables, the one that is meant first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa

from agents.domain import FoundPlaces, Place
from server.database.engines import Database
from server.gis.catalog.gazetteer import folded
from server.gis.catalog.registry import Registry
from server.gis.errors import InvalidQuestion
from server.gis.query import place_names, places
from server.gis.query.data import PostgisData
from server.gis.statements import guard

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETUP = (
    "CREATE TABLE data.trails (id int PRIMARY KEY, trail_name text, geom geometry(LineString, 3857))",
    "INSERT INTO data.trails VALUES (1, 'Übungs-Weg', ST_Transform(ST_GeomFromText("
    "'LINESTRING(8 47, 8.2 47.1)', 4326), 3857)), (2, NULL, NULL), (3, 'Weg ohne Form', NULL)",
    "CREATE TABLE data.pk_trails (id int PRIMARY KEY, trl_nm text, zone_nm text, geom geometry(Point, 4326))",
    "INSERT INTO data.pk_trails VALUES (1, 'Lookout Trail', 'Rainforest Zone', 'SRID=4326;POINT(9 48)')",
    "CREATE TABLE data.stops (id int PRIMARY KEY, hpl_namn text, pa_namn text, geom geometry(Point, 4326))",
    "INSERT INTO data.stops VALUES (1, 'Wasaplatsen', 'Vasastaden', 'SRID=4326;POINT(12 57.7)')",
    "COMMENT ON COLUMN data.stops.hpl_namn IS 'Name of the stop'",
    "COMMENT ON COLUMN data.stops.pa_namn IS 'Neighbourhood'",
    "CREATE TABLE data.co_districts (id int PRIMARY KEY, rm_name text, dist_nm text, geom geometry(Point, 4326))",
    "INSERT INTO data.co_districts VALUES (1, 'Rudyville', 'Outlookton', 'SRID=4326;POINT(-107 51)')",
    "CREATE TABLE data.cable_boxes (box_id text PRIMARY KEY, name text, geom geometry(Point, 4326))",
    "INSERT INTO data.cable_boxes VALUES ('CB07', 'Elm Corner', 'SRID=4326;POINT(9 48)')",
    "CREATE TABLE data.bus_shelters (id int PRIMARY KEY, name text, geom geometry(Point, 4326))",
    "INSERT INTO data.bus_shelters VALUES (1, 'Elm Corner', 'SRID=4326;POINT(9 49)')",
    *(
        statement
        for number in range(40)
        for statement in (
            f"CREATE TABLE data.yard_{number} (id int PRIMARY KEY, name text, geom geometry(Point, 4326))",
            f"INSERT INTO data.yard_{number} VALUES (1, 'Freight Yard {number}', 'SRID=4326;POINT(9 48)')",
        )
    ),
    # What an analysis leaves repeats rows, and names beside them what is near.
    "CREATE TABLE analysis.nearest_yards AS SELECT n AS id, 'Hall ' || n AS name, 'Freight Yard 7' AS near_name,"
    " ST_SetSRID(ST_MakePoint(9, 48), 4326)::geometry(Point, 4326) AS geom FROM generate_series(1, 20) AS n",
    "CREATE TABLE analysis.kept_yards AS SELECT n AS id, 'Freight Yard 7' AS name, 1000 AS population,"
    " ST_SetSRID(ST_MakePoint(9 + n, 48), 4326)::geometry(Point, 4326) AS geom FROM generate_series(1, 20) AS n",
    """CREATE TABLE data."odd:name ""% places" (id int PRIMARY KEY, "first:_name" text,"""
    " geom geometry(Point, 4326))",
    """INSERT INTO data."odd:name ""% places" VALUES (1, 'Colon Bay', 'SRID=4326;POINT(9 48)')""",
    "CREATE VIEW data.broken_places AS SELECT 'Paris' || (1 / (random() * 0)::int)::text AS name,"
    " ST_SetSRID(ST_MakePoint(1, 1), 4326)::geometry(Point, 4326) AS geom",
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def data(samples: Database) -> AsyncIterator[PostgisData]:
    for statement in SETUP:
        async with samples.owner.begin() as connection:
            await connection.exec_driver_sql(statement)
    registry = Registry(samples.reader)
    await registry.refresh(patience=20)
    yield PostgisData(samples.reader, registry)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The subjects of the statements, as they are sent."""
    subjects: list[str] = []
    rows = guard.Guard.rows

    async def noted(self: guard.Guard, statement: Any, subject: str, **options: Any) -> Any:
        subjects.append(subject)
        return await rows(self, statement, subject, **options)

    monkeypatch.setattr(guard.Guard, "rows", noted)
    return subjects


async def first(data: PostgisData, text: str) -> Place:
    return (await data.find_place(text)).places[0]


@pytest.mark.parametrize(
    ("text", "name", "table"),
    [
        ("Paris", "Paris", "data.cities"),
        ("zurich", "Zürich", "data.cities"),
        ("SAO PAULO", "São Paulo", "data.cities"),
        ("saint denis", "Saint-Denis", "data.cities"),
        ("Georgia", "Georgia", "data.countries"),
        ("united states", "United States", "data.countries"),
        ("LHR", "London Heathrow Airport", "data.airports"),
        ("heathrow", "London Heathrow Airport", "data.airports"),
        ("Heathrow airport", "Heathrow Airport", "data.airports"),
        ("Reykjvik", "Reykjavík", "data.cities"),
        ("Tokio", "Tokyo", "data.cities"),
        ("ubungs weg", "Übungs-Weg", "data.trails"),
    ],
)
async def test_the_place_that_is_meant_comes_first(
    data: PostgisData, text: str, name: str, table: str
) -> None:
    found = await first(data, text)
    assert (found.name, found.table) == (name, table)


async def test_what_is_said_after_a_comma_chooses_among_namesakes(data: PostgisData) -> None:
    assert "France" in (await first(data, "Paris")).detail
    assert "United States" in (await first(data, "Paris, United States")).detail
    assert "France" in (await first(data, "Paris, Atlantis")).detail
    perths = [each for each in (await data.find_place("Perth, us")).places if each.name == "Perth"]
    assert len({each.detail for each in perths}) > 1  # `us` is no part of Australia


async def test_a_word_for_its_kind_leads_to_the_table_of_that_kind(data: PostgisData) -> None:
    places = (await data.find_place("airport of Zurich")).places
    assert {place.table for place in places} == {"data.airports"}
    assert all("zurich" in f"{place.name} {place.detail}".lower() for place in places)


async def test_a_code_in_capitals_is_a_whole_name_also_behind_the_word_for_its_kind(
    data: PostgisData,
) -> None:
    for text, is_whole in (("the airport LHR", True), ("airport KEF", True), ("airport kef", False)):
        assert (await data.find_place(text)).places[0].whole == is_whole, text


async def test_a_key_of_text_is_a_code_that_makes_no_row_better_known(data: PostgisData) -> None:
    found = await first(data, "CB07")
    assert (found.name, found.table, found.whole) == ("Elm Corner", "data.cable_boxes", True)
    assert (await first(data, "Elm Corner")).table == "data.bus_shelters"


async def test_bounds_show_the_place_also_across_the_antimeridian(data: PostgisData) -> None:
    west, south, east, north = (await first(data, "Fiji")).bounds
    assert 170 < west < 180
    assert -180 < east < -170
    assert south < north < 0
    west, _, east, _ = (await first(data, "Russia")).bounds
    assert west > 0 > east
    antarctica = (await first(data, "Antarctica")).bounds
    assert (antarctica[0], antarctica[2]) == (-180, 180)


async def test_a_point_gets_room_around_it_and_a_position_inside(data: PostgisData) -> None:
    place = await first(data, "Paris")
    west, south, east, north = place.bounds
    assert west < place.longitude < east
    assert south < place.latitude < north
    assert 0.05 < north - south < 1
    assert (place.kind, place.longitude, place.latitude) == (
        "city", pytest.approx(2.35, abs=0.05), pytest.approx(48.85, abs=0.05),
    )  # fmt: skip


async def test_all_tables_are_searched_however_many_there_are(data: PostgisData) -> None:
    for number in (0, 7, 23, 39):
        found = await first(data, f"Freight Yard {number}")
        assert (found.name, found.table) == (f"Freight Yard {number}", f"data.yard_{number}")


@pytest.mark.parametrize(
    ("name", "statements"), [("Freight Yard 23", 12), ("Nowhere at all", 12), ("Freight Yrad 23", 32)]
)
async def test_many_small_tables_are_asked_together(
    data: PostgisData, asked: list[str], name: str, statements: int
) -> None:
    found = await data.find_place(name)
    assert found.not_searched == ()
    assert "data.yard_23" in {place.table for place in found.places} or name == "Nowhere at all"
    assert len(asked) <= statements


@pytest.mark.parametrize(
    ("name", "table"), [("Freight Yard 23", "data.yard_23"), ("Rykjavik", "data.cities")]
)
async def test_a_locked_table_keeps_only_itself_from_being_searched(
    data: PostgisData,
    samples: Database,
    monkeypatch: pytest.MonkeyPatch,
    asked: list[str],
    name: str,
    table: str,
) -> None:
    monkeypatch.setattr(places, "SEARCH_TIMEOUT_S", 60.0)  # a busy machine may take longer than people wait
    monkeypatch.setattr(place_names, "TOGETHER_TIMEOUT_S", 4.0)
    async with samples.owner.begin() as connection:
        await connection.exec_driver_sql("LOCK TABLE data.yard_5 IN ACCESS EXCLUSIVE MODE")
        found = await data.find_place(name)
    assert found.places[0].table == table
    assert found.not_searched == ("data.yard_5",)
    alone = {subject for subject in asked if subject.startswith("data.yard_")}
    assert alone <= {table}, "the locked one is not waited for again, the others are asked together"


async def test_names_that_look_like_parameters_are_names(data: PostgisData) -> None:
    place = await first(data, "Colon Bay")
    assert (place.name, place.table) == ("Colon Bay", 'data."odd:name ""% places"')
    assert (await first(data, "Colon Bya")).name == "Colon Bay"


async def test_results_of_analyses_come_after_the_tables_that_they_repeat(data: PostgisData) -> None:
    found = (await data.find_place("Freight Yard 7", limit=5)).places
    assert found[0].table == "data.yard_7"
    assert {place.table for place in found[1:]} == {"analysis.kept_yards"}, (
        "halls are not called like their yards"
    )


async def test_tables_that_were_not_reached_in_time_are_named(
    data: PostgisData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "SEARCH_TIMEOUT_S", 0.0)
    found = await data.find_place("Freight Yard 39")
    assert found.places == ()
    assert "data.yard_39" in found.not_searched


async def test_a_name_that_is_nowhere_finds_nothing(
    data: PostgisData, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound in (
        "SEARCH_TIMEOUT_S",
        "STATEMENT_TIMEOUT_S",
    ):  # a busy machine may take longer than people wait
        monkeypatch.setattr(places, bound, 60.0)
    assert await data.find_place("xqzzkw") == FoundPlaces()
    assert await data.find_place("%") == FoundPlaces()
    assert await data.find_place("'; DROP TABLE data.cities; --") == FoundPlaces()
    assert await data.find_place("Weg ohne Form") == FoundPlaces()


async def test_no_name_at_all_is_refused(data: PostgisData) -> None:
    for nothing in ("", "  ", ", France"):
        with pytest.raises(InvalidQuestion):
            await data.find_place(nothing)


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ("München", "Munich"),
        ("wien", "Vienna"),
        ("NYC", "New York City"),
        ("new york", "New York City"),
        ("Bombay", "Mumbai"),
    ],
)
async def test_a_place_is_found_by_its_other_names(data: PostgisData, other: str, name: str) -> None:
    first = (await data.find_place(other)).places[0]
    assert (first.name, first.whole) == (name, True)


async def test_as_many_as_asked_for_and_each_once(data: PostgisData) -> None:
    places = (await data.find_place("San", limit=7)).places
    assert len(places) == 7
    assert len({(place.name, place.bounds) for place in places}) == 7


async def test_a_name_is_found_in_a_column_that_shortens_the_word(data: PostgisData) -> None:
    place = await first(data, "lookout trail")
    assert (place.name, place.table) == ("Lookout Trail", "data.pk_trails")
    assert (await data.find_place("Rainforest Zone")).places == ()


async def test_rows_are_called_by_the_column_for_their_noun_beside_names_of_other_things(
    data: PostgisData,
) -> None:
    place = await first(data, "outlookton")
    assert (place.name, place.table) == ("Outlookton", "data.co_districts")


async def test_names_are_found_in_columns_of_other_languages(data: PostgisData) -> None:
    place = await first(data, "wasaplatsen")
    assert (place.name, place.table) == ("Wasaplatsen", "data.stops")
    assert "data.stops" not in {each.table for each in (await data.find_place("vasastaden")).places}


async def test_no_text_that_folds_to_a_name_is_passed_over_by_the_quick_comparison(samples: Database) -> None:
    texts = [
        "Paris", "PARIS", "Zürich", "Zu\u0308rich", "ŁÓDŹ", "Ødegård", "o’Hare", "O'Hare", "Saint-Denis (93)", "İzmir",
        "\u212aelvin", "Đà Nẵng", "北京 Beijing", "서울", "서울특별시", "Ελλάς", "Straße 7", "a+b [c] {d} *?",
        "x^y$ z\\w|v", "50% of_it", "~&# sign", "¿Qué?", "𝔸thens", "e\u0301\u0323t\u00e9", "aa\u0301a",
    ]  # fmt: skip
    async with samples.reader.connect() as connection:
        for text in texts:
            wanted = folded(text)
            words = place_names.words_pattern(wanted), place_names.words_spelling(wanted)
            passes = place_names.may_contain(sa.literal(f"before {text} behind"), *map(sa.literal, words))
            assert await connection.scalar(sa.select(passes)), text
            others = place_names.may_contain(sa.literal("Ångström ostrov"), *map(sa.literal, words))
            assert not await connection.scalar(sa.select(others)), text
