"""Somebody in front of the client: says things, clicks, and tells what is on the screen.

What is drawn is asked of MapLibre (`queryRenderedFeatures`) and of the pixels, never of what the client believes."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import ConsoleMessage, Error, Locator, Page, Request

from tests.support.looking import until

PIXELS = """async ([picture, red, green, blue, near]) => {
    const image = new Image();
    image.src = "data:image/png;base64," + picture;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let count = 0;
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) {
        colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        const off = Math.max(Math.abs(data[i] - red), Math.abs(data[i + 1] - green), Math.abs(data[i + 2] - blue));
        if (off <= near) count++;
    }
    return { count, colours: colours.size };
}"""

DRAWN = """([id, most]) => {
    const map = window.geoagent.map;
    const layers = map.getLayersOrder().filter(it => map.getLayer(it).source === id);
    if (layers.length === 0) return { count: 0, features: [] };
    const seen = new Map();
    for (const it of map.queryRenderedFeatures({ layers })) seen.set(it.id ?? JSON.stringify(it.properties), it);
    const features = [...seen.values()].slice(0, most).map(({ id, properties }) => ({ id, properties }));
    return { count: seen.size, features };
}"""


class Person:
    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.troubles: list[str] = []
        self.outages_expected = False
        self._listeners: dict[Any, Any] = {
            "pageerror": self._error,
            "console": self._console,
            "request": self._request,
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    async def arrive(self) -> None:
        await self.page.goto(self.url)
        await self.ready()

    def leave(self) -> None:
        """What happens on the page from now on is another person's."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    async def ready(self) -> None:
        """The map is drawn and the server's word on it has come."""
        await self.wait_for("!!(window.geoagent?.state && window.geoagent.map.loaded())")

    async def reload(self) -> None:
        await self.page.reload()
        await self.ready()

    async def says(self, text: str) -> str:
        """Types a message, sends it, waits for the end of its turn; the agent's answer."""
        before = int(await self.see("geoagent.state?.turns.length ?? 0"))
        await self.box.fill(text)
        await self.page.keyboard.press("Enter")
        await self.wait_for(f"(geoagent.state.turns[{before}]?.end ?? null) !== null")
        turn = await self.see(f"geoagent.state.turns[{before}]")
        return "\n".join(entry["text"] for entry in turn["entries"] if entry["kind"] == "answer")

    async def see(self, script: str) -> Any:
        """The value of a script. Its value is copied whole: a call that returns the map takes seconds."""
        return await self.page.evaluate(script)

    async def wait_for(self, script: str) -> None:
        """Waits in the page until the script is true, which costs far less than asking again and again."""
        await self.page.wait_for_function(f"() => ({script})", polling=20)

    async def turns(self) -> list[dict[str, Any]]:
        turns: list[dict[str, Any]] = await self.see("geoagent.state?.turns ?? []")
        return turns

    async def layers(self) -> list[dict[str, Any]]:
        """As the client knows them, bottom first."""
        layers: list[dict[str, Any]] = await self.see("geoagent.state?.layers ?? []")
        return layers

    async def count(self, layer_id: str) -> int:
        """How many features of a layer are on the screen now."""
        return int((await self.page.evaluate(DRAWN, [layer_id, 0]))["count"])

    async def features(self, layer_id: str) -> list[dict[str, Any]]:
        """Up to 1000 features of a layer that are on the screen now, each once."""
        found: list[dict[str, Any]] = (await self.page.evaluate(DRAWN, [layer_id, 1000]))["features"]
        return found

    async def sees(self, layer_id: str) -> int:
        """Waits until features of a layer are on the screen; how many."""
        return int(await until(lambda: self.count(layer_id), pause=0.25))

    async def sees_all(self, layer_id: str) -> int:
        """Waits until every tile in view has come and features of a layer are on the screen; how many."""
        await self.sees(layer_id)
        await self._tiles_loaded()
        return await self.count(layer_id)

    async def misses(self, layer_id: str) -> None:
        """Waits until no feature of a layer is on the screen."""

        async def gone() -> bool:
            return await self.count(layer_id) == 0

        await until(gone, pause=0.25)

    async def lists(self, *names: str) -> None:
        """Waits until the panel lists exactly these layers, top first."""

        async def listed() -> bool:
            return await self.names() == list(names)

        await until(listed, pause=0.05)

    async def paints(self, red: int, green: int, blue: int, near: int = 24, least: int = 50) -> None:
        """Waits until at least so many pixels of the map have about this colour."""

        async def painted() -> bool:
            return await self.pixels(red, green, blue, near) >= least

        await until(painted, pause=0.25)

    async def pixels(self, red: int, green: int, blue: int, near: int = 24) -> int:
        """How many pixels of the map have about this colour."""
        return int((await self._look(red, green, blue, near))["count"])

    async def colours(self) -> int:
        """How many different colours the map shows."""
        return int((await self._look(0, 0, 0, 0))["colours"])

    async def names(self) -> list[str]:
        """The layers in the panel, top first."""
        return [text.strip() for text in await self.page.locator(".layer-name").all_inner_texts()]

    async def point_of(self, layer_id: str, feature_id: int | None = None) -> dict[str, float]:
        """Where on the page a point feature is drawn."""
        script = """([id, wanted]) => {
            const map = window.geoagent.map;
            const layers = map.getLayersOrder().filter(it => map.getLayer(it).source === id);
            const found = map.queryRenderedFeatures({ layers }).find(it => wanted === null || it.id === wanted);
            const { x, y } = map.project(found.geometry.coordinates);
            const box = map.getContainer().getBoundingClientRect();
            return { x: box.x + x, y: box.y + y };
        }"""
        point: dict[str, float] = await self.page.evaluate(script, [layer_id, feature_id])
        return point

    async def looks_at(self, longitude: float, latitude: float, zoom: float) -> None:
        await self.page.evaluate(
            "([lng, lat, zoom]) => void window.geoagent.map.jumpTo({ center: [lng, lat], zoom })",
            [longitude, latitude, zoom],
        )
        await self._tiles_loaded()

    async def _tiles_loaded(self) -> None:
        await self.wait_for("geoagent.map.loaded() && geoagent.map.areTilesLoaded()")

    @property
    def box(self) -> Locator:
        return self.page.locator(".composer textarea")

    async def _look(self, *colour: int) -> dict[str, int]:
        assert await self.see("devicePixelRatio >= 1"), "a test that looks at pixels is marked `pixels`"
        picture = base64.b64encode(await self.page.locator(".map").screenshot()).decode()
        found: dict[str, int] = await self.page.evaluate(PIXELS, [picture, *colour])
        return found

    def _error(self, error: Error) -> None:
        self.troubles.append(f"error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not self.outages_expected:
            self.troubles.append(f"console: {message.text}")
        elif "Content Security Policy" in message.text:
            self.troubles.append(f"blocked: {message.text}")

    def _request(self, request: Request) -> None:
        there = urlsplit(request.url)
        if there.scheme in ("blob", "data", "about"):
            return
        if there.netloc != urlsplit(self.url).netloc:
            self.troubles.append(f"fetched from elsewhere: {request.url}")
