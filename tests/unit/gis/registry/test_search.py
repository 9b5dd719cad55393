"""Search over many tables: the ones that are meant come first, by name, comment, column, value or a slip."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from rapidfuzz import process

from agents.domain import Column, Table
from server.gis.catalog.search import MAX_UNKNOWN_WORDS, SearchIndex


def table(name: str, comment: str | None = None, *columns: Column) -> Table:
    return Table(id=f"data.{name}", schema_name="data", name=name, columns=columns, comment=comment)


def text(name: str, comment: str | None = None, samples: tuple[str, ...] = ()) -> Column:
    return Column(name=name, kind="text", sql_type="text", comment=comment, samples=samples)


def index(*tables: Table) -> SearchIndex:
    made = SearchIndex()
    for each in tables:
        made.put(each)
    return made


def test_a_name_counts_more_than_a_comment_and_a_comment_more_than_a_column() -> None:
    found = (
        index(
            table("shops", None, text("school")),
            table("buildings", "Every school and office"),
            table("schools"),
            table("rivers"),
        )
        .search("Show me the schools, please")
        .best(10)
    )
    assert found == ["data.schools", "data.buildings", "data.shops"]


def test_words_are_found_in_compounds_plurals_accents_and_any_case() -> None:
    made = index(table("CityRoads_2020"), table("municipalites", "Les municipalités"), table("libraries"))
    assert made.search("road").best(5) == ["data.CityRoads_2020"]
    assert made.search("Municipalité").best(5) == ["data.municipalites"]
    assert made.search("library").best(5) == ["data.libraries"]


def test_a_slip_or_the_beginning_of_a_word_is_enough() -> None:
    made = index(table("hospitals"), table("hotels"), table("elevation_points"))
    assert made.search("hosptials").best(5)[0] == "data.hospitals"
    assert made.search("elev").best(5) == ["data.elevation_points"]


def test_a_frequent_value_leads_to_its_table() -> None:
    made = index(
        table("places", None, text("kind", samples=("pharmacy", "bakery"))),
        table("parks", None, text("kind", samples=("garden",))),
    )
    assert made.search("where are pharmacies").best(5) == ["data.places"]


def test_a_number_is_not_taken_for_a_similar_one() -> None:
    made = index(table("wells_4463"), table("wells_4464"))
    assert made.search("44639").best(5) == []
    assert made.search("446").best(5) == ["data.wells_4463", "data.wells_4464"]


def test_a_table_in_the_place_of_a_removed_one_is_found_only_by_its_own_words() -> None:
    made = index(table("roads", "asphalt"), table("rivers"))
    assert made.search("asphalt").best(5) == ["data.roads"]
    made.remove("data.roads")
    made.put(table("lakes", "water"))
    assert made.search("asphalt roads").best(5) == []
    assert made.search("water").best(5) == ["data.lakes"]
    assert made.search("lake river", {"data.lakes"}).best(5) == ["data.rivers"]


def test_more_words_that_fit_are_better_than_one() -> None:
    made = index(table("bus_stops"), table("bus_lines"), table("tram_stops"))
    assert made.search("stops of the bus").best(5)[0] == "data.bus_stops"


def test_nothing_telling_finds_nothing() -> None:
    assert index(table("roads")).search("show me the map").best(5) == []
    assert SearchIndex().search("roads").best(5) == []


def test_a_changed_or_removed_table_is_found_as_it_is_now() -> None:
    made = index(table("roads", "asphalt"))
    made.put(table("roads", "gravel"))
    assert made.search("asphalt").best(5) == []
    assert made.search("gravel").best(5) == ["data.roads"]
    made.remove("data.roads")
    made.remove("data.roads")
    assert (made.search("roads").best(5), len(made)) == ([], 0)


def test_the_one_that_is_meant_is_first_among_ten_thousand() -> None:
    kinds = ("roads", "rivers", "schools", "wells", "parcels")
    made = SearchIndex()
    for number in range(10_000):
        kind = kinds[number % len(kinds)]
        made.put(table(f"{kind}_{number}", f"{kind} of district {number}", text("name"), text("kind")))
    made.put(table("ev_charging", "Charging stations for electric cars", text("name"), text("operator")))
    assert made.search("name and kind of electric chargers").best(3)[0] == "data.ev_charging"
    assert made.search("wells of district 4463").best(3)[0] == "data.wells_4463"
    assert len(made.search("name").best(20)) == 20


def test_a_long_text_is_compared_with_all_known_words_only_for_its_first_unknown_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of each of a thousand unknown words it would take longer than everybody else can wait."""
    compared: list[str] = []
    extract = process.extract

    def counted(word: str, known: Collection[str], **options: Any) -> Any:
        compared.append(word)
        return extract(word, known, **options)

    monkeypatch.setattr(process, "extract", counted)
    made = index(table("roads"), table("hospitals"))
    noise = " ".join(f"unheard{number}of" for number in range(1000))
    assert set(made.search(f"hosptials {noise} roads").best(5)) == {"data.hospitals", "data.roads"}
    assert len(compared) == MAX_UNKNOWN_WORDS


