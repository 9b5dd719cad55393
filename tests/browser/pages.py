"""Pages that tests take in turns: to open a page costs Chromium twice as much as to load the client into one that is
there. Each has a browser profile of its own, which is empty whenever it is taken."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urljoin

from playwright.async_api import Browser, Error, Page

from tests.support.looking import PATIENCE

MAX_IDLE = 4
QUIET = "/favicon.svg"
"""An address of each server where no client runs. No route answers for it: with routes, a page caches nothing, and
forgets what it has loaded and compiled of the client."""
UNPAINTED = """{
Object.defineProperty(window, "devicePixelRatio", { value: 0.25 });
const gl = WebGL2RenderingContext.prototype;
const drawing = /^(draw(Elements|Arrays)|clear$|uniform|vertexAttrib|(use|link)Program|compileShader)/;
const sending = /^(buffer|tex)(Sub)?(Data|Image2D)/;
for (const name of Object.getOwnPropertyNames(gl)) {
    if (drawing.test(name) || sending.test(name)) gl[name] = () => undefined;
}
gl.getShaderParameter = () => true;
gl.getProgramParameter = (_, name) => name === WebGL2RenderingContext.LINK_STATUS;
}"""
"""Maps load, lay out and answer what is where as ever, but paint nothing: without a GPU, compiling shaders, sending
what is to be painted, and painting it are most of what a map costs."""


class Pages:
    """Open pages by the options of their profile. Not kept: pages with permissions, or after an error."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: list[tuple[str, Page]] = []
        self._options: dict[Page, str] = {}

    async def take(self, width: int, height: int, dark: bool, sharp: bool, **options: Any) -> Page:
        """A page of this size whose profile remembers nothing; give it back at the end of the test."""
        wanted = repr((sharp, sorted(options.items())))
        for kept in reversed(self._idle):
            if kept[0] == wanted:
                self._idle.remove(kept)
                page = kept[1]
                await page.set_viewport_size({"width": width, "height": height})
                break
        else:
            context = await self._browser.new_context(
                viewport={"width": width, "height": height},
                reduced_motion="reduce",
                accept_downloads=True,
                **options,
            )
            context.set_default_timeout(PATIENCE * 1000)
            if not sharp:
                await context.add_init_script(UNPAINTED)
            page = await context.new_page()
        await page.emulate_media(color_scheme="dark" if dark else "light")
        if "permissions" not in options:
            self._options[page] = wanted
        return page

    async def give_back(self, page: Page, url: str) -> None:
        """Leave the server at `url`, and forget what its pages have stored."""
        options = self._options.pop(page, None)
        if options is None or page.context.pages != [page] or not await _has_forgotten(page, url):
            await page.context.close()
            return
        self._idle.append((options, page))
        if len(self._idle) > MAX_IDLE:
            await self._idle.pop(0)[1].context.close()


async def _has_forgotten(page: Page, url: str) -> bool:
    """Whether the page could be emptied: it may have stopped, and so may its server."""
    try:
        async with asyncio.timeout(PATIENCE):
            await page.unroute_all(behavior="ignoreErrors")
            await page.context.clear_permissions()
            await page.mouse.move(-1, -1)
            await page.goto(urljoin(url, QUIET))
            await page.evaluate("localStorage.clear(), sessionStorage.clear()")
    except (Error, TimeoutError):
        return False
    return True
