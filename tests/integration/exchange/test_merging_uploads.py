"""Uploads that change an earlier upload: appended to it or in its place, completely or not at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from server.app import Server
from server.gis.catalog import registry
from server.gis.catalog.entries import Entry
from server.gis.catalog.probe import complete
from server.gis.ingest.merge import PREFIX
from server.transfers.staging import StagedUploads, decision_of
from server.transfers.uploads import Quota, QuotaExceeded, Uploads
from tests.support.looking import until
from tests.support.server import client

TREES = b"name,height,lon,lat\nlime,12,8.5,47.4\noak,20,8.6,47.5\n"
MORE = b"height,lat,lon,name\n7,47.6,8.7,ash\n"


class Uploader:
    """Sends files to one map."""

    def __init__(self, http: aiohttp.ClientSession, map_id: str) -> None:
        self.http, self.map_id = http, map_id

    async def send(
        self, content: bytes, name: str = "trees.csv", **fields: str
    ) -> tuple[int, dict[str, Any]]:
        form = aiohttp.FormData({"map": self.map_id, **fields})
        form.add_field("file", content, filename=name)
        async with self.http.post("/api/uploads", data=form) as answer:
            return answer.status, await answer.json()

    async def loaded(self, content: bytes, table: str, **fields: str) -> dict[str, Any]:
        status, report = await self.send(content, table=table, **fields)
        assert status == 201, report
        return report

    async def refused(self, content: bytes, table: str, mode: str, **fields: str) -> dict[str, Any]:
        status, answer = await self.send(content, table=table, mode=mode, **fields)
        assert status >= 400, answer
        error: dict[str, Any] = answer["error"]
        return error

    async def decided(self, number: int, **decision: str) -> tuple[int, dict[str, Any]]:
        async with self.http.post(f"/api/maps/{self.map_id}/uploads/{number}", json=decision) as answer:
            return answer.status, await answer.json()


@pytest_asyncio.fixture(loop_scope="session")
async def mine(server: Server, http: aiohttp.ClientSession) -> AsyncIterator[Uploader]:
    async with client(server) as one:
        await one.ask("join")
        yield Uploader(http, one.map_id)


async def rows(server: Server, table: str, columns: str = "name, height") -> list[tuple[Any, ...]]:
    async with server.database.owner.connect() as connection:
        found = await connection.execute(sa.text(f'SELECT {columns} FROM data."{table}" ORDER BY 1'))
        return [tuple(row) for row in found]


async def waiting(server: Server) -> list[str]:
    """Staged tables that are there."""
    async with server.database.owner.connect() as connection:
        found = await connection.scalars(
            sa.text("SELECT tablename FROM pg_tables WHERE schemaname = 'data' AND tablename LIKE :prefix"),
            {"prefix": f"{PREFIX}%"},
        )
        return list(found)


async def test_rows_are_appended_whatever_the_order_of_their_columns(server: Server, mine: Uploader) -> None:
    await mine.loaded(TREES, "append here")
    report = await mine.loaded(MORE, "append here", mode="append")
    assert (report["table"], report["added"], report["rows"]) == ("data.append here", 1, 3)
    assert await rows(server, "append here") == [("ash", 7), ("lime", 12), ("oak", 20)]
    assert await waiting(server) == []


async def test_a_table_is_replaced_and_may_get_columns(server: Server, mine: Uploader) -> None:
    await mine.loaded(TREES, "replace here")
    more = b"name,height,lon,lat,kind\nfir,30.5,8,47,evergreen\n"
    report = await mine.loaded(more, "replace here", mode="replace")
    assert (report["rows"], "New columns: kind." in report["remarks"]) == (1, True)
    assert await rows(server, "replace here", "name, height, kind") == [("fir", 30.5, "evergreen")]
    assert server.registry.get("data.replace here").geometry_type == "POINT"


@pytest.mark.parametrize(
    ("content", "mode", "details", "words"),
    [
        (b"name,lon,lat\nash,8,47\n", "append", {"missing": ["height"]}, "The file has no column height"),
        (b"name,lon,lat\nash,8,47\n", "replace", {"missing": ["height"]}, "The file has no column height"),
        (
            b"name,height,girth,lon,lat\nash,8,1,8,47\n",
            "append",
            {"unknown": ["girth"]},
            "The table has no column girth",
        ),
        (
            b"name,height,lon,lat\nash,tall,8,47\n",
            "append",
            {"different": ["height"]},
            "Column 'height' has whole numbers in the table and texts in the file.",
        ),
        (
            b"name,height,lon,lat\nash,7.5,8,47\n",
            "append",
            {"different": ["height"]},
            "Column 'height' has whole numbers in the table and numbers in the file.",
        ),
    ],
)
async def test_columns_that_differ_are_named_and_nothing_changes(
    server: Server, mine: Uploader, content: bytes, mode: str, details: dict[str, Any], words: str
) -> None:
    table = f"kept {abs(hash((content, mode)))}"
    await mine.loaded(TREES, table)
    error = await mine.refused(content, table, mode)
    assert (error["code"], error["details"]) == ("columns_differ", details)
    assert words in error["message"]
    assert await rows(server, table) == [("lime", 12), ("oak", 20)]
    assert await waiting(server) == []


def shapes(kind: str, coordinates: list[Any]) -> bytes:
    """GeoJSON of one feature."""
    shape = {"type": kind, "coordinates": coordinates}
    feature = {"type": "Feature", "properties": {"name": kind}, "geometry": shape}
    return json.dumps({"type": "FeatureCollection", "features": [feature]}).encode()


async def test_other_shapes_are_refused_and_other_reference_systems_transformed(
    server: Server, mine: Uploader
) -> None:
    await mine.loaded(shapes("Point", [8, 47]), "shapes", name="a.geojson")
    line = shapes("LineString", [[8, 47], [9, 48]])
    error = await mine.refused(line, "shapes", "append", name="b.geojson")
    assert error["message"] == "The table has points, the file lines."
    metres = b'name,wkt\nash,"POINT(968000 6036000)"\n'
    report = await mine.loaded(metres, "shapes", mode="append", srid="3857")
    assert "The shapes were transformed from EPSG:3857 to EPSG:4326." in report["remarks"]
    place = await rows(server, "shapes", "round(ST_X(geom)::numeric, 1), round(ST_Y(geom)::numeric, 1)")
    assert [float(each) for each in place[1]] == [8.7, 47.6]


async def test_a_table_of_areas_takes_multiple_areas(server: Server, mine: Uploader) -> None:
    ring = [[8, 47], [9, 47], [9, 48], [8, 47]]
    await mine.loaded(shapes("Polygon", [ring]), "areas", name="a.geojson")
    await mine.loaded(shapes("MultiPolygon", [[ring], [ring]]), "areas", name="b.geojson", mode="append")
    assert await rows(server, "areas", "name, GeometryType(geom)") == [
        ("MultiPolygon", "MULTIPOLYGON"),
        ("Polygon", "MULTIPOLYGON"),
    ]


async def test_keys_that_the_table_has_already_are_named(server: Server, mine: Uploader) -> None:
    await mine.loaded(b"id,name,height,lon,lat\n1,lime,12,8,47\n2,oak,20,8,47\n", "keyed")
    error = await mine.refused(b"id,name,height,lon,lat\n2,ash,7,8,47\n3,elm,9,8,47\n", "keyed", "append")
    assert (
        "1 row of the file has a value of 'id' that the table has already, for example 2." in error["message"]
    )
    assert await rows(server, "keyed") == [("lime", 12), ("oak", 20)]


async def test_only_uploads_of_the_same_map_are_changed(
    server: Server, mine: Uploader, http: aiohttp.ClientSession
) -> None:
    await mine.loaded(TREES, "of this map")
    async with client(server) as other:
        await other.ask("join")
        theirs = Uploader(http, other.map_id)
        for table in ("of this map", "data.of this map", "countries", "data.countries"):
            for mode in ("append", "replace"):
                assert (await theirs.refused(TREES, table, mode))["code"] == "unknown_table"
        status, report = await theirs.send(TREES, stage="true")
        assert status == 201
        assert (await mine.decided(report["staged"], mode="new", table="stolen"))[0] == 404
        assert (await theirs.decided(report["staged"], mode="new", table="their own"))[0] == 200
        async with http.get(f"/api/maps/{other.map_id}/uploads") as answer:
            assert (await answer.json())["tables"] == ["data.their own"]
    assert (await Uploader(http, "").refused(TREES, "of this map", "replace"))["code"] == "invalid_payload"
    async with http.get(f"/api/maps/{mine.map_id}/uploads") as answer:
        assert "data.of this map" in (await answer.json())["tables"]


async def test_the_extent_of_a_staged_file_comes_with_the_answer_however_long_it_takes_to_read(
    mine: Uploader, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slowly(engine: AsyncEngine, found: Sequence[Entry]) -> list[Entry]:
        await asyncio.sleep(2 * registry.PROBE_WAIT_S)
        return await complete(engine, found)

    monkeypatch.setattr(registry, "complete", slowly)
    _, report = await mine.send(TREES, stage="true")
    await mine.decided(report["staged"], mode="new", table="slowly read")
    assert report["bounds"] == [8.5, 47.4, 8.6, 47.5]


async def test_a_staged_file_shows_its_extent_and_waits_for_a_decision(
    server: Server, mine: Uploader
) -> None:
    await mine.loaded(TREES, "first")
    status, report = await mine.send(b"name,lon,lat\nash,8.25,47.5\n", stage="true")
    assert (status, report["rows"], report["srid"], report["reference"]) == (201, 1, 4326, "WGS 84")
    assert report["shapes"]["features"][0]["geometry"]["coordinates"] == [8.25, 47.5]
    async with mine.http.get(f"/api/maps/{mine.map_id}/tables") as answer:
        assert not any(PREFIX in table["id"] for table in (await answer.json())["tables"])

    # What does not fit stays, for another decision; only one of several counts.
    status, answer_ = await mine.decided(report["staged"], mode="append", table="data.first")
    assert (status, answer_["error"]["code"]) == (409, "columns_differ")
    status, answer_ = await mine.decided(report["staged"], mode="new", table="first")
    assert (status, answer_["error"]["code"]) == (409, "conflict")
    both = await asyncio.gather(
        *(mine.decided(report["staged"], mode="new", table=f"second {n}") for n in (1, 2))
    )
    assert sorted(status for status, _ in both) == [200, 404]
    assert await waiting(server) == []


async def test_an_undecided_upload_is_dropped(server: Server, mine: Uploader) -> None:
    _, first = await mine.send(TREES, stage="true")
    async with mine.http.delete(f"/api/maps/{mine.map_id}/uploads/{first['staged']}") as answer:
        assert answer.status == 200
    assert await waiting(server) == []
    await mine.send(TREES, stage="true")
    owner = server.database.owner
    uploads = Uploads(owner, loading_s=0.0)
    await uploads.sweep()
    assert len(await waiting(server)) == 1
    async with owner.begin() as connection:
        await connection.execute(
            sa.text("UPDATE geoagent.upload SET staged_at = staged_at - interval '2 hours'")
        )
    await uploads.sweep()
    assert await waiting(server) == []


async def test_rows_of_another_address_count_as_those_of_the_table_they_are_appended_to(
    server: Server, mine: Uploader
) -> None:
    """Otherwise an address could fill the database through the table of another."""
    await mine.loaded(TREES, "of one address")
    many = b"name,height,lon,lat\n" + b"".join(b"tree %d,%d,8.5,47.4\n" % (n, n % 30) for n in range(3000))
    _, report = await mine.send(many, stage="true")
    owner = server.database.owner
    async with owner.begin() as connection:
        await connection.execute(
            sa.text("UPDATE geoagent.upload SET address = table_name WHERE map_id = :map_id"),
            {"map_id": mine.map_id},
        )
        size = sa.text("SELECT pg_total_relation_size(to_regclass('data.\"of one address\"'))")
        limit = int(await connection.scalar(size) or 0) + 100_000
    staged = StagedUploads(owner, Uploads(owner, Quota(per_address=limit)), 60.0)
    for mode in ("append", "replace"):
        with pytest.raises(QuotaExceeded):
            await staged.finish(
                mine.map_id, report["staged"], decision_of(mode, "of one address"), shared=False
            )
    assert len(await rows(server, "of one address")) == 2
    await staged.discard(mine.map_id, report["staged"])
    assert await waiting(server) == []


async def test_staged_tables_take_no_more_space_than_is_left_when_they_are_complete(
    server: Server, mine: Uploader
) -> None:
    owner = server.database.owner
    uploads = Uploads(owner, Quota(per_address=100_000))
    staged = StagedUploads(owner, uploads, 60.0)

    async def stage(table: str) -> None:
        async with uploads.reserved(table, mine.map_id, "10.0.0.1", 1000) as reservation:
            async with server.database.loader_session({}) as session:
                await session.execute(
                    f"CREATE TABLE data.\"{table}\" AS SELECT repeat('x', 900) FROM generate_series(1, 80)"
                )
            await staged.stage(reservation)

    await stage(f"{PREFIX}first")
    with pytest.raises(QuotaExceeded):
        await stage(f"{PREFIX}second")
    assert await waiting(server) == [f"{PREFIX}first"]
    async with owner.connect() as connection:
        number = await connection.scalar(
            sa.text("SELECT id FROM geoagent.upload WHERE table_name = :name"), {"name": f"{PREFIX}first"}
        )
    await staged.discard(mine.map_id, int(number))
    assert await waiting(server) == []


async def test_layers_follow_the_rows_that_were_appended(server: Server, http: aiohttp.ClientSession) -> None:
    async with client(server) as one:
        await one.ask("join")
        mine = Uploader(http, one.map_id)
        await mine.loaded(TREES, "followed")
        await one.ask("layer_add", table="data.followed", layer_id="trees")
        await mine.loaded(MORE, "followed", mode="append")

        async def follows() -> bool:
            return any(event["layer"]["count"] == 3 for event in one.named("layer_updated"))

        await until(follows, pause=0.1)
        await mine.loaded(MORE, "followed", mode="replace")

        async def follows_again() -> bool:
            return any(event["layer"]["count"] == 1 for event in one.named("layer_updated"))

        await until(follows_again, pause=0.1)


async def test_a_table_that_is_being_read_is_replaced_later(server: Server, mine: Uploader) -> None:
    await mine.loaded(TREES, "busy")
    async with server.database.owner.begin() as connection:
        await connection.execute(sa.text('SELECT count(*) FROM data."busy"'))
        assert (await mine.refused(MORE, "busy", "replace"))["code"] == "busy"
    assert await rows(server, "busy") == [("lime", 12), ("oak", 20)]
    assert await waiting(server) == []


async def test_a_shared_upload_stays_shared_when_it_is_replaced(server: Server, mine: Uploader) -> None:
    await mine.loaded(TREES, "shared here")
    async with mine.http.post(f"/api/maps/{mine.map_id}/tables/data.shared here/share") as answer:
        assert answer.status == 200
    await mine.loaded(MORE, "shared here", mode="replace")
    async with mine.http.get("/api/tables/data.shared here") as answer:
        assert answer.status == 200
