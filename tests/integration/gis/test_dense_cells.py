"""Squares, hexagons and clusters in the fullest tiles of zoom levels that are otherwise drawn from the table."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import asyncpg
import pytest

from agents.domain import Cql2, StyleSpec
from server.database.engines import Database
from server.gis.filters import normalize
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.dense.tiles import lacks_dense_bands
from server.gis.overviews.ladder import Ladder, OverviewStore
from server.gis.overviews.summaries import needed_summaries
from server.gis.styles.kinds.binned import cell_pixels
from server.gis.tiles import low_zoom
from server.gis.tiles.grid import PIXELS, WORLD
from tests.integration.gis.test_dense_bands import FULL, ROWS, SHARE, TOWN, dense_tiles, drawn, town
from tests.integration.gis.test_overviews import MANY, looked_at
from tests.integration.tiles.drawing import Atlas

__all__ = ("dense_tiles",)
Z, X, Y = TOWN
BESIDE = [(X + across, Y + down) for across in (-1, 0, 1) for down in (-1, 0, 1)]
STATISTICS = ("count", "sum", "mean", "min", "max")
HIGH = {"op": ">", "args": [{"property": "value"}, 30]}


@pytest.fixture(autouse=True)
def broad_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that pass a filter are more than a tile may draw."""
    monkeypatch.setattr(low_zoom, "USUAL_CAPS", TileCaps(FULL, FULL))


def spec_of(kind: str, statistic: str) -> StyleSpec:
    if statistic == "count":
        return StyleSpec.model_validate({"kind": kind})
    return StyleSpec.model_validate({"kind": kind, "column": "value", "statistic": statistic})


async def build(
    database: Database, session: asyncpg.Connection, *specs: StyleSpec, filter: Cql2 | None = None
) -> Ladder:
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    needed = dict.fromkeys(need for spec in specs for need in needed_summaries(spec, filter))
    await OverviewBuilder(store, SHARE, MANY).build(session, table, state, [*needed])
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    assert row.ladder.is_dense(*TOWN)
    return row.ladder


async def cells_of(atlas: Atlas, spec: StyleSpec, filter: Cql2 | None = None) -> dict[str, dict[str, Any]]:
    """What the tiles of the town and around it say of each cell; the same in every tile that shows it."""
    await atlas.layer("data.things", spec, filter)
    found: dict[str, dict[str, Any]] = {}
    for x, y in BESIDE:
        tile = await atlas.tile(Z, x, y)
        assert not any("sample" in note.properties for note in tile.get("_meta", []))
        for each in tile.get("features", []):
            said = {name: value for name, value in each.properties.items() if name != "@cell"}
            assert found.setdefault(each.properties["@cell"], said) == pytest.approx(said)
    return found


@pytest.mark.parametrize("filter", [None, HIGH])
async def test_squares_of_a_dense_tile_are_as_of_the_table(
    database: Database, session: asyncpg.Connection, filter: Cql2 | None
) -> None:
    await town(session, "Point", "place")
    specs = [spec_of("grid", statistic) for statistic in STATISTICS]
    filter = filter and normalize((await looked_at(database))[0], filter)
    await build(database, session, *specs, filter=filter)
    for spec in specs:
        found = await cells_of(await drawn(database), spec, filter)
        expected = await cells_of(Atlas(database), spec, filter)
        assert found.keys() == expected.keys()
        for name, values in expected.items():
            assert found[name] == pytest.approx(values)


async def hexagons(
    session: asyncpg.Connection, cells: int, spec: StyleSpec, passing: str = "true"
) -> dict[str, list[float]]:
    """The values in each hexagon, each counted in the middle of its cell."""
    rows = await session.fetch(
        f"""SELECT ST_X(p) AS x, ST_Y(p) AS y, value FROM (
        SELECT ST_Transform(geom, 3857) AS p, value FROM data.things WHERE {passing}) AS placed"""
    )
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        x, y = (math.floor(at / WORLD * cells) + 0.5 for at in (row["x"] + WORLD / 2, WORLD / 2 - row["y"]))
        per_world = (PIXELS << Z) / cell_pixels(spec) / cells
        x, y = x * per_world, y * per_world / math.sqrt(3)
        middles = [(math.floor(x + 0.5), math.floor(y + 0.5)), (math.floor(x) + 0.5, math.floor(y) + 0.5)]
        column, line = min(middles, key=lambda at: (x - at[0]) ** 2 + 3 * (y - at[1]) ** 2)
        found[f"{round(column * 2)}/{round(line * 2)}"].append(row["value"])
    return found


