"""What stands around the tiles: the client's files, tables, health, metrics, headers, origins, errors."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from pydantic import ValidationError

from server.app import Server
from server.http import errors
from server.http.middleware import security
from server.http.site import Site, routes
from server.origins import Origins
from server.settings import Basemap, Settings, origin_of
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Server]:
    metrics = {"metrics": "127.0.0.1:0", "metrics_token": "of-the-tests"}
    async with local_server(samples_url, ScriptedModel(), **metrics) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def web_of(server: Server) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(server.url) as session:
        yield session


async def test_health_is_ready(web_of: aiohttp.ClientSession) -> None:
    assert await json_of(web_of, "/healthz") == {"ok": True}
    ready = await json_of(web_of, "/readyz")
    assert ready == {
        "ok": True,
        "checks": {"database": "ok", "migrations": "ok", "registry": "ok", "turns": "ok"},
    }


async def test_metrics_are_on_an_address_of_their_own(server: Server, web_of: aiohttp.ClientSession) -> None:
    async with web_of.get(server.metrics_url) as answer:
        text = await answer.text()
    assert re.search(r"^geoagent_tables [1-9]", text, re.M)
    assert "geoagent_tile_requests" in text


@pytest.mark.parametrize(
    ("sent", "status"), [("", 403), ("Bearer wrong", 403), ("Bearer ü", 403), ("Bearer of-the-tests", 200)]
)
async def test_visitors_read_metrics_with_the_token_only(
    web_of: aiohttp.ClientSession, sent: str, status: int
) -> None:
    async with web_of.get("/metrics", headers={"Authorization": sent}) as answer:
        assert answer.status == status
        assert ("geoagent_tables" in await answer.text()) is (status == 200)


async def test_a_second_server_on_the_same_machine_starts_without_metrics_and_shows_none_without_a_token(
    server: Server, samples_url: str
) -> None:
    taken = server.metrics_url.removeprefix("http://").removesuffix("/metrics")
    async with local_server(samples_url, ScriptedModel(), metrics=taken) as second:
        assert second.metrics_url == ""
        async with aiohttp.ClientSession(second.url) as visitor:
            for sent in ("", "Bearer ", "Bearer None"):
                async with visitor.get("/metrics", headers={"Authorization": sent}) as answer:
                    assert answer.status == 403
                    assert "GEOAGENT_METRICS_TOKEN" in await answer.text()


async def test_tables_are_listed_searched_and_described(web_of: aiohttp.ClientSession) -> None:
    listed = await json_of(web_of, "/api/tables")
    assert [table["id"] for table in listed["tables"]] == ["data.airports", "data.cities", "data.countries"]
    assert (listed["total"], listed["next"]) == (3, None)
    first = await json_of(web_of, "/api/tables?limit=2")
    assert ([table["id"] for table in first["tables"]], first["total"]) == (
        ["data.airports", "data.cities"],
        3,
    )
    rest = await json_of(web_of, first["next"])
    assert ([table["id"] for table in rest["tables"]], rest["next"]) == (["data.countries"], None)
    found = await json_of(web_of, "/api/tables?q=airport elevation&limit=1")
    assert [table["id"] for table in found["tables"]] == ["data.airports"]
    one = await json_of(web_of, "/api/tables/data.countries")
    assert one["geometry_type"] == "MULTIPOLYGON"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/tables?limit=0", 400, "invalid_payload"),
        ("/api/tables?limit=x", 400, "invalid_payload"),
        ("/api/tables?offset=-1", 400, "invalid_payload"),
        ("/api/tables/data.nothing", 404, "unknown_table"),
        ("/nothing/here", 404, "not_found"),
        ("/../../pyproject.toml", 404, "not_found"),
        ("/%2e%2e/%2e%2e/pyproject.toml", 404, "not_found"),
        ("/assets/%00", 404, "not_found"),
        ("/tiles/nowhere/x/1/0/0/0.mvt", 404, "unknown_layer"),
        ("/api/maps/nowhere/layers/x/tilejson", 404, "unknown_map"),
        ("/api/maps/nowhere/layers/x/export.csv", 404, "unknown_map"),
    ],
)
async def test_faults_are_json_with_a_code(
    web_of: aiohttp.ClientSession, path: str, status: int, code: str
) -> None:
    async with web_of.get(path) as answer:
        assert answer.status == status
        error = (await answer.json())["error"]
        assert error["code"] == code
        assert error["message"]


async def test_a_method_that_is_not_taken_is_refused(web_of: aiohttp.ClientSession) -> None:
    async with web_of.post("/healthz") as answer:
        assert answer.status == 405
        assert "GET" in answer.headers["Allow"]
        assert (await answer.json())["error"]["code"] == "not_found"


async def test_every_answer_is_marked_for_the_browser(web_of: aiohttp.ClientSession) -> None:
    for path in ("/", "/m/abc", "/healthz", "/nothing", "/api/tables"):
        async with web_of.get(path) as answer:
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"


async def test_pages_run_no_script_but_their_own(server: Server, web_of: aiohttp.ClientSession) -> None:
    async with web_of.get("/m/anything") as answer:
        rules = dict(rule.split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert rules["worker-src"] == "'self' blob:"
    assert server.url.replace("http", "ws") in rules["connect-src"].split()
    assert "unsafe" not in str(rules)


def test_a_base_map_of_others_may_be_loaded_from_where_it_is() -> None:
    assert origin_of("https://tiles.example/{z}/{x}/{y}.png?key=1") == "https://tiles.example"
    assert origin_of("http://127.0.0.1:9000/world.pmtiles") == "http://127.0.0.1:9000"
    for other in (
        None,
        "javascript:alert(1)",
        "https://evil;script-src",
        "https://{s}.tiles.example/",
        "//x",
    ):
        assert origin_of(other) is None
    settings = Settings(
        basemap_style="https://tiles.example/style.json",
        basemap_origins=("https://fonts.example", "https://tiles.example"),
    )
    assert settings.foreign_origins == ("https://tiles.example", "https://fonts.example")
    both = settings.model_copy(
        update={"basemaps": (Basemap(name="Sea", url="https://sea.example/a.pmtiles"),)}
    )
    assert "https://sea.example" in both.foreign_origins
    assert [basemap.name for basemap in both.offered_basemaps] == ["tiles.example", "Sea"]
    with pytest.raises(ValidationError, match="begins with http"):
        Settings(basemap_style="ftp://tiles.example/style.json")
    with pytest.raises(ValidationError, match="begins with http"):
        Settings(basemaps=(Basemap(name="Sea", url="javascript:alert(1)"),))
    rules = security.content_security("127.0.0.1:8080", ("https://tiles.example",))
    assert "connect-src 'self' ws://127.0.0.1:8080 wss://127.0.0.1:8080 https://tiles.example;" in rules
    assert "evil" not in security.content_security("evil; script-src *", ())


async def test_a_hostile_name_for_this_server_is_not_answered(web_of: aiohttp.ClientSession) -> None:
    """A page could point a name of its own at 127.0.0.1; loopback servers know only loopback names."""
    async with web_of.get("/api/tables", headers={"Host": "evil.example:8080"}) as answer:
        assert answer.status == 403
    for host in ("localhost:1", "127.0.0.1", "[::1]:8080"):
        async with web_of.get("/healthz", headers={"Host": host}) as answer:
            assert answer.status == 200


@pytest.mark.parametrize(
    ("origin", "host", "allowed"),
    [
        (None, "a:1", True),
        ("http://a:1", "a:1", True),
        ("https://a:1", "a:1", True),
        ("http://A:1", "a:1", True),
        ("http://a:2", "a:1", False),
        ("http://evil", "a:1", False),
        ("null", "a:1", False),
        ("https://friend.example", "a:1", True),
        ("https://friend.example.evil", "a:1", False),
    ],
)
def test_origins(origin: str | None, host: str, allowed: bool) -> None:
    assert Origins(["https://friend.example/"], "0.0.0.0").allows(origin, host) is allowed


async def test_pages_that_are_let_in_may_read_and_others_may_not(samples_url: str) -> None:
    friend, stranger = {"Origin": "https://friend.example"}, {"Origin": "https://evil.example"}
    async with (
        local_server(samples_url, ScriptedModel(), origins=("https://friend.example",)) as server,
        aiohttp.ClientSession(server.url) as session,
    ):
        async with session.get("/api/tables", headers=friend) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == "https://friend.example"
        async with session.get("/api/tables", headers=stranger) as answer:
            assert "Access-Control-Allow-Origin" not in answer.headers
        asking = {"Access-Control-Request-Method": "POST"}
        for origin, status in ((friend, 204), (stranger, 403)):
            async with session.options("/api/uploads", headers={**origin, **asking}) as answer:
                assert answer.status == status
        async with session.post("/api/uploads", headers=stranger, data=b"x") as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (403, "forbidden")
        async with session.get("/healthz", headers={"Host": "friend.example"}) as answer:
            assert answer.status == 200


async def test_the_client_gets_its_configuration(web_of: aiohttp.ClientSession) -> None:
    config = await json_of(web_of, "/api/config")
    assert config["model"] == "scripted"
    assert config["basemaps"] == []
    assert len(config["suggestions"]) >= 3


async def test_a_layer_can_be_taken_home(server: Server, web_of: aiohttp.ClientSession) -> None:
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports", filter="elevation_m > 4000")
        (added,) = (await one.ask("join", map_id=one.map_id))["snapshot"]["layers"]
        exported = await json_of(web_of, f"/api/maps/{one.map_id}/layers/airports/export.geojson")
        assert len(exported["features"]) == added["count"]
        async with web_of.get(added["tiles"].format(z=0, x=0, y=0)) as tile:
            assert (tile.status, tile.content_type) == (200, "application/vnd.mapbox-vector-tile")
            assert "immutable" in tile.headers["Cache-Control"]


@pytest_asyncio.fixture(loop_scope="session")
async def built(tmp_path: Path) -> AsyncIterator[TestClient[Any, Any]]:
    """A client that was built, served."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>GeoAgent</title>")
    (tmp_path / "assets" / "index-1a2b.js").write_text("console.log('hello');" * 100)
    (tmp_path.parent / "secret.txt").write_text("secret")
    app = web.Application(middlewares=[errors.faults])
    app.add_routes(routes({}, Site(tmp_path)))
    async with TestClient(TestServer(app)) as running:
        yield running


