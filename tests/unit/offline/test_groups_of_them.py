"""Groups and sizes of the rows that the conversation is about, where a follow-up does not name them."""

from __future__ import annotations

import pytest

from agents.core.messages import AssistantMessage
from agents.domain import Column, Layer, Legend, Style
from agents.offline.commands.analyses.rules import Context
from agents.offline.commands.analyses.totals import _people_inside
from agents.offline.conversation.follow_ups import _figure_of_groups, asked_again
from agents.offline.conversation.memory import Memory
from agents.offline.conversation.other_rows import number_of_others
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.features import Features
from agents.offline.meaning.intents import Analyse, Intent, Show
from agents.offline.meaning.units import column_unit
from agents.offline.parser import parse
from agents.result_rows import origin, rows_of
from server.maps.analyses.offered import OFFERED
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where


@pytest.mark.parametrize(
    "said", ["how many per country?", "and how many are there by country?", "number of them by country"]
)
async def test_groups_without_rows_are_those_of_the_layer(said: str) -> None:
    """They were counted of any table with such a column, of cities as well."""
    desk = Desk(World())
    chat = Chat(desk.world, analyst=desk)
    await chat("show airports in Peru")
    answer = await chat(said)
    (kept, _), (grouped, arguments) = desk.analysis.steps[0], desk.analysis.steps[-1]
    assert (kept, grouped, arguments["by"]) == ("filter", "dissolve", ["country"]), answer
    assert desk.analysis.steps[0][1] == {"source": "data.airports", "filter": where("country", "=", "Peru")}


async def test_a_number_of_nothing_is_not_counted() -> None:
    desk = Desk(World())
    chat = Chat(desk.world, analyst=desk)
    answer = await chat("how many per country?")
    assert desk.analysis.steps == [], answer


@pytest.mark.parametrize("before", ["show airports in Peru", "how many airports are there in Peru?"])
async def test_a_figure_of_them_keeps_its_rows_when_it_is_grouped(before: str) -> None:
    """The groups were those of all airports."""
    desk = Desk(World())
    chat = Chat(desk.world, analyst=desk)
    await chat(before)
    await chat("and the average elevation?")
    answer = await chat("and by country?")
    assert [name for name, _ in desk.analysis.steps] == ["filter", "dissolve"], answer


@pytest.mark.parametrize(
    ("before", "said", "whole"),
    [
        ("how many cities are there in each country", "and the average population?",
         "average population of cities in each country"),
        ("number of cities by country", "and the total people?", "total people of cities by country"),
        ("how many cities are there", "and the average population?", None),
        ("cities per country", "and the average population?", "average population of cities per country"),
        ("cities per country in 2020", "and how many?", "number of cities per country in 2020"),
        ("average area of cities by country", "and how many?", "number of cities by country"),
        ("average area by country", "and the total population?", "total population by country"),
        ("average area by country", "and how many?", None),
        ("how many cities are there in each country", "and the average population by continent?", None),
    ],
)  # fmt: skip
def test_a_figure_behind_counts_is_of_the_same_groups(before: str, said: str, whole: str | None) -> None:
    assert _figure_of_groups(before, said) == whole


@pytest.mark.parametrize(
    ("before", "said", "whole"),
    [
        ("how many airports are in Peru", "and how many cities?", "how many cities are in Peru"),
        ("how many airports in Peru", "and cities?", "how many cities in Peru"),
        ("how many airports does Peru have", "and how many cities?", "how many cities does Peru have"),
        ("how many airports are in Peru", "how many cities?", None),
        ("how many airports are in Peru", "and in Chile?", None),
    ],
)
def test_another_noun_is_counted_in_the_same_place(before: str, said: str, whole: str | None) -> None:
    assert number_of_others(before, said, Vocabulary(World().registry, ())) == whole


@pytest.mark.parametrize(("rows", "steps"), [("data.countries", 1), ("", 2)])
def test_people_of_a_result_are_its_own_where_it_has_the_rows_of_a_table(rows: str, steps: int) -> None:
    """People of cities inside were added up for countries that were only selected."""
    world = World()
    table = world.registry.get("data.countries").model_copy(
        update={
            "id": "analysis.some", "schema_name": "analysis", "name": "some", "is_result": True,
            "comment": origin("Some countries", "filter", "data.countries", rows),
        }
    )  # fmt: skip
    assert rows_of(table) == rows
    context = Context(Vocabulary(world.registry, (), OFFERED), lambda _: (table,))
    found = _people_inside({"areas": Features(text="them", previous=True)}, context)
    assert found is not None
    assert len(found) == steps


