"""A real Chromium before a real server: what these tests see is what a person sees.

`world` is a server with the sample data and the offline model, one for each module; `person` opens pages on it,
each with a browser profile of its own, and checks at the end that nothing was blocked, broken or fetched elsewhere.
Drawing without a GPU takes long: the base map has no land, except in modules with `BASE_MAP = True`, and maps paint
nothing, except in tests marked `pixels`. In modules with `FEWER_ROWS = True` there are fewer cities and airports to
load and to draw, and with `FEWEST_ROWS = True` a thousand airports in place of nine thousand."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from server.app import Server
from server.http import site
from tests.browser.pages import Pages
from tests.browser.person import Person
from tests.support.looking import PATIENCE
from tests.support.ports import Ports
from tests.support.server import local_server

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Without a window to emulate, the headless shell needs a quarter less processor time for the same pages."""
FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    # Only WebGL needs the emulated GPU; composing pages on it costs more than composing them without.
    "--disable-gpu-compositing",
    # A page lives for seconds: optimizing its scripts, and collecting its garbage often and with the help of other
    # threads, costs more than it saves.
    "--js-flags=--no-opt,--single-threaded,--min-semi-space-size=32,--max-semi-space-size=64",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

BASE_MAP_FILES = ("labels", *(f"{part}-{scale}m" for part in ("land", "borders") for scale in (10, 50, 110)))

Enter = Callable[..., Awaitable[Person]]
Serve = Callable[..., Awaitable[Server]]

expect.set_options(timeout=PATIENCE * 1000)


def chromium() -> str:
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.fail("There is no Chromium: `make test` installs it, or name one in CHROMIUM.")
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    if not (ROOT / "web" / "dist" / "index.html").is_file():
        pytest.fail("The client is not built: run `make build`, or `npm ci && npm run build` in web.")
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield opened
        await opened.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def pages(browser: Browser) -> Pages:
    return Pages(browser)


@pytest.fixture(scope="session")
def client_without_land(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built client with an empty base map."""
    folder = tmp_path_factory.mktemp("client") / "dist"
    shutil.copytree(site.CLIENT, folder)
    empty = [file for name in BASE_MAP_FILES for file in (folder / "assets").glob(f"{name}-*.json")]
    assert len(empty) == len(BASE_MAP_FILES)
    for file in empty:
        file.write_text('{"type": "FeatureCollection", "features": []}')
    return folder


@pytest.fixture(scope="module", autouse=True)
def served_client(request: pytest.FixtureRequest, client_without_land: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "BASE_MAP", False):
            patch.setattr(site, "CLIENT", client_without_land)
        yield


@pytest.fixture(scope="module")
def samples_url(request: pytest.FixtureRequest) -> str:
    wanted = [few for few in ("fewest", "fewer") if getattr(request.module, f"{few.upper()}_ROWS", False)]
    url: str = request.getfixturevalue(f"{wanted[0]}_samples_url" if wanted else "samples_url")
    return url


@pytest.fixture(scope="session")
def ports() -> Iterator[Ports]:
    ports = Ports()
    yield ports
    ports.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(samples_url: str, ports: Ports) -> AsyncIterator[Server]:
    with ports.port(site.CLIENT) as port:
        async with local_server(samples_url, port=port) as server:
            yield server


@pytest_asyncio.fixture(loop_scope="session")
async def serve(samples_url: str, ports: Ports) -> AsyncIterator[Serve]:
    """Starts a server of the test's own, which outlives the pages that are open on it."""
    async with AsyncExitStack() as servers:

        async def start(*args: Any, **options: Any) -> Server:
            wanted = {"port": servers.enter_context(ports.port(site.CLIENT)), **options}
            return await servers.enter_async_context(local_server(samples_url, *args, **wanted))

        yield start


@pytest_asyncio.fixture(loop_scope="session")
async def enter(pages: Pages, serve: Serve, request: pytest.FixtureRequest) -> AsyncIterator[Enter]:
    """Opens an address as a new person: `await enter(url, width=390, height=844, dark=True)`."""
    people: list[Person] = []
    sharp = request.node.get_closest_marker("pixels") is not None

    async def open_page(
        url: str, width: int = 1280, height: int = 800, dark: bool = False, **options: Any
    ) -> Person:
        page = await pages.take(width, height, dark, sharp, **{"locale": "en-GB", **options})
        person = Person(page, url)
        people.append(person)
        await person.arrive()
        return person

    yield open_page
    troubles = [trouble for person in people for trouble in person.troubles]
    for person in people:
        person.leave()
        await pages.give_back(person.page, person.url)
    assert troubles == []


@pytest_asyncio.fixture(loop_scope="session")
async def person(enter: Enter, world: Server) -> Person:
    """Somebody on a new map."""
    return await enter(world.url)
