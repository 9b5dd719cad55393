"""Layers on real tables: drafts become layers, changes keep what they do not touch, undo brings back, races lose
nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from agents.core.errors import ToolFailed
from agents.domain import LayerChange, LayerDraft, StyleSpec
from server.database.engines import Database
from server.gis.catalog.column_names import ColumnNames
from server.gis.catalog.registry import Registry
from server.gis.overviews.ladder import OverviewStore
from server.gis.profiles.profile import ProfileStore
from server.gis.profiles.versions import DataVersions
from server.gis.query.data import PostgisData
from server.gis.tiles.low_zoom import LowZoom
from server.maps.faults import RequestFault
from server.maps.layers.source import TableSource
from server.maps.layers.verbs import Author, LayerService
from server.maps.log.event_log import EventLog
from server.maps.log.replay import replay

ABOVE_2000 = {"op": ">", "args": [{"property": "elevation_m"}, 2000]}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def registry(samples: Database) -> AsyncIterator[Registry]:
    registry = Registry(samples.reader)
    await registry.refresh()
    yield registry


@pytest.fixture(scope="module")
def log(samples: Database) -> EventLog:
    return EventLog(samples.owner)


@pytest.fixture(scope="module")
def layers(samples: Database, registry: Registry, log: EventLog) -> LayerService:
    async def everything(map_id: str) -> Registry:
        return registry

    data = PostgisData(samples.reader, registry)
    versions, names = DataVersions(samples.owner), ColumnNames(samples.owner)
    low_zoom = LowZoom(versions, OverviewStore(samples.owner), 20_000)
    source = TableSource(
        registry, data, samples.reader, everything, versions, ProfileStore(samples.owner), low_zoom, names
    )
    return LayerService(log, source)


def airports(**fields: object) -> LayerDraft:
    return LayerDraft.model_validate({"table": "data.airports", **fields})


async def test_a_draft_becomes_a_layer_with_count_bounds_style_and_legend(
    layers: LayerService, log: EventLog
) -> None:
    map_id = await log.create()
    done = await layers.add(map_id, airports(style=StyleSpec(color="red")))
    layer = done.layer
    assert layer is not None
    assert (layer.id, layer.name, layer.table, layer.version) == ("airports", "airports", "data.airports", 1)
    assert layer.count > 20_000
    assert layer.bounds is not None
    assert layer.geometry_type == "point"
    assert layer.style.layers
    assert layer.legend.entries
    assert layer.tiles == f"/tiles/{map_id}/airports/1/{{z}}/{{x}}/{{y}}.mvt"


async def test_ids_names_and_colours_of_layers_are_distinct(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    for _ in range(3):
        await layers.add(map_id, airports())
    there = (await log.reader.state(map_id)).layers
    assert [layer.id for layer in there] == ["airports", "airports_2", "airports_3"]
    assert len({layer.style.color for layer in there}) == 3
    assert [layer.order for layer in there] == [0, 1, 2]


async def test_layers_coloured_by_numbers_have_different_ramps(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    by_height = StyleSpec(kind="graduated", column="elevation_m")
    names = [(await layers.add(map_id, airports(style=by_height))).layer for _ in range(3)]
    assert [layer and layer.style.ramp for layer in names] == [None, "YlGnBu", "BuPu"]
    colours = [{entry.color for entry in layer.legend.entries} for layer in names if layer is not None]
    assert not colours[0] & colours[1] & colours[2]
    chosen = await layers.add(map_id, airports(style=by_height.model_copy(update={"ramp": "YlOrRd"})))
    assert chosen.layer is not None
    assert chosen.layer.style.ramp == "YlOrRd"


async def test_a_layer_that_is_coloured_later_has_a_ramp_that_no_other_has(
    layers: LayerService, log: EventLog
) -> None:
    map_id = await log.create()
    by_height = StyleSpec(kind="graduated", column="elevation_m")
    await layers.add(map_id, airports(style=by_height))
    await layers.add(map_id, airports(style=StyleSpec(color="red")))

    async def restyled(layer_id: str, **style: Any) -> str | None:
        change = LayerChange(style=by_height.model_copy(update=style))
        layer = (await layers.update(map_id, layer_id, change)).layer
        assert layer is not None
        return layer.style.ramp

    assert await restyled("airports_2") == "YlGnBu"
    assert await restyled("airports_2", classes=7) == "YlGnBu"
    assert await restyled("airports_2", kind="heatmap", column=None) == "YlGnBu"
    assert await restyled("airports", classes=7) is None, "the first one keeps the usual ramp"
    assert await restyled("airports_2", ramp="Greens") == "Greens"
    assert await restyled("airports_2", color="blue") is None, "tints of that colour"
    assert await restyled("airports_2", classes=3) is None, "still of that colour"


async def test_a_filter_by_text_is_kept_as_json_and_counted(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    everything = (await layers.add(map_id, airports())).layer
    assert everything is not None
    few = (await layers.update(map_id, "airports", LayerChange(filter="elevation_m > 2000"))).layer
    assert few is not None
    assert few.filter == ABOVE_2000
    assert 0 < few.count < everything.count
    assert (few.version, few.tiles) == (2, everything.tiles.replace("/1/", "/2/"))
    assert few.style.color == everything.style.color
    back = (await layers.update(map_id, "airports", LayerChange(filter=None))).layer
    assert back is not None
    assert (back.filter, back.count, back.bounds) == (None, everything.count, everything.bounds)


async def test_a_new_colour_keeps_the_tiles_that_browsers_have(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    before = (await layers.add(map_id, airports())).layer
    after = (await layers.update(map_id, "airports", LayerChange(style=StyleSpec(color="green")))).layer
    assert before is not None
    assert after is not None
    assert (after.version, after.tiles) == (2, before.tiles)
    assert after.style.color != before.style.color


async def test_a_theme_by_a_column_needs_other_tiles(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    before = (await layers.add(map_id, airports())).layer
    theme = StyleSpec(kind="graduated", column="elevation_m")
    after = (await layers.update(map_id, "airports", LayerChange(style=theme))).layer
    assert before is not None
    assert after is not None
    assert after.tiles != before.tiles
    assert len(after.legend.entries) >= 2


async def test_what_changes_nothing_is_no_event(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    added = await layers.add(map_id, airports())
    assert (await layers.update(map_id, "airports", LayerChange(visible=True))).seq == added.seq
    assert (await layers.reorder(map_id, ["airports"])).seq == added.seq
    assert (await layers.reset(map_id))[0] == 1
    assert (await layers.reset(map_id))[0] == 0
    assert await log.reader.seq(map_id) == added.seq + 1


@pytest.mark.parametrize(
    ("draft", "code"),
    [
        ({"table": "data.nothing"}, "unknown_table"),
        ({"table": "data.airports", "filter": "height > 5"}, "invalid_filter"),
        ({"table": "data.airports", "filter": "elevation_m >"}, "invalid_filter"),
        ({"table": "data.airports", "style": {"kind": "graduated", "column": "name"}}, "invalid_style"),
        ({"table": "data.airports", "style": {"color": "no colour"}}, "invalid_style"),
        ({"table": "data.airports", "id": "no spaces"}, "invalid_payload"),
    ],
)
async def test_a_wrong_draft_is_refused_with_a_reason_and_changes_nothing(
    layers: LayerService, log: EventLog, draft: dict[str, object], code: str
) -> None:
    map_id = await log.create()
    with pytest.raises(ToolFailed) as refused:
        await layers.add(map_id, LayerDraft.model_validate(draft))
    assert getattr(refused.value, "code", None) == code
    assert await log.reader.read(map_id, 0) == []


async def test_a_layer_that_is_not_there_is_refused(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    for attempt in (
        layers.update(map_id, "x", LayerChange(visible=False)),
        layers.remove(map_id, "x"),
        layers.reorder(map_id, ["x"]),
    ):
        with pytest.raises(ToolFailed, match="no layer 'x'"):
            await attempt
    assert await log.reader.read(map_id, 0) == []


async def test_new_areas_go_below_the_points_that_are_there(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    areas = {"table": "data.countries"}
    for draft in (
        areas,
        {**areas, "id": "circles", "style": StyleSpec(kind="proportional", column="population")},
        {"table": "data.airports"},
        {**areas, "id": "above"},
    ):
        await layers.add(map_id, LayerDraft.model_validate(draft))
    assert (await log.reader.state(map_id)).order == ("countries", "above", "circles", "airports")
    await layers.reorder(map_id, ["countries", "airports", "circles", "above"])
    await layers.add(map_id, LayerDraft.model_validate({**areas, "id": "last"}))
    assert (await log.reader.state(map_id)).order[-1] == "last", "an order that somebody chose stays as it is"
    await layers.undo(map_id)
    await layers.redo(map_id)
    assert (await log.reader.state(map_id)).order[-1] == "last"


@pytest.mark.parametrize("order", [[], ["airports", "airports"]])
async def test_an_order_names_each_layer_once(layers: LayerService, log: EventLog, order: list[str]) -> None:
    map_id = await log.create()
    added = await layers.add(map_id, airports())
    with pytest.raises(RequestFault, match="each once") as refused:
        await layers.reorder(map_id, order)
    assert refused.value.code == "invalid_payload"
    assert await log.reader.seq(map_id) == added.seq


async def test_changes_made_at_once_are_all_kept(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    await layers.add(map_id, airports())
    await asyncio.gather(
        layers.update(map_id, "airports", LayerChange(filter="elevation_m > 2000")),
        layers.update(map_id, "airports", LayerChange(opacity=0.5)),
        layers.update(map_id, "airports", LayerChange(name="High airports")),
        layers.update(map_id, "airports", LayerChange(style=StyleSpec(color="#112233"))),
    )
    (layer,) = (await log.reader.state(map_id)).layers
    assert (layer.filter, layer.opacity, layer.name) == (ABOVE_2000, 0.5, "High airports")
    assert layer.style.color == "#112233"
    assert layer.version == 5


async def test_a_filter_is_kept_however_often_others_move_the_opacity_meanwhile(
    layers: LayerService, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    map_id = await log.create()
    await layers.add(map_id, airports())
    draw = layers._source.draw

    async def draw_beside_others(*asked: Any) -> Any:
        for step in range(1, 6):
            await layers.update(map_id, "airports", LayerChange(opacity=step / 10, name=f"Airports {step}"))
        return await draw(*asked)

    monkeypatch.setattr(layers._source, "draw", draw_beside_others)
    await layers.update(map_id, "airports", LayerChange(filter="elevation_m > 2000"))
    (layer,) = (await log.reader.state(map_id)).layers
    assert (layer.filter, layer.opacity, layer.name) == (ABOVE_2000, 0.5, "Airports 5")
    assert layer.version == 7


async def test_undo_and_redo_bring_back_what_was_with_a_version_of_its_own(
    layers: LayerService, log: EventLog
) -> None:
    map_id = await log.create()
    await layers.add(map_id, airports())
    all_of_them = (await log.reader.state(map_id)).layers[0]
    await layers.update(map_id, "airports", LayerChange(filter="elevation_m > 2000"))
    undone = await layers.undo(map_id)
    assert undone is not None
    assert undone.what == "changed airports"
    (layer,) = undone.state.layers
    assert (layer.filter, layer.count, layer.version) == (None, all_of_them.count, 3)
    assert layer.tiles == all_of_them.tiles
    redone = await layers.redo(map_id)
    assert redone is not None
    assert redone.state.layers[0].filter == ABOVE_2000
    assert redone.state.layers[0].version == 4
    assert await layers.redo(map_id) is None
    events = await log.reader.read(map_id, 0)
    assert [event.payload.get("undo_of") for event in events] == [None, None, 2, 2]
    assert replay(event.typed() for event in events).layers == (await log.reader.state(map_id)).layers


async def test_one_undo_takes_back_all_that_a_turn_did(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    await layers.add(map_id, airports(name="mine"))
    turn = Author("turn_1")
    await layers.add(map_id, airports(), turn)
    await layers.add(map_id, LayerDraft(table="data.countries"), turn)
    await layers.remove(map_id, "airports", turn)
    undone = await layers.undo(map_id)
    assert undone is not None
    assert [(layer.id, layer.name) for layer in undone.state.layers] == [("airports", "mine")]
    redone = await layers.redo(map_id)
    assert redone is not None
    assert [layer.id for layer in redone.state.layers] == ["countries", "airports_2"]


async def test_undo_of_a_reset_brings_all_layers_back_in_their_order(
    layers: LayerService, log: EventLog
) -> None:
    map_id = await log.create()
    for name in ("one", "two", "three"):
        await layers.add(map_id, airports(id=name))
    await layers.reorder(map_id, ["three", "one"])
    await layers.reset(map_id)
    undone = await layers.undo(map_id)
    assert undone is not None
    assert undone.state.order == ("two", "three", "one")


async def test_two_undos_at_once_take_back_two_changes(layers: LayerService, log: EventLog) -> None:
    map_id = await log.create()
    await layers.add(map_id, airports())
    await layers.add(map_id, airports())
    await asyncio.gather(layers.undo(map_id), layers.undo(map_id))
    assert (await log.reader.state(map_id)).layers == ()


@pytest.mark.parametrize("blank", ["", "  ", "\t\n"])
async def test_a_blank_name_is_refused_and_changes_nothing(
    layers: LayerService, log: EventLog, blank: str
) -> None:
    map_id = await log.create()
    with pytest.raises(RequestFault, match="blank"):
        await layers.add(map_id, airports(name=blank))
    await layers.add(map_id, airports())
    with pytest.raises(RequestFault, match="blank"):
        await layers.update(map_id, "airports", LayerChange(name=blank))
    assert await log.reader.seq(map_id) == 1
