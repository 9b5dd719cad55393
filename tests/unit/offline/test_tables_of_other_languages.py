"""Columns that are called and filled in another language than the request."""

from __future__ import annotations

import re

import pytest

from agents.domain import Place
from agents.offline.language.names.singulars import shown_singular
from agents.offline.meaning.alike_places import full_name
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

PLANS = make_table(
    "data.plans", "POINT", "Detailed plans",
    [("id", "integer", ""), ("plan_namn", "text", "Plan name"), ("skede", "text", "Stage: Review, Adopted, In force"),
     ("start_ar", "integer", "Year the work began"), ("antagen_dat", "date", "Date of adoption"),
     ("overklagad", "text", "Appealed (ja/nej), empty where not yet adopted")],
    [(1, "Housing in Haga", "Adopted", 2015, "2019-04-01", "ja", (1.0, 1.0)),
     (2, "Heden offices", "In force", 2013, "2018-02-14", "nej", (1.1, 1.0)),
     (3, "School in Torpa", "Adopted", 2018, "2021-05-05", "nej", (2.0, 2.0)),
     (4, "Shops in Askim", "Review", 2019, None, None, (2.0, 2.1))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("plans that were appealed", [1]),
        ("plans that were not appealed", [2, 3]),
        ("plans adopted between 2018 and 2020", [1, 2]),
        ("plans named Heden offices", [2]),
    ],
)
async def test_rows_are_found(sentence: str, expected: list[int]) -> None:
    chat = Chat(World(PLANS))
    answer = await chat(f"show {sentence}")
    assert chat.layers, answer
    (layer,) = chat.layers.values()
    assert [row["id"] for row in chat.world.data.passing(layer.table, layer.filter)] == expected


SECTORES = make_table(
    "data.sectores", "POLYGON", "Sectores de aseo",
    [("cod_sector", "text", ""), ("nombre", "text", ""), ("usuarios", "integer", "")],
    [("S-46", "La Esperanza", 900, (1.0, 1.0)), ("S-48", "Moravia", 100, (8.0, 8.0))],
)  # fmt: skip
RUTAS = make_table(
    "data.contenedores", "POINT", "Contenedores",
    [("cod_cont", "text", ""), ("nombre", "text", "")],
    [("C-1", "La Esperanza", (5.0, 5.0)), ("C-2", "Otra", (8.0, 8.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("sectores with more than 500 usuarios", "1 sectores"),
        ("nearest contenedor to each sectores", "Read “contenedor” as “contenedores”"),
        ("for each sectores, the nearest contenedores", "to each sectores"),
    ],
)
async def test_nouns_of_another_language_are_not_cut(sentence: str, shown: str) -> None:
    desk = Desk(World(SECTORES, RUTAS))
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert shown in answer, answer
    assert not re.search(r"\b(sectore|contenedore)\b", answer), answer


@pytest.mark.parametrize(
    ("noun", "one"),
    [("sectores", "sectores"), ("bus stops", "bus stop"), ("villages", "village"), ("coches", "coches"),
     ("road crossings", "road crossing"), ("tubewells", "tubewell"), ("species", "species"), ("bases", "base")],
)  # fmt: skip
def test_only_english_plurals_are_shown_in_the_singular(noun: str, one: str) -> None:
    assert shown_singular(noun) == one


def test_a_place_is_told_with_the_noun_of_its_table_uncut() -> None:
    place = Place(
        name="La Esperanza",
        table="data.sectores",
        kind="sectore",
        bounds=(1, 1, 1, 1),
        longitude=1,
        latitude=1,
    )
    assert full_name(place) == "La Esperanza (sectores)"
