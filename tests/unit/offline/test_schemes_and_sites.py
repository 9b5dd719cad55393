"""Requests of a heritage office: kinds of planned schemes, sites by their size and years, and what is asked next."""

from __future__ import annotations

import pytest

from agents.domain import Column
from agents.offline.meaning.units import column_unit
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

SCHEMES = make_table(
    "data.planned_schemes",
    "LINESTRING",
    "Planned roads, pipelines and other linear schemes",
    [("id", "integer", ""), ("scheme", "text", ""), ("kind", "text", ""), ("length_km", "number", ""),
     ("est_cost_m", "number", "Estimated cost, EUR million")],
    [(1, "N2 Slane Bypass", "road", 9.0, 40.0, (1.0, 40.0)), (2, "East Main", "pipeline", 4.0, 10.0, (2.0, 41.0)),
     (3, "Link Road", "road", 2.0, 5.0, (3.0, 42.0))],
)  # fmt: skip
SITES = make_table(
    "data.sites",
    "POINT",
    "Sites",
    [("id", "integer", ""), ("name", "text", ""), ("diam_m", "number", "External diameter in metres"),
     ("area_m2", "integer", ""), ("start_date", "date", ""), ("end_date", "date", ""), ("currency", "text", "")],
    [(1, "Tara", 60.0, 2900, "2016-05-01", "2016-07-01", "EUR", (1.0, 40.0)),
     (2, "Knowth", 30.0, 1200, "2012-05-01", "2013-07-01", "GBP", (2.0, 41.0))],
)  # fmt: skip


def _world() -> World:
    return World(SCHEMES, SITES)


@pytest.mark.parametrize("sentence", ["show the planned roads", "planned roads in red, thicker"])
async def test_words_of_the_tables_name_before_a_kind(sentence: str) -> None:
    chat = Chat(_world())
    await chat(sentence)
    assert chat.calls[0][1]["filters"] == where("kind", "=", "road")


async def test_a_column_called_as_the_rows_names_them() -> None:
    assert (await Chat(_world())("what's the longest scheme")).startswith("**N2 Slane Bypass**")


async def test_two_years_are_no_areas() -> None:
    chat = Chat(_world())
    await chat("sites between 2015 and 2020")
    assert chat.calls[0][1]["filters"] == both(
        where("start_date", ">=", {"date": "2015-01-01"}), where("start_date", "<", {"date": "2021-01-01"})
    )


@pytest.mark.parametrize("sentence", ["sites bigger than 40 m", "show the sites wider than 40 m"])
async def test_bigger_by_a_length_is_the_diameter(sentence: str) -> None:
    chat = Chat(_world())
    await chat(sentence)
    assert chat.calls[0][1]["filters"] == where("diam_m", ">", 40)


@pytest.mark.parametrize("sentence", ["which sites dont use the euro", "sites that don't use the euro"])
async def test_what_is_not_used(sentence: str) -> None:
    chat = Chat(_world())
    await chat(sentence)
    assert chat.calls[0][1]["filters"] == no(where("currency", "=", "EUR"))


async def test_the_first_ones_after_the_first_one() -> None:
    chat = Chat(_world())
    await chat("whats the longest scheme?")
    await chat("give me the top 3")
    assert (chat.calls[0][1]["sort"], chat.calls[0][1]["limit"]) == ("length_km", 3)


async def test_the_same_figure_of_another_column() -> None:
    world = _world()
    chat = Chat(world, analyst=Desk(world))
    await chat("total length of schemes by kind")
    answer = await chat("and the estimated cost")
    assert answer.startswith("Total estimated cost of schemes by kind: road has the greatest, 45.")


@pytest.mark.parametrize(
    ("name", "comment", "symbol"),
    [
        ("est_cost_m", "Estimated cost, EUR million", "M€"),
        ("est_cost_m", "", None),
        ("cost", "in million euros", "M€"),
        ("length_m", "", "m"),
    ],
)
def test_costs_that_end_with_m_are_no_lengths(name: str, comment: str, symbol: str | None) -> None:
    unit = column_unit(Column(name=name, kind="number", sql_type="numeric", comment=comment))
    assert (unit.symbol if unit is not None else None) == symbol
