"""The first visit over a slow connection: when something is painted, the chat can be used, and the map is drawn."""

from __future__ import annotations

from playwright.async_api import Browser

from tests.bench.rows import Row

SLOW = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
"""What DevTools calls a fast 3G: milliseconds, and bytes per second."""

MARKS = """
window.arrived = {};
const look = () => {
    const box = document.querySelector(".composer textarea");
    if (box !== null && document.querySelector(".welcome, .turn")) arrived.chat ??= performance.now();
    if (window.geoagent?.map?.loaded()) arrived.map ??= performance.now();
    if (arrived.chat === undefined || arrived.map === undefined) requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


async def first_visit(browser: Browser, url: str) -> list[Row]:
    """Seconds from the address to each of the three."""
    page = await browser.new_page(viewport={"width": 1280, "height": 800})
    session = await page.context.new_cdp_session(page)
    await session.send("Network.enable")
    await session.send("Network.emulateNetworkConditions", SLOW)
    await page.add_init_script(MARKS)
    await page.goto(url)
    ready = "() => arrived.chat !== undefined && arrived.map !== undefined"
    await page.wait_for_function(ready, timeout=300_000)
    paint: float = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    arrived: dict[str, float] = await page.evaluate("arrived")
    await page.close()
    return [
        Row("Browser: first paint", f"{paint / 1000:.1f} s", "1.6 Mbit/s, 150 ms of latency, cold cache"),
        Row("  usable chat", f"{arrived['chat'] / 1000:.1f} s", "the box and the suggestions are there"),
        Row("  usable map", f"{arrived['map'] / 1000:.1f} s", "the base map is drawn"),
    ]