INCIDENTS = make_table(
    "data.incidents", "POINT", "Incidents",
    [("id", "integer", ""), ("kind", "text", ""), ("zone", "text", ""), ("calls", "integer", ""),
     ("closed", "date", "")],
    [
        (1, "fire", "Castle", 3, "2020-01-02", (1.0, 1.0)), (2, "rescue", "Castle", 4, None, (1.0, 1.0)),
        (3, "fire", "Harbour", 5, None, (1.0, 1.0)),
    ],
)  # fmt: skip
STATIONS = make_table(
    "data.stations",
    "POINT",
    "Stations",
    [("id", "integer", ""), ("name", "text", "")],
    [(1, "Central", (1.0, 1.0))],
)
ZONES = make_table(
    "data.zones", "POLYGON", "Zones of the town",
    [("id", "integer", ""), ("name", "text", ""), ("area_ha", "number", ""), ("far", "number", "Floor area ratio")],
    [(1, "Castle", 2.0, 0.4, (1.0, 1.0)), (2, "Harbour", 3.0, 0.5, (2.0, 2.0))],
)  # fmt: skip
IN_CASTLE = where("zone", "=", "Castle")


async def counted(*said: str) -> dict[str, object]:
    chat = Chat(World(INCIDENTS, STATIONS, ZONES))
    for each in said:
        await chat(each)
    ((name, arguments),) = chat.calls
    assert name == "count_features"
    return dict(arguments["filters"])


@pytest.mark.parametrize(
    ("said", "filters"),
    [
        (("incidents in Castle", "how many were fires?"), both(IN_CASTLE, where("kind", "=", "fire"))),
        (
            ("incidents in Castle", "how many were fires?", "how many were rescues?"),
            both(IN_CASTLE, where("kind", "=", "rescue")),
        ),
        (
            ("show incidents", "how many of them were fires?", "and in Castle?"),
            both(where("kind", "=", "fire"), IN_CASTLE),
        ),
    ],
)
async def test_how_many_were_is_asked_of_the_rows_that_were_spoken_of(
    said: tuple[str, ...], filters: object
) -> None:
    """The place of the layer was dropped, and two values of one column were asked of the same row."""
    assert await counted(*said) == filters


@pytest.mark.parametrize(
    ("said", "filters"),
    [
        (("how many incidents have more than 4 calls?", "how many have fewer than 5 calls?"), where("calls", "<", 5)),
        (("how many incidents are fires or rescues?", "how many are rescues?"), where("kind", "=", "rescue")),
        (
            ("how many incidents are fires?", "how many are fires or rescues?"),
            where("kind", "in", ["fire", "rescue"]),
        ),
        (
            ("how many incidents in Castle are fires?", "how many are rescues?"),
            both(IN_CASTLE, where("kind", "=", "rescue")),
        ),
        (
            ("how many incidents are fires?", "how many of those are rescues?"),
            both(where("kind", "=", "fire"), where("kind", "=", "rescue")),
        ),
    ],
)  # fmt: skip
async def test_a_condition_takes_the_place_of_those_on_its_columns(
    said: tuple[str, ...], filters: object
) -> None:
    """Only one value was replaced by another: no row has more than 4 and fewer than 5."""
    assert await counted(*said) == filters


@pytest.mark.parametrize(
    "between", ["what is the largest city in Germany?", "which airport is the purplest?"]
)
async def test_people_live_there_only_right_after_the_layer(between: str) -> None:
    """The people of all countries in Africa were those of Berlin."""
    desk = Desk(World())
    chat = Chat(desk.world, analyst=desk)
    await chat("show countries in Africa")
    await chat(between)
    answer = await chat("how many people live there?")
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer


async def test_people_of_the_layer_just_drawn_are_counted() -> None:
    desk = Desk(World())
    chat = Chat(desk.world, analyst=desk)
    await chat("show countries in Africa")
    answer = await chat("how many people live there?")
    assert [name for name, _ in chat.calls] == ["run_analysis"], answer


async def test_rows_in_an_area_that_their_own_column_names_are_those_of_the_column() -> None:
    """`incidents per zone` are by the column, so `incidents in zone Castle` must be as many."""
    chat = Chat(World(INCIDENTS, STATIONS, ZONES))
    await chat("incidents in zone Castle")
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("add_map_layer", IN_CASTLE)


def meant_by(said: str) -> list[Intent]:
    vocabulary = Vocabulary(World(INCIDENTS, STATIONS, ZONES).registry, (), OFFERED)
    return [each.intent for each in parse(said, vocabulary)]


def test_a_distance_behind_two_nouns_is_that_of_both() -> None:
    """The first ones were shown wherever they are."""
    near = [
        each.goal
        for each in meant_by("incidents and stations within 500 m of Castle")
        if isinstance(each, Analyse)
    ]
    assert near == ["incidents within 500 m of Castle", "stations within 500 m of Castle"]


def test_a_place_behind_two_nouns_is_that_of_both() -> None:
    shown = [each for each in meant_by("show incidents and stations in Castle") if isinstance(each, Show)]
    assert [each.where is not None for each in shown] == [True, True]
    assert [each.where for each in meant_by("show incidents, then stations") if isinstance(each, Show)] == [
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("said", "conditions"),
    [
        ("show airports, cities and countries in Africa", [True, True, True]),
        ("show airports and cities above 1000 m", [True, True]),
        ("show airports in Peru and cities", [True, False]),
        ("show airports and show cities in Peru", [False, True]),
        ("show airports, then cities in Peru", [False, True]),
    ],
)
def test_conditions_behind_the_last_noun_are_those_of_all(said: str, conditions: list[bool]) -> None:
    """The airports of the whole world were drawn."""
    commands = parse(said, Vocabulary(World().registry, (), OFFERED))
    shown = [each.intent for each in commands if isinstance(each.intent, Show)]
    assert [each.where is not None for each in shown] == conditions


