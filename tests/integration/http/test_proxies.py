"""Behind a proxy, forwarding headers are believed from trusted networks only."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict
from pydantic import ValidationError

from server.http.middleware.proxies import TRUSTED_PROXIES, client_address, networks, public_origin
from server.settings import Settings
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

FORWARDED = {
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "maps.example.org",
    "Origin": "https://maps.example.org",
}


def request_from(remote: str | None, headers: list[tuple[str, str]], trusted: str) -> web.Request:
    app = web.Application()
    app[TRUSTED_PROXIES] = networks(part for part in trusted.split() if part)
    request = make_mocked_request(
        "GET", "/", headers=CIMultiDict([("Host", "10.0.0.5:8080"), *headers]), app=app
    )
    return request.clone(remote=remote)


@pytest.mark.parametrize(
    ("remote", "forwarded", "trusted", "expected"),
    [
        ("203.0.113.7", [], "", "203.0.113.7"),
        ("203.0.113.7", ["198.51.100.1"], "", "203.0.113.7"),
        ("203.0.113.7", ["198.51.100.1"], "10.0.0.0/8", "203.0.113.7"),
        ("10.0.0.2", ["198.51.100.1"], "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.2", [], "10.0.0.0/8", "10.0.0.2"),
        # A client that sends the header itself does not choose its address.
        ("10.0.0.2", ["1.2.3.4, 198.51.100.1"], "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.2", ["1.2.3.4", "198.51.100.1, 10.0.0.3"], "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.2", ["10.9.9.9, 10.0.0.3"], "10.0.0.0/8", "10.9.9.9"),
        ("10.0.0.2", ["198.51.100.1, nonsense"], "10.0.0.0/8", "10.0.0.2"),
        ("10.0.0.2", ["198.51.100.1:4711"], "10.0.0.2", "198.51.100.1"),
        ("::ffff:10.0.0.2", ["[2001:db8::1]:4711"], "10.0.0.0/8", "2001:db8::1"),
        ("::1", ["2001:db8::1"], "::1", "2001:db8::1"),
        (None, ["198.51.100.1"], "0.0.0.0/0 ::/0", "unknown"),
    ],
)
def test_the_clients_address_is_the_last_one_that_no_trusted_proxy_has(
    remote: str | None, forwarded: list[str], trusted: str, expected: str
) -> None:
    request = request_from(remote, [("X-Forwarded-For", value) for value in forwarded], trusted)
    assert client_address(request) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, "http://10.0.0.5:8080"),
        ({"X-Forwarded-Proto": "https"}, "https://10.0.0.5:8080"),
        ({"X-Forwarded-Proto": "https", "X-Forwarded-Host": "a.example"}, "https://a.example"),
        ({"X-Forwarded-Host": "evil.example, a.example:8443"}, "http://a.example:8443"),
        ({"X-Forwarded-Proto": "javascript", "X-Forwarded-Host": "a/../b"}, "http://10.0.0.5:8080"),
    ],
)
def test_the_public_origin_is_what_the_nearest_trusted_proxy_says(
    headers: dict[str, str], expected: str
) -> None:
    assert public_origin(request_from("10.0.0.2", list(headers.items()), "10.0.0.2")) == expected
    assert (
        public_origin(request_from("10.0.0.9", list(headers.items()), "10.0.0.2")) == "http://10.0.0.5:8080"
    )


def test_a_trusted_proxy_that_is_no_network_is_refused_at_start() -> None:
    with pytest.raises(ValidationError, match="is not an IP address or a network"):
        Settings(trusted_proxies="proxy.example.org")


class Site:
    def __init__(self, url: str, map_id: str) -> None:
        self.tilejson = f"{url}/api/maps/{map_id}/layers/airports/tilejson"
        self.url = url


@pytest_asyncio.fixture(
    scope="module", loop_scope="session", params=["", "127.0.0.1"], ids=["nobody", "proxy"]
)
async def site(request: pytest.FixtureRequest, samples_url: str) -> AsyncIterator[tuple[Site, bool]]:
    trusted = str(request.param)
    async with (
        local_server(samples_url, ScriptedModel(), trusted_proxies=trusted) as server,
        client(server) as one,
    ):
        await one.ask("join")
        await one.ask("layer_add", table="data.airports", layer_id="airports")
        yield Site(server.url, one.map_id), bool(trusted)


async def test_tilejson_names_the_address_that_browsers_use(site: tuple[Site, bool]) -> None:
    at, trusted = site
    async with aiohttp.ClientSession() as session, session.get(at.tilejson, headers=FORWARDED) as answer:
        template = (await answer.json())["tiles"][0]
    assert template.startswith("https://maps.example.org/tiles/" if trusted else f"{at.url}/tiles/")


async def test_a_page_may_connect_under_the_address_that_a_trusted_proxy_names(
    site: tuple[Site, bool],
) -> None:
    at, trusted = site
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{at.url}/socket.io/?EIO=4&transport=polling", headers=FORWARDED) as answer,
    ):
        assert answer.status == (200 if trusted else 400)


async def test_a_page_whose_name_leads_to_the_loopback_is_refused_whatever_it_forwards(
    site: tuple[Site, bool],
) -> None:
    """DNS rebinding: such a page is of its own origin, and may set any header but `Host`."""
    at, _ = site
    rebound = {**FORWARDED, "Host": "evil.example:8080", "X-Forwarded-Host": "127.0.0.1"}
    async with aiohttp.ClientSession() as session, session.get(at.tilejson, headers=rebound) as answer:
        assert answer.status == 403
