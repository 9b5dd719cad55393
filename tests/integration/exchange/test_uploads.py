"""Uploads over HTTP: streamed, bounded, and every mistake answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import FormData, MultipartWriter, web
from aiohttp.test_utils import TestClient, TestServer

from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.ingest import IngestLimits
from server.http import errors, uploads
from server.transfers.loading import FileLoader
from server.transfers.spool import Spool
from server.transfers.staging import StagedUploads
from server.transfers.uploads import Uploads

Client = TestClient[web.Request, web.Application]
GEOJSON = (
    b'{"type": "FeatureCollection", "features": ['
    + b", ".join(
        b'{"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1, %d]}}' % n
        for n in (2, 3)
    )
    + b"]}"
)
CSV = b"name,lon,lat\na,1,2\nb,3,4\n"


@pytest_asyncio.fixture(loop_scope="session")
async def registry(database: Database) -> Registry:
    return Registry(database.reader, ("data",), None)


@pytest_asyncio.fixture(loop_scope="session")
async def client(database: Database, registry: Registry) -> AsyncIterator[Client]:
    app = web.Application(middlewares=[errors.faults], client_max_size=1024)
    spool = Spool(1_000_000_000)
    kept = Uploads(database.owner)
    limits = IngestLimits(bytes=200_000)
    staged = StagedUploads(database.owner, kept, limits.seconds)
    app.add_routes(uploads.routes(FileLoader(database, registry, limits, kept, staged), spool))
    async with TestClient(TestServer(app)) as opened:
        yield opened
    assert spool.used == 0
    spool.close()


def form(content: bytes = CSV, name: str = "places.csv", **fields: str) -> FormData:
    made = FormData(quote_fields=False)
    for field, value in fields.items():
        made.add_field(field, value)
    made.add_field("file", content, filename=name, content_type="application/octet-stream")
    return made


async def test_a_file_becomes_a_table_that_everybody_knows_at_once(
    client: Client, registry: Registry
) -> None:
    answer = await client.post("/api/uploads", data=form(table="My Places"))
    assert answer.status == 201
    report: dict[str, Any] = await answer.json()
    assert (report["table"], report["rows"], report["srid"]) == ("data.My Places", 2, 4326)
    assert registry.get("data.My Places").geometry_column == "geom"


async def test_more_than_the_usual_body_may_be_uploaded(client: Client) -> None:
    many = b"name,lon,lat\n" + b"x,1,2\n" * 20_000
    answer = await client.post("/api/uploads", data=form(many, table="many"))
    assert (answer.status, (await answer.json())["rows"]) == (201, 20_000)


@pytest.mark.parametrize(
    "name", ["a;b.csv", "a!b.csv", "/vsicurl/x;!.csv", "data;drop.csv", "x;rm -rf;!.csv", "a=1;b=2;c.csv"]
)
async def test_signs_that_gdal_reads_a_meaning_into_are_only_names(client: Client, name: str) -> None:
    for extension, content in ((".csv", CSV), (".geojson", GEOJSON)):
        renamed = name.replace(".csv", extension)
        answer = await client.post("/api/uploads", data=form(content, renamed, table=f"from {renamed[-12:]}"))
        report = await answer.json()
        assert answer.status == 201, report
        assert report["rows"] == 2


async def test_errors_name_no_path_of_the_server(client: Client) -> None:
    for name in ("a;b.geojson", "c!d.gpkg", "e.parquet", "f.fgb", "g.kml", "h.zip"):
        answer = await client.post("/api/uploads", data=form(b"not what it says", name))
        message = (await answer.json())["error"]["message"]
        assert answer.status == 400
        assert name in message
        assert "/" not in message


@pytest.mark.parametrize(
    "name", ["a\nb\u202ec", "roads\u200b", "\ufeffroads", "ro\xadads", "roads\U000e0041"]
)
async def test_names_with_characters_that_show_nothing_are_refused(client: Client, name: str) -> None:
    answer = await client.post("/api/uploads", data=form(table=name))
    assert (await answer.json())["error"]["message"] == (
        "The table's name has control characters in it. Choose a name without them."
    )


async def test_a_taken_name_is_a_conflict(client: Client) -> None:
    assert (await client.post("/api/uploads", data=form(table="taken"))).status == 201
    answer = await client.post("/api/uploads", data=form(table="taken"))
    assert (answer.status, (await answer.json())["error"]["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (form(b"x" * 300_000), 413, "too_large"),
        (form(b"", table="a"), 400, "invalid_payload"),
        (form(name="../../etc/passwd", table="a"), 400, "invalid_payload"),
        (form(name="x.exe", table="a"), 400, "invalid_payload"),
        (form(srid="abc", table="a"), 400, "invalid_payload"),
        (form(srid="999999", table="a"), 400, "invalid_payload"),
        (form(encoding="klingon", table="a"), 400, "invalid_payload"),
        (form(wrong="x"), 400, "invalid_payload"),
        (form(table="a\0b"), 400, "invalid_payload"),
        (form(table="a", map="a\0b"), 400, "invalid_payload"),
        (form(table="t" * 64), 400, "invalid_payload"),
        (form(table="t" * 5000), 400, "invalid_payload"),
        (FormData({"table": "x"}), 400, "invalid_payload"),
        (b"no form", 400, "invalid_payload"),
    ],
)
async def test_mistakes_are_answered(client: Client, data: Any, status: int, code: str) -> None:
    answer = await client.post("/api/uploads", data=data)
    assert answer.status == status
    error = (await answer.json())["error"]
    assert error["code"] == code
    assert error["message"]


async def test_a_body_that_is_no_multipart_is_answered(client: Client) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    for body in (
        b"",
        b"garbage",
        b"--x\r\n\r\n",
        b"--x\r\nContent-Disposition: form-data; name=file\r\n\r\nabc",
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a\x01.csv"\r\n\r\n'
        + CSV
        + b"\r\n--x--\r\n",
        b"--x\r\nContent-Disposition: " + b"a" * 20_000 + b"\r\n\r\nabc\r\n--x--\r\n",
        b"--x\r\n\r\nabc\r\n--x--\r\n",
    ):
        answer = await client.post("/api/uploads", data=body, headers=headers)
        assert answer.status == 400, body
    nested = MultipartWriter("mixed")
    nested.append(b"x")
    outer = MultipartWriter("form-data")
    outer.append(nested)
    assert (await client.post("/api/uploads", data=outer)).status == 400


async def test_a_body_of_unknown_length_is_bounded_too(client: Client) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nlon,lat\r\n'
        for _ in range(1000):
            yield b"1,2\r\n" * 1000
            await asyncio.sleep(0)

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = await client.post("/api/uploads", data=endless(), headers=headers)
    assert answer.status == 413


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a.csv", "a.csv"),
        ("C:\\Users\\me\\Züge 1.gpkg", "Züge 1.gpkg"),
        ("../../a.csv", "a.csv"),
        ("a:b\n.csv", "a_b_.csv"),
        ("a\u202egnp.csv", "a_gnp.csv"),
        ("ü" * 300 + ".zip", "ü" * 100 + ".zip"),
    ],
)
def test_a_file_keeps_only_the_harmless_part_of_its_name(sent: str, kept: str) -> None:
    assert uploads.file_name(sent) == kept