async def test_hashed_files_are_kept_for_ever_and_the_page_is_not(built: TestClient[Any, Any]) -> None:
    page = await built.get("/m/abc")
    assert (page.status, page.headers["Cache-Control"]) == (200, "no-cache")
    script = await built.get("/assets/index-1a2b.js")
    assert script.content_type == "text/javascript"
    assert "immutable" in script.headers["Cache-Control"]
    assert script.headers["Content-Encoding"] == "gzip"
    again = await built.get("/assets/index-1a2b.js", headers={"If-None-Match": script.headers["ETag"]})
    assert again.status == 304
    assert (await built.get("/../secret.txt")).status == 404


@pytest.mark.parametrize("path", ["/", "/m/abc", "/index.html"])
async def test_a_page_that_a_browser_has_is_sent_again_because_its_policy_may_have_changed(
    built: TestClient[Any, Any], path: str
) -> None:
    page = await built.get(path, headers={"If-None-Match": "*"})
    assert page.status == 200
    assert "ETag" not in page.headers


async def test_a_rebuilt_client_is_served_immediately(built: TestClient[Any, Any], tmp_path: Path) -> None:
    assert "GeoAgent" in await (await built.get("/")).text()
    (tmp_path / "index.html").write_text("<!doctype html><title>New</title>")
    assert "New" in await (await built.get("/")).text()