OF: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("srid", [4326, 2100])
@pytest.mark.parametrize("filter", [None, HIGH])
async def test_hexagons_have_every_row_once_and_are_the_same_in_all_tiles(
    database: Database, session: asyncpg.Connection, filter: Cql2 | None, srid: int
) -> None:
    await town(session, "Point", "place", srid)
    specs = {statistic: spec_of("hexbin", statistic) for statistic in STATISTICS}
    filter = filter and normalize((await looked_at(database))[0], filter)
    ladder = await build(database, session, *specs.values(), filter=filter)
    for statistic, spec in specs.items():
        found = await cells_of(await drawn(database), spec, filter)
        expected = await hexagons(session, ladder.cells_of(Z), spec, "value > 30" if filter else "true")
        assert len(found) > 40
        for name, values in found.items():
            assert values["count"] == len(expected[name])
            if statistic in OF:
                assert values[f"{statistic} of value"] == pytest.approx(OF[statistic](expected[name]))
        # The town lies in the middle of the tiles that are drawn.
        in_town = ROWS * 2 // 3 * (0.69 if filter else 1)
        assert sum(values["count"] for values in found.values()) >= in_town


async def test_hexagons_far_from_dense_tiles_agree_with_those_near_them(
    database: Database, session: asyncpg.Connection
) -> None:
    await town(session, "Point", "place")
    spec = spec_of("hexbin", "count")
    ladder = await build(database, session, spec)
    expected = await hexagons(session, ladder.cells_of(Z), spec)
    atlas = await drawn(database)
    await atlas.layer("data.things", spec)
    for x in range(X + 2, X + 6):
        tile = await atlas.tile(Z, x, Y)
        assert tile["features"]
        for each in tile["features"]:
            assert each.properties["count"] == len(expected[each.properties["@cell"]])


@pytest.mark.parametrize("kind", ["grid", "hexbin"])
async def test_without_a_summary_cells_of_a_dense_tile_are_a_sample(
    database: Database, session: asyncpg.Connection, kind: str
) -> None:
    await town(session, "Point", "place")
    await build(database, session, spec_of(kind, "count"))
    spec = spec_of(kind, "mean")
    table, _ = await looked_at(database)
    atlas = await drawn(database)
    for filter in (None, normalize(table, HIGH)):
        await atlas.layer("data.things", spec, filter, version=1 if filter is None else 2)
        tile = await atlas.tile(*TOWN, version=1 if filter is None else 2)
        (note,) = tile["_meta"]
        assert note.properties["sample"] is True
        means = [each.properties["mean of value"] for each in tile["features"]]
        assert all((0 if filter is None else 30) <= mean < 100 for mean in means)
        assert len(means) > 40


async def test_changed_rows_show_in_the_cells_of_a_dense_tile(
    database: Database, session: asyncpg.Connection
) -> None:
    await town(session, "Point", "place")
    spec = spec_of("grid", "max")
    await build(database, session, spec)
    await session.execute("UPDATE data.things SET value = 500 WHERE id = 4")
    await session.execute("DELETE FROM data.things WHERE id = 5; SELECT pg_stat_force_next_flush()")
    table, state = await looked_at(database)
    builder = OverviewBuilder(OverviewStore(database.owner), SHARE, MANY)
    assert await builder.renew(session, table, state, needed_summaries(spec, None))
    found = await cells_of(await drawn(database), spec)
    assert found == await cells_of(Atlas(database), spec)
    assert max(values["max of value"] for values in found.values()) == 500


async def test_bands_of_before_without_summaries_are_built_again(
    database: Database, session: asyncpg.Connection
) -> None:
    await town(session, "Point", "place")
    spec = spec_of("grid", "count")
    ladder = await build(database, session, spec)
    table, _ = await looked_at(database)
    assert not lacks_dense_bands(table, ladder)
    before = ladder.model_copy(
        update={
            "dense": tuple(
                band.model_copy(update={"summed": False, "has_margin": True}) for band in ladder.dense or ()
            )
        }
    )
    assert lacks_dense_bands(table, before)
    await session.execute("UPDATE geoagent.overview SET document = $1::jsonb", before.model_dump_json())
    assert await cells_of(await drawn(database), spec) == await cells_of(Atlas(database), spec)
