"""What an analysis leaves: its plan as a recipe that runs with other values, and a result that can be deleted."""

from __future__ import annotations

import pytest_asyncio
from playwright.async_api import Locator, expect

from tests.browser.person import Person
from tests.browser.test_access import violations

FEWER_ROWS = True

GOAL = "buffer the cities over 10 million people by 10 km"


@pytest_asyncio.fixture(loop_scope="session")
async def analysed(person: Person) -> Person:
    """Somebody whose analysis has ended, with the data beside the map."""
    await person.says(GOAL)
    assert (
        await person.see("geoagent.state.turns[0].entries.find(it => it.kind === 'analysis').status") == "ok"
    )
    return person


async def saves_the_recipe(person: Person, name: str) -> None:
    page = person.page
    await page.get_by_role("button", name="done Analysis").click()
    await page.get_by_role("button", name="Save as recipe").click()
    form = page.locator(".recipe-form")
    await expect(form.get_by_label("Name")).to_have_value(GOAL)
    await expect(form.get_by_role("checkbox", name="distance")).to_be_checked()
    assert await violations(person) == []
    await form.get_by_label("Name").fill(name)
    await form.get_by_role("button", name="Save", exact=True).click()
    await expect(form).to_have_count(0)


async def opens_the_data(person: Person) -> Locator:
    await person.page.get_by_role("button", name="Menu", exact=True).click()
    await person.page.get_by_role("menuitem", name="Data", exact=True).click()
    data = person.page.get_by_role("region", name="Data")
    await expect(data.locator(".table-entry").first).to_be_visible()
    return data


async def test_a_recipe_is_saved_run_with_another_value_renamed_and_removed(analysed: Person) -> None:
    person, page = analysed, analysed.page
    await saves_the_recipe(person, "Borderland")
    data = await opens_the_data(person)
    await data.get_by_role("button", name="Borderland", exact=True).click()
    form = data.locator(".recipe-form")
    distance = form.get_by_label("distance")
    await expect(distance).to_have_value("10 km")
    await expect(form.locator("li")).not_to_have_count(0)
    assert await violations(person) == []
    await distance.fill("25 km")
    await form.get_by_role("button", name="Run").click()
    await person.wait_for("geoagent.state.turns[1]?.end === 'done'")
    run = "geoagent.state.turns[1].entries.find(it => it.kind === 'analysis')"
    assert await person.see(f"{run}.status") == "ok"
    assert "25 km" in await person.see(f"JSON.stringify({run}.plan) + {run}.summary")
    await expect(page.locator(".conversation")).to_be_visible()

    data = await opens_the_data(person)
    await data.get_by_role("button", name="Actions for Borderland").click()
    await page.get_by_role("menuitem", name="Rename").click()
    await data.locator(".recipe-form").get_by_label("Name").fill("Margin")
    await page.keyboard.press("Enter")
    await expect(data.get_by_role("button", name="Margin", exact=True)).to_be_visible()
    await person.reload()
    data = await opens_the_data(person)
    await data.get_by_role("button", name="Actions for Margin").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await expect(data.get_by_role("region", name="Recipes")).to_have_count(0)


async def test_an_impossible_value_is_refused_with_a_possible_one(analysed: Person) -> None:
    person, page = analysed, analysed.page
    await saves_the_recipe(person, "Wide")
    data = await opens_the_data(person)
    await data.get_by_role("button", name="Wide", exact=True).click()
    distance = data.locator(".recipe-form").get_by_label("distance")
    await distance.fill("ten bananas")
    await data.get_by_role("button", name="Run").click()
    await person.wait_for("(geoagent.state.turns[1]?.end ?? null) !== null")
    await expect(page.locator(".turn-last")).to_contain_text("is not a quantity; write for example")
    assert len(await person.layers()) == 1
    assert await person.see("geoagent.state.recipes.map(it => it.name)") == ["Wide"]


async def test_a_result_is_deleted_once_no_layer_shows_it(analysed: Person) -> None:
    person, page = analysed, analysed.page
    [layer] = await person.layers()
    data = await opens_the_data(person)
    delete = data.get_by_role("button", name=f"Delete result: {layer['table']}")
    await delete.click()
    ask = data.get_by_role("group", name="Delete result")
    await expect(ask).to_contain_text(f"The layer {layer['name']} shows this result")
    await expect(ask.get_by_role("button", name="Cancel")).to_be_focused()
    await expect(ask.get_by_role("button", name="Delete result")).to_have_count(0)
    await ask.get_by_role("button", name="Cancel").press("Enter")
    await expect(ask).to_have_count(0)
    await expect(delete).to_be_focused()

    await page.get_by_role("button", name=f"Actions for {layer['name']}").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await person.wait_for("geoagent.state.layers.length === 0")
    await delete.click()
    assert await violations(person) == []
    await ask.get_by_role("button", name="Delete result").click()
    await expect(delete).to_have_count(0)
    # What it found stays in the conversation, and undo says that the layer cannot be restored.
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".toast")).to_contain_text("cannot be restored")
    assert await person.layers() == []
