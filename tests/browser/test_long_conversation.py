"""A conversation of thousands of messages: little of it is in the page, and nothing jumps."""

from __future__ import annotations

from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until
from tests.support.old_turns import append_turns
from tests.support.server import client

TURNS = 1500
"""Each with a question and an answer: 3,000 messages."""


async def long_map(world: Server, url: str) -> str:
    async with client(world) as one:
        await one.ask("join")
    await append_turns(url, one.map_id, TURNS)
    return one.map_id


async def first_in_sight(person: Person) -> tuple[str, float]:
    """The first question that is wholly in sight, and where on the page."""
    found: list[object] = await person.see(
        """(() => {
            const top = document.querySelector(".messages").getBoundingClientRect().top;
            const bubbles = [...document.querySelectorAll(".bubble")];
            const first = bubbles.find(it => it.getBoundingClientRect().top >= top);
            return first ? [first.textContent, first.getBoundingClientRect().top] : ["", 0];
        })()"""
    )
    return str(found[0]), float(str(found[1]))


async def test_thousands_of_messages_leave_the_page_small_and_the_place_where_it_was(
    samples_url: str, world: Server, enter: Enter
) -> None:
    map_id = await long_map(world, samples_url)
    person = await enter(f"{world.url}/m/{map_id}")
    other = await enter(f"{world.url}/m/{map_id}")
    page = person.page
    await expect(page.get_by_text(f"question {TURNS - 1}", exact=True)).to_be_in_viewport()

    await page.locator(".messages").hover()
    await page.mouse.wheel(0, -2)  # by hand, or the end would not be left
    await page.locator(".messages").evaluate("it => it.scrollTo(0, 0)")
    await page.get_by_role("button", name="Show earlier messages").click()
    await person.wait_for(f"geoagent.state.turns.length === {TURNS}")
    assert await page.locator("article").count() < 60
    assert await person.see("document.querySelectorAll('*').length") < 3000
    assert await violations(person) == []

    await page.locator(".messages").evaluate("it => it.scrollTo(0, it.scrollHeight / 2)")
    await until(lambda: settled(person))
    text, top = await first_in_sight(person)
    place = page.get_by_role("article").filter(has_text=text).first
    assert await place.get_attribute("aria-setsize") == str(TURNS)
    assert await place.get_attribute("aria-posinset") == str(int(text.split()[1]) + 1)

    await other.says("show airports in red")
    await person.wait_for(f"geoagent.state.turns.length === {TURNS + 1}")
    assert await first_in_sight(person) == (text, top)
    await page.get_by_role("button", name="New messages").click()
    await expect(page.get_by_text("show airports in red", exact=True).first).to_be_in_viewport()
    assert await page.locator("article").count() < 60
    await person.says("show cities")
    await expect(page.get_by_role("feed").get_by_text("Added cities").last).to_be_in_viewport()


async def settled(person: Person) -> bool:
    before = await first_in_sight(person)
    await person.see("new Promise(done => setTimeout(done, 250))")
    return before[0] != "" and await first_in_sight(person) == before
