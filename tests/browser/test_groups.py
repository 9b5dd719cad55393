"""Groups in the panel of layers: made, named, folded, hidden, moved and dissolved, for everybody and with undo."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until

FEWEST_ROWS = True


async def choose(person: Person, menu: str, item: str) -> None:
    await person.page.get_by_role("button", name=menu, exact=True).click()
    await person.page.get_by_role("menuitem", name=item).click()


async def grouped(person: Person) -> dict[str, str | None]:
    """The group of each layer, bottom first."""
    return {layer["id"]: layer["group"] for layer in await person.layers()}


async def drag(person: Person, grip: Locator, to: Locator, share: float) -> None:
    """Drags a row to a share of the height of another."""
    start, end = await grip.bounding_box(), await to.bounding_box()
    assert start is not None and end is not None  # noqa: PT018
    mouse = person.page.mouse
    await mouse.move(start["x"] + 8, start["y"] + 12)
    await mouse.down()
    await mouse.move(end["x"] + 8, end["y"] + end["height"] * share, steps=8)
    await mouse.up()


async def test_a_group_is_made_named_hidden_folded_and_dissolved(enter: Enter, world: Server) -> None:
    person = await enter(world.url)
    page = person.page
    for text in ("show countries", "show cities in blue", "show airports in red"):
        await person.says(text)
    await choose(person, "Actions for airports", "New group with this layer")
    name = page.get_by_label("Name of the group")
    await expect(name).to_be_focused()
    await name.fill("Traffic")
    await name.press("Enter")
    fold = page.get_by_role("button", name="Traffic 1")
    await expect(fold).to_be_visible()
    await choose(person, "Actions for cities", "Move to group Traffic")
    await until(lambda: page.locator("[data-group=Traffic] .count", has_text="2").count(), pause=0.1)
    assert await grouped(person) == {"countries": None, "cities": "Traffic", "airports": "Traffic"}
    assert await violations(person) == []

    # For everybody, and undo takes it back in one step.
    other = await enter(page.url)
    await expect(other.page.get_by_role("button", name="Traffic 2")).to_be_visible()
    await page.get_by_role("button", name="Hide Traffic").click()
    await person.misses("airports")
    await person.misses("cities")
    await expect(other.page.get_by_role("button", name="Show Traffic")).to_be_visible()
    await page.get_by_role("button", name="Undo").click()
    await person.sees("airports")
    await person.sees("cities")

    # Folding is one's own, and outlives a reload.
    await page.get_by_role("button", name="Traffic 2").click()
    await person.lists("countries")
    await other.lists("airports", "cities", "countries")
    await person.reload()
    await person.lists("countries")
    await choose(person, "Actions for the group Traffic", "Move down")
    await other.lists("countries", "airports", "cities")
    for actions, ends in (("countries", "Move up"), ("the group Traffic", "Move down")):
        await page.get_by_role("button", name=f"Actions for {actions}").click()
        await expect(page.get_by_role("menuitem", name=ends)).to_be_disabled()
        await page.keyboard.press("Escape")
    await choose(person, "Actions for the group Traffic", "Ungroup")
    await person.lists("countries", "airports", "cities")
    assert set((await grouped(person)).values()) == {None}


async def test_layers_are_dragged_into_groups_and_out_and_groups_as_a_whole(person: Person) -> None:
    page = person.page
    for text in ("show countries", "show cities in blue", "show airports in red"):
        await person.says(text)
    await choose(person, "Actions for airports", "New group with this layer")
    await page.keyboard.press("Escape")
    await choose(person, "Actions for cities", "Move to group Group 1")
    await until(lambda: page.locator(".layer.grouped").nth(1).count(), pause=0.1)

    async def order_is(**groups: str | None) -> bool:
        found = await grouped(person)
        return list(found.items()) == list(groups.items())

    grip = page.get_by_role("button", name="Reorder countries")
    await drag(person, grip, page.locator('[data-layer="cities"]'), 0.1)
    await until(lambda: order_is(cities="Group 1", countries="Group 1", airports="Group 1"), pause=0.1)
    await page.get_by_role("button", name="Undo").click()
    await until(lambda: order_is(countries=None, cities="Group 1", airports="Group 1"), pause=0.1)
    await drag(
        person,
        page.get_by_role("button", name="Reorder Group 1"),
        page.locator('[data-layer="countries"]'),
        0.9,
    )
    await until(lambda: order_is(cities="Group 1", airports="Group 1", countries=None), pause=0.1)

    # By the keyboard: down out of the group, and back into it.
    await page.get_by_role("button", name="Reorder countries").focus()
    await page.keyboard.press("ArrowDown")
    await until(lambda: order_is(cities="Group 1", countries="Group 1", airports="Group 1"), pause=0.1)


async def test_all_of_the_menu_of_a_layer_can_be_reached_on_a_phone(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    page = person.page
    await person.says("show airports in red")
    await page.get_by_role("button", name="Layers").first.tap()
    await page.get_by_role("button", name="Actions for airports", exact=True).tap()
    await page.get_by_role("menuitem", name="New group with this layer").tap()
    await page.get_by_label("Name of the group").press("Enter")
    await expect(page.get_by_role("button", name="Group 1 1")).to_be_visible()
