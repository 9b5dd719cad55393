"""Groups of layers: made, named, shown and dissolved in one step each, which undo takes back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from server.app import Server
from tests.support.models import ScriptedModel
from tests.support.server import Client, client, local_server

LAYERS = ("a", "b", "c", "d")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Server]:
    async with local_server(samples_url, ScriptedModel()) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def one(server: Server) -> AsyncIterator[Client]:
    """On a map with four layers, `a` at the bottom."""
    async with client(server) as joined:
        await joined.ask("join")
        for layer_id in LAYERS:
            await joined.ask("layer_add", table="data.cities", layer_id=layer_id)
        yield joined


async def seen(one: Client, field: str = "group") -> list[tuple[str, Any]]:
    """The layers as somebody who joins now gets them, bottom first."""
    layers = (await one.ask("join", map_id=one.map_id))["snapshot"]["layers"]
    return [(layer["id"], layer[field]) for layer in layers]


async def test_layers_of_a_group_lie_next_to_each_other_below_the_topmost(one: Client) -> None:
    await one.ask("layer_group", layers=["a", "c"], group=" Towns ")
    assert await seen(one) == [("b", None), ("a", "Towns"), ("c", "Towns"), ("d", None)]
    await one.ask("layer_reorder", order=["c", "b", "d", "a"])
    assert await seen(one) == [("b", None), ("d", None), ("c", "Towns"), ("a", "Towns")]


async def test_one_undo_takes_a_group_back_and_redo_makes_it_again(one: Client) -> None:
    before = await seen(one)
    await one.ask("layer_group", layers=["a", "c", "d"], group="Towns")
    grouped = await seen(one)
    await one.ask("undo")
    assert await seen(one) == before
    await one.ask("redo")
    assert await seen(one) == grouped


async def test_a_group_is_hidden_renamed_and_dissolved_each_in_one_step(one: Client) -> None:
    await one.ask("layer_group", layers=["c", "d"], group="Towns")
    await one.ask("layer_group", layers=["c", "d"], visible=False)
    assert await seen(one, "visible") == [("a", True), ("b", True), ("c", False), ("d", False)]
    await one.ask("undo")
    assert dict(await seen(one, "visible"))["d"] is True
    await one.ask("layer_group", layers=["c", "d"], group="Places")
    assert dict(await seen(one)) == {"a": None, "b": None, "c": "Places", "d": "Places"}
    await one.ask("layer_group", layers=["c", "d"], group=None)
    assert dict(await seen(one)) == dict.fromkeys(LAYERS)


async def test_a_layer_leaves_its_group_to_another_place_in_one_step(one: Client) -> None:
    await one.ask("layer_group", layers=["a", "b", "c"], group="Towns")
    await one.ask("layer_group", layers=["b"], group=None, order=["a", "c", "d", "b"])
    assert await seen(one) == [("a", "Towns"), ("c", "Towns"), ("d", None), ("b", None)]
    await one.ask("undo")
    assert await seen(one) == [("a", "Towns"), ("b", "Towns"), ("c", "Towns"), ("d", None)]


async def test_a_new_layer_does_not_come_between_the_layers_of_a_group(one: Client) -> None:
    await one.ask("layer_add", table="data.countries", layer_id="areas")
    await one.ask("layer_group", layers=["areas", "a", "d"], group="All")
    await one.ask("layer_add", table="data.countries", layer_id="more")
    groups = [group for _, group in await seen(one)]
    assert groups in ([None] * 3 + ["All"] * 3, [None] * 2 + ["All"] * 3 + [None])


async def test_mistakes_are_refused_and_change_nothing(one: Client) -> None:
    before = await seen(one)
    assert await one.refused("layer_group", layers=["a", "z"], group="Towns") == "unknown_layer"
    assert await one.refused("layer_group", layers=[], group="Towns") == "invalid_payload"
    assert await one.refused("layer_group", layers=["a"], group="  ") == "invalid_payload"
    assert await one.refused("layer_group", layers=["a"], group="x" * 300) == "invalid_payload"
    assert await seen(one) == before
