"""Comments on the map: pinned to a feature or a place, answered by others, resolved, read through a view link."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from server.app import Server
from tests.browser.conftest import Enter, Serve
from tests.browser.person import Person
from tests.browser.test_access import violations

FEWEST_ROWS = True


async def choose(person: Person, item: str) -> None:
    await person.page.get_by_role("button", name="Menu", exact=True).click()
    await person.page.get_by_role("menuitem", name=item).click()


def panel(person: Person) -> Locator:
    return person.page.get_by_role("region", name="Comments")


async def comments_on_map(person: Person, x: int, y: int, text: str) -> None:
    await person.page.get_by_role("button", name="Comment on the map").first.click()
    await person.page.locator(".map canvas").click(position={"x": x, "y": y})
    await expect(person.page.get_by_role("textbox", name="New comment")).to_be_focused()
    await person.page.keyboard.type(text)
    await person.page.keyboard.press("Control+Enter")
    await expect(panel(person).locator(".comment-text").filter(has_text=text)).to_be_visible()


async def test_a_comment_on_a_feature_is_answered_and_resolved_by_somebody_else(
    enter: Enter, serve: Serve
) -> None:
    server = await serve()
    one = await enter(server.url)
    await one.says("show airports in red")
    await one.looks_at(13.4, 52.5, 8)
    await one.sees("airports")
    two = await enter(one.page.url)
    await two.says("zoom to airports")

    at = await one.point_of("airports")
    await one.page.mouse.click(at["x"], at["y"])
    name = await one.page.locator(".inspector h2").inner_text()
    await one.page.get_by_role("button", name="Comment on this feature").click()
    await expect(one.page.get_by_role("textbox", name="New comment")).to_be_focused()
    await one.page.keyboard.type("Is it still open?")
    await one.page.keyboard.press("Control+Enter")
    pin = one.page.locator(".comment-pin")
    await expect(pin).to_have_accessible_name(f"Comment: {name}: Is it still open?")
    assert await violations(one) == []

    await two.page.locator(".comment-pin").click()
    thread = panel(two).locator(".comment-thread")
    await expect(thread).to_contain_text(name)
    await expect(thread.get_by_role("button", name="Actions for the comments on")).to_be_visible()
    await thread.get_by_label("Reply").fill("Closed in 2020.")
    await thread.get_by_role("button", name="Reply").click()
    await expect(thread.get_by_label("Reply")).to_have_value("")
    await expect(panel(one).locator(".comment-text")).to_have_text(["Is it still open?", "Closed in 2020."])
    await expect(pin).to_have_attribute("data-count", "2")

    await thread.get_by_role("button", name="Resolve").click()
    await panel(one).get_by_role("button", name="Close", exact=True).click()
    await expect(pin).to_have_count(0)
    await choose(one, "Comments")
    await panel(one).get_by_text("Resolved (1)").click()
    await panel(one).get_by_role("button", name="Reopen").click()
    await expect(pin).to_be_visible()

    await one.page.get_by_role("button", name="Undo").first.click()
    await one.lists()
    await expect(pin).to_be_visible()
    await two.reload()
    await expect(two.page.locator(".comment-pin")).to_be_visible()


async def test_a_place_is_commented_and_a_viewer_reads_it_and_cannot_write(
    enter: Enter, world: Server
) -> None:
    person = await enter(world.url)
    await person.says("show airports in red")
    await comments_on_map(person, 500, 500, "Where is the lake?")
    place = (await person.see("geoagent.state.threads"))[0]["place"]
    expected = await person.see("geoagent.map.unproject([500, 500]).toArray()")
    assert abs(place["position"][0] - expected[0]) < 0.5
    await person.page.get_by_role("button", name="Share this map").click()
    await person.page.get_by_role("button", name="Create view link").click()
    link = await person.page.get_by_label("View link", exact=True).input_value()
    viewer = await enter(link)
    await viewer.page.locator(".comment-pin").click()
    await expect(panel(viewer)).to_contain_text("Where is the lake?")
    await expect(panel(viewer).get_by_role("textbox")).to_have_count(0)
    for name in ("Resolve", "Comment on the map", "Actions for the comments on"):
        await expect(viewer.page.get_by_role("button", name=name)).to_have_count(0)
    await panel(viewer).get_by_role("button", name="Show comments on the map").click()
    await panel(viewer).get_by_role("button", name="On the map", exact=True).click()
    await expect(viewer.page.locator(".comment-pin")).to_have_count(0)


async def test_comments_are_written_on_a_phone_and_in_arabic(enter: Enter, world: Server) -> None:
    phone = await enter(world.url, width=390, height=844, has_touch=True, locale="ar")
    await phone.page.get_by_role("button", name="أدوات الخريطة").tap()
    await phone.page.get_by_role("menuitemradio", name="تعليق على الخريطة").tap()
    await phone.page.touchscreen.tap(190, 250)
    box = phone.page.get_by_role("textbox", name="تعليق جديد")
    await box.fill("أين البحيرة؟")
    await phone.page.get_by_role("button", name="علّق", exact=True).tap()
    await expect(phone.page.locator(".comment-text")).to_have_text("أين البحيرة؟")
    await expect(phone.page.locator(".comment-pin")).to_have_attribute("data-count", "1")
    assert await violations(phone) == []
