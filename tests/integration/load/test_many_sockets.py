"""One network address that opens sockets without end, over WebSockets or by polling, and others beside it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import AsyncExitStack

import aiohttp
import pytest

from server.http.middleware.request_rates import MAX_CONNECTIONS
from server.sockets.limits import MAX_SOCKETS
from tests.support.looking import until
from tests.support.server import child_server

RATE = 0.05
MOST = int(MAX_SOCKETS * RATE)
MOST_CONNECTIONS = int(MAX_CONNECTIONS * RATE)
POLLING = "/socket.io/?EIO=4&transport=polling"
LIMITED = """
import json, resource
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
from server.cli.serve import allow_open_files
allow_open_files()
print(json.dumps([*resource.getrlimit(resource.RLIMIT_NOFILE), hard]))
"""


def calling(url: str, address: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(local_addr=(address, 0), limit=0))


@pytest.mark.parametrize("transport", ["polling", "websocket"])
async def test_an_address_opens_so_many_sockets_and_others_still_come_in(
    samples_url: str, transport: str
) -> None:
    async with (
        child_server(samples_url, GEOAGENT_RATE=str(RATE)) as server,
        calling(server.url, "127.0.0.66") as one,
        calling(server.url, "127.0.0.67") as stranger,
    ):
        for _ in range(MOST):
            if transport == "polling":
                async with one.get(POLLING) as answer:
                    assert answer.status == 200
            else:
                await one.ws_connect(POLLING.replace("polling", "websocket"))
        async with one.get(POLLING) as answer:
            assert (answer.status, "network address" in json.loads(await answer.text())) == (429, True)
            assert int(answer.headers["Retry-After"]) > 0
        with pytest.raises(aiohttp.WSServerHandshakeError, match="429"):
            await one.ws_connect(POLLING.replace("polling", "websocket"))
        async with stranger.get(POLLING) as answer:
            assert answer.status == 200


async def test_an_address_has_so_many_silent_connections_and_others_still_come_in(samples_url: str) -> None:
    async with (
        child_server(samples_url, GEOAGENT_RATE=str(RATE)) as server,
        calling(server.url, "127.0.0.67") as stranger,
        AsyncExitStack() as stack,
    ):
        port = int(server.url.rpartition(":")[2])
        silent = []
        for _ in range(MOST_CONNECTIONS + 20):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.66", 0))
            stack.callback(writer.close)
            silent.append((reader, writer))

        def ended() -> int:
            return sum(reader.at_eof() for reader, _ in silent)

        await until(lambda: ended() >= 20)
        await stranger.ws_connect(POLLING.replace("polling", "websocket"))
        async with stranger.get("/api/tables") as answer:
            assert answer.status == 200
        assert ended() == 20
        for _, writer in silent[:50]:
            writer.close()
        async with calling(server.url, "127.0.0.66") as one:

            async def is_served() -> bool:
                try:
                    async with one.get("/api/tables") as answer:
                        return answer.status == 200
                except aiohttp.ClientError:
                    return False

            await until(is_served)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_server_opens_as_many_files_as_it_may() -> None:
    found = subprocess.run([sys.executable, "-c", LIMITED], check=True, capture_output=True, text=True)
    soft, _, hard = json.loads(found.stdout)
    assert soft > 1024 or soft == hard
