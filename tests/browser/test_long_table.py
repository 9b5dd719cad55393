"""The table of a layer of more rows than a page is high: it reads only what is seen, and comes by every row."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest_asyncio
from playwright.async_api import Locator, Response, expect

from server.app import Server
from tests.browser.person import Person
from tests.support.looking import until

COUNT = 600_000
"""More rows than a browser can scroll through pixel by pixel."""
SETUP = f"""
CREATE TABLE data.many (id integer PRIMARY KEY, label text, geom geometry(Point, 4326));
INSERT INTO data.many
SELECT n, 'row ' || n, ST_SetSRID(ST_MakePoint(170 + n % 1000 / 1000.0, 60 + n / 1000 / 1000.0), 4326)
FROM generate_series(1, {COUNT}) AS n;
CREATE INDEX ON data.many USING gist (geom);
ANALYZE data.many;
"""


HOLD_TIMERS = """() => {
    const { setTimeout, clearTimeout } = window;
    const held = new Map();
    let last = 0;
    window.setTimeout = (act, after, ...rest) => {
        if (!(after >= 100)) return setTimeout(act, after, ...rest);
        const id = --last;
        held.set(id, act);
        return id;
    };
    window.clearTimeout = id => void (held.delete(id) || clearTimeout(id));
    window.runHeldTimers = () => {
        const due = [...held.values()];  // what they set runs later
        held.clear();
        due.forEach(act => act());
    };
}"""
"""Timers of 100 ms and more run when the test says so."""


ROWS_WHILE_THE_BAR_MOVES = """async it => {
    const first = () => Number(it.querySelector(".grid-body .grid-row").getAttribute("aria-rowindex")) - 1;
    const twoFrames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    await twoFrames();
    const [firsts, top] = [[first()], it.scrollTop];
    new MutationObserver(() => firsts.push(first())).observe(it, { subtree: true, attributes: true, childList: true });
    runHeldTimers();
    const isMoved = it.scrollTop !== top;
    await twoFrames();
    return { isMoved, firsts: [...new Set(firsts)] };
}"""
"""Whether the bar moved, and each number that the row drawn first had meanwhile."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def many_rows(world: Server, samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(SETUP)
    finally:
        await connection.close()
    await until(lambda: "data.many" in {table.id for table in world.registry.tables()})


async def test_many_rows_are_scrolled_to_the_end_by_few_small_answers(
    person: Person, many_rows: None
) -> None:
    page = person.page
    await person.looks_at(0, 0, 12)  # far from the rows: it is the table that is looked at here
    await person.says("show many")
    answers: list[tuple[dict[str, list[str]], int]] = []

    async def note(response: Response) -> None:
        if "/rows?" in response.url:
            answers.append((parse_qs(urlsplit(response.url).query), len(await response.body())))

    page.on("response", note)
    await page.get_by_role("button", name="Actions for many").click()
    await page.get_by_role("menuitem", name="Open table").click()
    table = page.get_by_role("grid")
    await expect(table).to_have_attribute("aria-rowcount", str(COUNT))
    await table.evaluate("it => it.scrollTo(0, it.scrollHeight)")
    last = table.locator(f'[aria-rowindex="{COUNT + 1}"]')
    await expect(last).to_contain_text("row 600000")
    await expect(last).to_be_in_viewport()

    # A wheel moves by pixels, though the scroll bar stands for far more: no row is left out.
    seen: set[int] = set()
    await table.hover()
    for _ in range(12):
        before = await on_top(table)
        await page.mouse.wheel(0, -64)
        await until(lambda before=before: moved(table, before), pause=0.05)  # type: ignore[misc]
        seen |= set(await in_view(table))
    assert seen == set(range(min(seen), max(seen) + 1))
    assert 30 <= max(seen) - min(seen) < 60
    await expect(table.locator(".grid-body .grid-row").first).to_contain_text("row ")

    await table.evaluate("it => it.scrollTo(0, it.scrollHeight / 2)")
    await until(lambda: about_half(table), pause=0.1)
    rows = table.locator(".grid-body .grid-row")
    await expect(rows.nth(2)).to_contain_text("row ")
    index = int(await rows.nth(2).get_attribute("aria-rowindex") or 0) - 1
    await expect(rows.nth(2)).to_contain_text(f"row {index}")
    assert await rows.count() < 40, "only the rows in view are drawn"

    assert 2 <= len(answers) <= 8
    assert all(int(asked["limit"][0]) <= 100 for asked, _ in answers)
    assert all(size < 20_000 for _, size in answers)
    assert all(asked.get("total") == [str(COUNT)] for asked, _ in answers[1:]), "rows are counted once"


async def test_a_scroll_is_kept_when_timers_run_before_its_event(person: Person, many_rows: None) -> None:
    table = await table_with_held_timers(person)
    # A browser sends the event with its next frame, which may be late.
    await table.evaluate("it => { it.scrollTo(0, it.scrollHeight); runHeldTimers(); }")
    await expect(table.locator(f'[aria-rowindex="{COUNT + 1}"]')).to_contain_text(f"row {COUNT}")


async def test_the_rows_in_view_stay_while_the_scroll_bar_goes_where_they_are(
    person: Person, many_rows: None
) -> None:
    table = await table_with_held_timers(person)
    await table.evaluate("it => it.scrollTo(0, it.scrollHeight)")
    await expect(table.locator(f'[aria-rowindex="{COUNT + 1}"]')).to_contain_text(f"row {COUNT}")
    end = await table.evaluate("it => it.scrollTop")
    await table.hover()
    await person.page.mouse.wheel(0, -6 * 64)
    await until(lambda: is_scrolled(table, end - 6 * 64), pause=0.05)
    shown = await table.evaluate(ROWS_WHILE_THE_BAR_MOVES)
    assert (shown["isMoved"], len(shown["firsts"])) == (True, 1), shown


async def table_with_held_timers(person: Person) -> Locator:
    """The open table, from its first row."""
    page = person.page
    await person.looks_at(0, 0, 12)  # far from the rows
    await person.says("show many")
    await page.evaluate(HOLD_TIMERS)
    await page.get_by_role("button", name="Actions for many").click()
    await page.get_by_role("menuitem", name="Open table").click()
    table = page.get_by_role("grid")
    await expect(table.locator('[aria-rowindex="2"]')).to_contain_text("row 1")
    return table


async def in_view(table: Locator) -> list[int]:
    """The numbers of the rows that are drawn, by where they stand."""
    found: list[int] = await table.evaluate(
        "it => [...it.querySelectorAll('.grid-body .grid-row')].map(row => Number(row.ariaRowIndex ??"
        " row.getAttribute('aria-rowindex')) - 1)"
    )
    return found


async def on_top(table: Locator) -> int:
    return min(await in_view(table))


async def is_scrolled(table: Locator, top: float) -> bool:
    return bool(await table.evaluate("(it, top) => it.scrollTop === top", top))


async def moved(table: Locator, before: int) -> bool:
    return await on_top(table) <= before - 1


async def about_half(table: Locator) -> bool:
    return abs(await on_top(table) - COUNT / 2) < COUNT / 100