def test_an_unknown_word_is_compared_with_all_known_words_once_until_these_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []
    extract = process.extract

    def counted(word: str, known: Collection[str], **options: Any) -> Any:
        compared.append(word)
        return extract(word, known, **options)

    monkeypatch.setattr(process, "extract", counted)
    made = index(table("roads"))
    assert [made.search("find hosptials").best(5) for _ in range(3)] == [[]] * 3
    made.put(table("hospitals"))
    assert made.search("find hosptials").best(5) == ["data.hospitals"]
    assert compared == ["find", "hosptial"] * 2


def test_the_order_does_not_depend_on_how_many_are_asked_for() -> None:
    made = index(*(table(f"wells_{number}", "wells of a district") for number in range(300)))
    made.put(table("parks_of_a_district"))
    made.remove("data.wells_7")
    made.put(table("wells_x", "wells of a district"))
    everything = made.search("wells of a district").best(1000)
    assert everything[:3] == ["data.wells_0", "data.wells_1", "data.wells_2"]
    assert len(everything) == 301
    assert "data.wells_7" not in everything
    assert everything.index("data.wells_x") == everything.index("data.wells_9") + 1
    assert everything.index("data.wells_10") == everything.index("data.wells_x") + 1
    for limit in (1, 9, 10, 50, 299):
        assert made.search("wells of a district").best(limit) == everything[:limit]
    assert made.search("wells", hidden={"data.wells_0", "data.never_there"}).best(3) == [
        "data.wells_1",
        "data.wells_2",
        "data.wells_3",
    ]


def test_a_place_among_all_matches_and_their_number_need_no_order_of_all() -> None:
    made = index(*(table(f"wells_{number}", "wells of a district") for number in range(300)), table("parks"))
    found = made.search("wells of a district", {"data.wells_3"})
    assert len(found) == 299
    everything = found.best(1000)
    assert [found.place(each) for each in everything] == list(range(299))
    assert [found.place(each) for each in ("data.parks", "data.wells_3", "data.never_there")] == [None] * 3


def test_pages_of_two_rankings_together_are_parts_of_one_list() -> None:
    made = index(*(table(f"wells_{number}", "wells of a district") for number in range(300)), table("parks"))
    found = made.search("wells")
    alike = ["data.wells_200", "data.parks", "data.wells_1"]
    everything = found.fused(alike, 1000)
    assert everything[:4] == ["data.wells_1", "data.wells_200", "data.wells_0", "data.parks"]
    assert len(everything) == len(set(everything)) == 301
    for limit in (1, 3, 4, 50, 200, 300):
        assert found.fused(alike, limit) == everything[:limit]
    assert found.fused([], 10) == found.best(10)