async def test_conditions_that_the_first_noun_cannot_read_draw_nothing() -> None:
    chat = Chat()
    answer = await chat("show airports and countries in Europe with more than 1 million people")
    assert not chat.layers, answer


def test_two_nouns_of_one_table_have_the_same_place() -> None:
    """All centres were drawn as the shelters."""
    centres = make_table(
        "data.evacuation",
        "POINT",
        "Evacuation centres and shelters",
        [("id", "integer", ""), ("town", "text", "")],
        [(1, "Huonville", (1.0, 1.0))],
    )
    commands = parse("shelters and centres in Huonville", Vocabulary(World(centres).registry, ()))
    assert [each.intent.where is not None for each in commands if isinstance(each.intent, Show)] == [
        True,
        True,
    ]


@pytest.mark.parametrize(
    "said",
    [
        ("how many airports are above 1000 m?", "and in total?"),
        ("average elevation by country", "and how many?"),
        ("average elevation of airports by country", "how many are there?"),
    ],
)
async def test_a_number_of_unclear_rows_is_declined(said: tuple[str, str]) -> None:
    """The airports above 1000 m were all of them, and the countries were counted as features."""
    desk = Desk(World())
    chat = Chat(desk.world, analyst=desk)
    await chat(said[0])
    answer = await chat(said[1])
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer


async def test_a_follow_up_is_declined_in_the_words_that_were_written() -> None:
    desk = Desk(World())
    chat = Chat(desk.world, analyst=desk)
    await chat("average elevation of airports by country")
    assert "of airports" not in (await chat("and the purple elevation?")).partition("You could say")[0]


async def test_open_rows_are_not_all_where_a_date_tells_which_are_closed() -> None:
    chat = Chat(World(INCIDENTS, STATIONS, ZONES))
    await chat("open incidents")
    assert not chat.layers


async def test_the_area_in_a_ratio_is_no_area() -> None:
    desk = Desk(World(INCIDENTS, ZONES))
    await Chat(desk.world, analyst=desk)("average area by name")
    assert "area_ha" in str(desk.analysis.steps)
    assert "far" not in str(desk.analysis.steps)


async def test_the_most_of_nothing_is_not_the_greatest_area() -> None:
    chat = Chat(World(INCIDENTS, ZONES))
    answer = await chat("which zone has the most?")
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer


def result(rows: str = "data.incidents") -> tuple[World, Layer]:
    """A world whose analysis has found some incidents."""
    world = World(INCIDENTS, STATIONS, ZONES)
    found = world.registry.get("data.incidents").model_copy(
        update={
            "id": "analysis.near", "schema_name": "analysis", "name": "near", "is_result": True,
            "comment": origin("Incidents within 1 km of a station", "select_by_location", "data.incidents", rows),
        }
    )  # fmt: skip
    world.registry.add(found)
    layer = Layer(
        id="near", name="Incidents near", table="analysis.near", style=Style(kind="single"), geometry_type="point",
        count=3, legend=Legend(title=""),
    )  # fmt: skip
    return world, layer


@pytest.mark.parametrize(
    ("rows", "said", "whole"),
    [
        ("data.incidents", "how many per kind?", None),
        ("data.incidents", "total calls by kind", "total calls of them by kind"),
        ("data.incidents", "and how many calls?", "how many calls do they have"),
        ("data.incidents", "how many stations?", None),
        ("", "how many per kind?", None),
        ("", "total calls by kind", None),
    ],
)
def test_figures_are_of_the_rows_that_an_analysis_has_found(rows: str, said: str, whole: str | None) -> None:
    """They were those of the whole table."""
    world, layer = result(rows)
    assert (
        asked_again(
            (AssistantMessage("", memory=Memory().stored()),), said, Vocabulary(world.registry, (layer,))
        )
        == whole
    )


@pytest.mark.parametrize(("said", "most"), [("which one is first?", "highest"), ("which is last", "lowest")])
def test_the_first_of_groups_has_the_greatest_figure(said: str, most: str) -> None:
    world, layer = result()
    layer = layer.model_copy(update={"style": Style(kind="graduated", column="count")})
    before = AssistantMessage("", memory=Memory(layers=("near",)).stored())
    again = asked_again((before,), said, Vocabulary(world.registry, (layer,)))
    assert again == f'which of them has the {most} "count"'


def test_kilometres_in_the_title_of_a_result_are_no_unit_of_its_count() -> None:
    column = Column(
        name="count", kind="integer", sql_type="bigint",
        comment="Calculated: Schools within 1 km of a hospital in each zone: spatial_join of data.zones.",
    )  # fmt: skip
    assert column_unit(column) is None