async def test_without_a_built_client_the_page_says_how_to_get_one(tmp_path: Path) -> None:
    app = web.Application()
    app.add_routes(routes({}, Site(tmp_path / "nowhere")))
    async with TestClient(TestServer(app)) as running:
        answer = await running.get("/")
        assert answer.status == 503
        assert "make run" in await answer.text()


async def json_of(session: aiohttp.ClientSession, path: str) -> Any:
    async with session.get(path) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.json()


@pytest.mark.parametrize(
    ("path", "framed"),
    [("/m/view_abc", True), ("/m/abc", False), ("/", False), ("/m/view_abc?embed=1", True)],
)
async def test_only_view_links_may_be_framed_by_the_origins_that_are_set(path: str, framed: bool) -> None:
    app = web.Application()
    embedding = ("https://news.example", "https://*.example.org", "'unsafe-inline'; script-src *")
    app.on_response_prepare.append(security.security_headers(Origins(), (), embedding))
    app.add_routes(routes(dict))
    async with TestClient(TestServer(app)) as one, one.get(path) as answer:
        rules = answer.headers["Content-Security-Policy"].split("; ")
        [framing] = [rule for rule in rules if rule.startswith("frame-ancestors")]
        expected = " https://news.example https://*.example.org" if framed else ""
        assert framing == f"frame-ancestors 'self'{expected}"
        assert "script-src 'self'" in rules
