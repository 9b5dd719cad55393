"""The world view of a large table: a sample at first, then an overview, and never an empty map."""

from __future__ import annotations

import math
from typing import Any

import aiohttp
import asyncpg

from server.app import Server
from server.settings import Settings
from tests.integration.tiles.drawing import decoded
from tests.support.looking import until
from tests.support.server import Client, client, local_server

ROWS = 110_000
MADE = f"""
    CREATE TABLE data.pings AS SELECT n AS id, n % 100 AS value, ST_SetSRID(ST_MakePoint(
            (abs(hashint4(n)) % 3600000) / 10000.0 - 180, (abs(hashint4(n + 7)) % 1600000) / 10000.0 - 80
        ), 4326)::geometry(Point, 4326) AS geom
    FROM generate_series(1, {ROWS}) AS n;
    ALTER TABLE data.pings ADD PRIMARY KEY (id);
    CREATE INDEX ON data.pings USING gist (geom);
    ANALYZE data.pings;
"""


async def test_the_world_is_a_sample_first_and_an_overview_later(samples_url: str) -> None:
    await make(samples_url, MADE)
    async with (
        local_server(samples_url, large_table=100_000, overview_rows=100_000) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.pings", style={"kind": "graduated", "column": "value"})
        layer = (await one.hears("layer_added"))["layer"]

        async def fetched(tiles: str) -> tuple[str, dict[str, list[object]]]:
            address = f"{server.url}{tiles.replace('{z}/{x}/{y}', '0/0/0')}"
            async with aiohttp.ClientSession() as session, session.get(address) as answer:
                body = await answer.read()
                return answer.headers["Cache-Control"], decoded(body)

        caching, tile = await fetched(layer["tiles"])
        assert tile["features"]
        (note,) = (each.properties for each in tile["_meta"])  # type: ignore[attr-defined]
        if "overview" not in note:
            assert note["sample"]
            assert caching == "no-store"
        await until(lambda: overview_address(one))
        caching, tile = await fetched(one.named("layer_updated")[-1]["layer"]["tiles"])
        (note,) = (each.properties for each in tile["_meta"])  # type: ignore[attr-defined]
        assert caching.endswith("immutable")
        assert note["overview"]
        assert note["total"] == ROWS
        assert note["shown"] == len(tile["features"]) <= 128 * 128
        assert sum(each.properties["@weight"] for each in tile["features"]) == ROWS  # type: ignore[attr-defined]
        assert all("value" in each.properties for each in tile["features"])  # type: ignore[attr-defined]
        # Circles tell by their area how many rows they stand for.
        sizes = [(each.properties["@weight"], each.properties["@size"]) for each in tile["features"]]  # type: ignore[attr-defined]
        mean = ROWS / len(sizes)
        assert {0.5 <= size <= 2.5 for _, size in sizes} == {True}
        assert max(abs(size - min(2.5, max(0.5, (weight / mean) ** 0.5))) for weight, size in sizes) < 0.051
        # Of a broad filter the representatives are a sample, until overviews of the rows that pass are built; a narrow
        # one is drawn from the table.
        await one.ask("layer_update", layer_id=layer["id"], filter="value < 50")
        await until(lambda: one.named("layer_updated")[-1]["layer"]["filter"])
        sampled = one.named("layer_updated")[-1]["layer"]["tiles"]
        _, tile = await fetched(sampled)
        (note,) = (each.properties for each in tile["_meta"])  # type: ignore[attr-defined]
        assert note.get("sample") or note["total"] == ROWS / 2
        await until(lambda: one.named("layer_updated")[-1]["layer"]["tiles"] != sampled)
        caching, tile = await fetched(one.named("layer_updated")[-1]["layer"]["tiles"])
        (note,) = (each.properties for each in tile["_meta"])  # type: ignore[attr-defined]
        assert caching.endswith("immutable")
        assert "sample" not in note
        assert note["total"] == ROWS / 2
        assert max(each.properties["value"] for each in tile["features"]) < 50  # type: ignore[attr-defined]
        await one.ask("layer_update", layer_id=layer["id"], filter="id <= 30")
        await until(lambda: one.named("layer_updated")[-1]["layer"]["count"] == 30)
        _, tile = await fetched(one.named("layer_updated")[-1]["layer"]["tiles"])
        assert len(tile["features"]) == 30


async def test_by_default_the_world_of_thirty_thousand_rows_is_an_overview(samples_url: str) -> None:
    await make(samples_url, MADE.replace("pings", "stations").replace(str(ROWS), "30000"))
    usual = Settings.model_fields["overview_rows"].default
    async with local_server(samples_url, overview_rows=usual) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.stations")
        layer = (await one.hears("layer_added"))["layer"]
        first = await world(server, layer)
        # Such a table is read whole within a second, so nothing is sampled before.
        assert [note.get("sample") for note in properties(first.get("_meta", []))] in ([], [None])
        await until(lambda: overview_address(one))
        tile = await world(server, one.named("layer_updated")[-1]["layer"])
        (note,) = properties(tile["_meta"])
        assert note["overview"]
        assert note["total"] == sum(each["@weight"] for each in properties(tile["features"])) == 30_000
        assert note["shown"] == len(tile["features"]) <= 128 * 128


async def test_cells_of_a_table_that_is_never_sampled_are_not_called_a_sample(samples_url: str) -> None:
    await make(samples_url, MADE.replace("pings", "counters").replace(str(ROWS), "30000"))
    async with (
        local_server(samples_url, overview_rows=20_000, overview_share=0) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.counters", style={"kind": "hexbin", "column": "value"})
        layer = (await one.hears("layer_added"))["layer"]
        assert layer["legend"]["note"] is None
        tile = await world(server, layer)
        assert "_meta" not in tile
        assert sum(each["count"] for each in properties(tile["features"])) == 30_000


async def test_cells_of_a_large_table_without_overviews_are_estimated_from_a_sample(samples_url: str) -> None:
    await make(samples_url, MADE.replace("pings", "sampled"))
    async with (
        local_server(samples_url, large_table=100_000, overview_rows=100_000, overview_share=0) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.sampled", style={"kind": "hexbin", "column": "value"})
        layer = (await one.hears("layer_added"))["layer"]
        assert "computed from a sample of the rows" in layer["legend"]["note"]
        tile = await world(server, layer)
        (note,) = properties(tile["_meta"])
        assert note["sample"]
        assert "overview" not in note
        found = properties(tile["features"])
        # A hundredth of the pages, each of some hundred rows that lie together.
        assert 0.5 * ROWS < sum(each["count"] for each in found) < 2 * ROWS
        mean = sum(each["mean of value"] * each["count"] for each in found) / sum(
            each["count"] for each in found
        )
        assert abs(mean - 49.5) < 5


async def test_cells_of_a_large_table_are_counted_from_its_overview(samples_url: str) -> None:
    await make(samples_url, MADE.replace("pings", "counted"))
    connection = await asyncpg.connect(samples_url)
    cells = {
        (row["x"], row["y"]): row["n"]
        for row in await connection.fetch(
            """SELECT floor((ST_X(m) / 40075016.6855785 + 0.5) * 16)::int AS x,
                      floor((0.5 - ST_Y(m) / 40075016.6855785) * 16)::int AS y, count(*) AS n
               FROM (SELECT ST_Transform(geom, 3857) AS m FROM data.counted) AS moved GROUP BY 1, 2"""
        )
    }
    assert sum(cells.values()) == ROWS
    async with (
        local_server(samples_url, large_table=100_000, overview_rows=100_000, overview_share=1) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.counted", style={"kind": "grid"})
        layer = (await one.hears("layer_added"))["layer"]
        assert layer["legend"]["note"] is None
        await until(lambda: overview_address(one))
        tile = await world(server, one.named("layer_updated")[-1]["layer"])
        assert "_meta" not in tile, "squares hold whole cells of the overview"
        counted = {
            tuple(map(int, each["@cell"].split("/"))): each["count"] for each in properties(tile["features"])
        }
        assert counted == {(2 * x, 2 * y): n for (x, y), n in cells.items()}

        for style in ({"kind": "cluster"}, {"kind": "hexbin"}):
            await one.ask("layer_update", layer_id=layer["id"], style=style)
            tile = await world(server, await updated(one, style))
            found = properties(tile["features"])
            assert sum(each["count"] for each in found) == ROWS
            notes = properties(tile.get("_meta", []))
            assert [note.get("overview") for note in notes] == ([] if style["kind"] == "cluster" else [True])
            assert not any("sample" in note for note in notes)
        await one.ask("layer_update", layer_id=layer["id"], style={"kind": "grid"}, filter="value < 50")
        await until(lambda: one.named("layer_updated")[-1]["layer"]["filter"])
        tile = await world(server, one.named("layer_updated")[-1]["layer"])
        (note,) = properties(tile["_meta"])
        assert note["sample"]
        assert abs(sum(each["count"] for each in properties(tile["features"])) / (ROWS / 2) - 1) < 0.05
    await connection.close()


async def test_values_of_cells_become_exact_when_overviews_have_summed_them_up(samples_url: str) -> None:
    await make(samples_url, MADE.replace("pings", "summed"))
    connection = await asyncpg.connect(samples_url)
    async with (
        local_server(samples_url, large_table=100_000, overview_rows=100_000, overview_share=1) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.summed")
        layer = (await one.hears("layer_added"))["layer"]
        await until(lambda: overview_address(one))
        style = {"kind": "hexbin", "column": "value", "statistic": "sum"}
        await one.ask("layer_update", layer_id=layer["id"], style=style)
        sampled = await updated(one, style)
        assert "computed from a sample of the rows" in sampled["legend"]["note"]
        tile = await world(server, sampled)
        assert [note.get("sample") for note in properties(tile["_meta"])] == [True]

        def summed_up() -> dict[str, Any] | None:
            latest: dict[str, Any] = one.named("layer_updated")[-1]["layer"]
            return latest if latest["tiles"] != sampled["tiles"] else None

        exact = await until(summed_up)
        assert exact["legend"]["note"] is None
        tile = await world(server, exact)
        assert [note.get("sample") for note in properties(tile["_meta"])] == [None]
        total = await connection.fetchval("SELECT sum(value) FROM data.summed")
        assert sum(each["sum of value"] for each in properties(tile["features"])) == total

        await one.ask("layer_update", layer_id=layer["id"], filter="value < 50")
        await until(lambda: one.named("layer_updated")[-1]["layer"]["filter"])
        sampled = one.named("layer_updated")[-1]["layer"]
        assert "computed from a sample of the rows" in sampled["legend"]["note"]
        tile = await world(server, sampled)
        assert [note.get("sample") for note in properties(tile["_meta"])] == [True]
        exact = await until(summed_up)
        assert exact["legend"]["note"] is None
        tile = await world(server, exact)
        assert [note.get("sample") for note in properties(tile["_meta"])] == [None]
        total = await connection.fetchval("SELECT sum(value) FROM data.summed WHERE value < 50")
        assert sum(each["sum of value"] for each in properties(tile["features"])) == total
        assert sum(each["count"] for each in properties(tile["features"])) == ROWS / 2
    await connection.close()


async def make(url: str, statements: str) -> None:
    """PostgreSQL reports the numbers of written rows when the connection closes. Those of one that stays open it may
    report ten seconds later, and tables look as if they had changed then."""
    connection = await asyncpg.connect(url)
    await connection.execute(statements)
    await connection.close()


async def world(server: Server, layer: dict[str, Any]) -> dict[str, list[Any]]:
    return await fetched(server, layer, 0, 0, 0)


async def fetched(server: Server, layer: dict[str, Any], z: int, x: int, y: int) -> dict[str, list[Any]]:
    address = f"{server.url}{layer['tiles'].replace('{z}/{x}/{y}', f'{z}/{x}/{y}')}"
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        return decoded(await answer.read())


async def updated(one: Client, style: dict[str, str]) -> dict[str, Any]:
    """The layer as it is once it has the style."""

    def found() -> dict[str, Any] | None:
        layer: dict[str, Any] = one.named("layer_updated")[-1]["layer"]
        return layer if style.items() <= layer["style"].items() else None

    layer: dict[str, Any] = await until(found)
    return layer


def overview_address(one: Client) -> bool:
    """Whether the tiles of a layer have been said to come from an overview."""
    return any("." in each["layer"]["tiles"].split("data=")[1] for each in one.named("layer_updated"))


def properties(features: list[Any]) -> list[dict[str, Any]]:
    return [each.properties for each in features]


SKEWED = (
    MADE.replace("pings", "skewed")
    + """
    INSERT INTO data.skewed
    SELECT n + 1000000, 5, ST_SetSRID(ST_MakePoint(10 + (n % 400) / 1e3, 45 + (n / 400) / 1e3), 4326)
    FROM generate_series(1, 50000) AS n;
    ANALYZE data.skewed;
"""
)


ROWS_AND_CELLS = """
    SELECT count(*), count(DISTINCT ST_SnapToGrid(ST_Transform(geom, 3857), 40075016.6856 / (1 << $1) / 128))
    FROM data.skewed WHERE geom && ST_Transform(ST_TileEnvelope($1, $2, $3), 4326)
"""
"""Of a tile, and of its cells of four pixels those that have any."""


async def test_rows_that_lie_together_in_a_wide_table_are_drawn_where_they_are(samples_url: str) -> None:
    await make(samples_url, SKEWED)
    connection = await asyncpg.connect(samples_url)
    async with (
        local_server(samples_url, large_table=100_000, overview_rows=100_000) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.skewed")
        await until(lambda: overview_address(one))
        layer = one.named("layer_updated")[-1]["layer"]
        for longitude, latitude, zooms in ((10.2, 45.1, range(12)), (-140.0, -30.0, range(7, 12))):
            for z in zooms:
                x, y = tile_at(longitude, latitude, z)
                rows, filled = await connection.fetchrow(ROWS_AND_CELLS, z, x, y)
                if rows == 0:
                    continue
                tile = await fetched(server, layer, z, x, y)
                drawn = len(tile["features"])
                assert drawn >= min(filled, 500) * 0.8, (z, rows, filled, drawn)
                for note in properties(tile.get("_meta", [])):
                    assert abs(note["total"] - rows) <= 0.5 * rows, (z, rows, note)
    await connection.close()


async def test_the_first_tile_of_a_table_that_was_never_analysed_is_a_sample(samples_url: str) -> None:
    await make(samples_url, MADE.replace("pings", "fresh").replace("ANALYZE data.fresh;", ""))
    async with (
        local_server(
            samples_url, large_table=100_000, overview_rows=100_000, overview_share=0, profile_share=0
        ) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.fresh")
        tile = await world(server, (await one.hears("layer_added"))["layer"])
        (note,) = properties(tile["_meta"])
        assert note["sample"]


def tile_at(longitude: float, latitude: float, z: int) -> tuple[int, int]:
    north = math.asinh(math.tan(math.radians(latitude)))
    return int((longitude + 180) / 360 * 2**z), int((1 - north / math.pi) / 2 * 2**z)
