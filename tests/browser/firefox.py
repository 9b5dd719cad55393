"""A Firefox without a screen, driven over WebDriver BiDi, which it speaks itself: there is no driver to install.

It has WebGL only on a display, so it gets a virtual one (Xvfb) of its own."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.looking import PATIENCE

FIREFOX = ("firefox", "firefox-esr")
SETTINGS = {"webgl.force-enabled": True, "datareporting.policy.dataSubmissionEnabled": False}
"""Without a GPU, WebGL is refused unless it is forced."""
SIZE = (1280, 800)
ENTER, PAGE_UP, LEFT = "\ue007", "\ue00e", "\ue012"
"""Keys as WebDriver names them."""
LISTENING = re.compile(rb"WebDriver BiDi listening on (ws://\S+)")


class Page:
    """The page that a Firefox shows, and what its console said since it was opened."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.console: list[str] = []
        """Errors and warnings of scripts and of the browser."""
        self._socket = socket
        self._context = ""
        self._calls = 0

    async def begin(self) -> None:
        await self.call("session.new", capabilities={})
        await self.call("session.subscribe", events=["log.entryAdded"])
        tree = await self.call("browsingContext.getTree")
        self._context = tree["contexts"][0]["context"]
        width, height = SIZE
        viewport = {"width": width, "height": height}
        await self.call("browsingContext.setViewport", context=self._context, viewport=viewport)

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a command; events that come before it are kept."""
        self._calls += 1
        await self._socket.send_json({"id": self._calls, "method": method, "params": params})
        while True:
            message = await self._socket.receive_json(timeout=PATIENCE)
            if message["type"] == "event":
                self._note(message["params"])
            elif message["id"] == self._calls:
                assert message["type"] == "success", message
                result: dict[str, Any] = message["result"]
                return result

    async def open(self, url: str) -> None:
        await self.call("browsingContext.navigate", context=self._context, url=url, wait="complete")

    async def see(self, script: str) -> Any:
        """The value of a script: text, a number or a truth value."""
        target = {"context": self._context}
        result = await self.call("script.evaluate", expression=script, target=target, awaitPromise=True)
        assert result["type"] == "success", result
        return result["result"].get("value")

    async def wait_for(self, script: str) -> None:
        """Waits in the page until the script is true."""
        look = f"const look = () => ({script}) ? done(true) : setTimeout(look, 20); look();"
        assert await self.see(f"new Promise(done => {{ {look} }})")

    async def types(self, selector: str, *keys: str) -> None:
        """Presses keys in an element, which is there soon."""
        await self.wait_for(f"document.querySelector({selector!r}) !== null")
        await self.see(f"document.querySelector({selector!r}).focus()")
        pressed = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        await self._act({"type": "key", "id": "keyboard", "actions": pressed})

    async def clicks(self, selector: str) -> None:
        """Clicks in the middle of an element, when it is there and nothing covers it."""
        at = f"document.querySelector({selector!r})?.getBoundingClientRect()"
        middle = f"[{at}.x + {at}.width / 2, {at}.y + {at}.height / 2]"
        await self.wait_for(
            f"{at} && document.querySelector({selector!r}).contains(document.elementFromPoint(...{middle}))"
        )
        x, y = (each["value"] for each in await self.see(middle))
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        await self._act({"type": "pointer", "id": "mouse", "actions": moves})

    async def _act(self, device: dict[str, Any]) -> None:
        await self.call("input.performActions", context=self._context, actions=[device])

    async def says(self, text: str) -> None:
        """Types a message as a person does, and waits for the end of its turn."""
        before = await self.see("geoagent.state.turns.length")
        await self.types(".composer textarea", *text, ENTER)
        await self.wait_for(f"(geoagent.state.turns[{before}]?.end ?? null) !== null")

    def _note(self, entry: dict[str, Any]) -> None:
        if entry["level"] == "error":
            self.console.append(entry["text"])


@asynccontextmanager
async def firefox(profile: Path) -> AsyncIterator[Page]:
    """A Firefox with a new profile in this folder."""
    (profile / "user.js").write_text(
        "".join(f'user_pref("{name}", {str(value).lower()});\n' for name, value in SETTINGS.items())
    )
    async with screen() as display:
        environment = {**os.environ, "HOME": str(profile), "DISPLAY": display}
        process = await asyncio.create_subprocess_exec(
            *(program(*FIREFOX), "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"),
            env=environment,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        reading = None
        try:
            assert process.stderr is not None
            address = await asyncio.wait_for(listening(process.stderr), PATIENCE)
            # What it writes afterwards is read, too: a full pipe would stop it.
            reading = asyncio.create_task(process.stderr.read())
            async with (
                aiohttp.ClientSession() as session,
                session.ws_connect(f"{address}/session", max_msg_size=0) as socket,
            ):
                page = Page(socket)
                await page.begin()
                yield page
        finally:
            await ended(process)
            if reading is not None:
                await reading


@asynccontextmanager
async def screen() -> AsyncIterator[str]:
    """A display without a screen; its name."""
    number, told = os.pipe()
    width, height = SIZE
    server = await asyncio.create_subprocess_exec(
        *(program("Xvfb"), "-displayfd", str(told), "-screen", "0", f"{width}x{height + 200}x24"),
        pass_fds=[told],
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    os.close(told)
    try:
        with os.fdopen(number) as announced:
            name = await asyncio.wait_for(asyncio.to_thread(announced.readline), PATIENCE)
        yield f":{name.strip()}"
    finally:
        await ended(server)


async def listening(output: asyncio.StreamReader) -> str:
    """The address that Firefox writes when it can be driven."""
    said = b""
    async for line in output:
        said += line
        if found := LISTENING.search(line):
            return found[1].decode()
    raise AssertionError(f"Firefox has ended: {said.decode(errors='replace')}")


async def ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    await process.wait()


def program(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.fail(f"There is no {' or '.join(names)}: `make test` installs it.")
    return found
