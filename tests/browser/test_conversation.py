"""The conversation as a person works with it: drafts, proposals to click, what a phone scrolls to."""

from __future__ import annotations

from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until

FEWEST_ROWS = True


async def test_the_page_begins_in_the_box_and_a_draft_survives_a_reload(person: Person) -> None:
    await expect(person.box).to_be_focused()
    await person.page.keyboard.type("colour countries by")
    await person.reload()
    await expect(person.box).to_have_value("colour countries by")
    await person.box.fill("show airports in red")
    await person.page.keyboard.press("Enter")
    await person.wait_for("geoagent.state.turns[0]?.end === 'done'")
    await person.reload()
    await expect(person.box).to_have_value("")


async def test_what_an_answer_proposes_is_said_by_a_click(person: Person) -> None:
    await person.says("blargh the foo")
    proposals = person.page.locator(".answer .saying")
    words = await proposals.first.inner_text()
    assert await violations(person) == []
    await proposals.first.press("Enter")
    await person.wait_for("geoagent.state.turns[1]?.end === 'done'")
    assert (await person.turns())[1]["text"] == words


async def test_a_step_does_not_say_what_the_answer_says(person: Person) -> None:
    await person.says("show airports in red")
    await expect(person.page.locator(".step-ok .step-title")).to_have_text("Add map layer")
    await expect(person.page.locator(".step-ok .step-note")).to_have_text("")


async def test_a_refusal_has_no_mark_of_success(person: Person) -> None:
    await person.says("show unicorns")
    step = person.page.locator(".step")
    await expect(step).to_have_class("step step-refused")
    await expect(step.locator(".step-title")).to_have_text("Not possible")
    await expect(step.locator(".step-mark")).to_have_text("refused")


async def test_a_phone_shows_the_question_of_a_long_answer(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    await person.says("show airports in red")
    await person.says("list the top 20 countries by population")
    inside = """() => {
        const question = [...document.querySelectorAll(".question")].at(-1)?.getBoundingClientRect();
        const list = document.querySelector(".messages").getBoundingClientRect();
        return question !== undefined && question.top >= list.top - 1 && question.bottom <= list.bottom;
    }"""
    await until(lambda: person.page.evaluate(inside))
    assert (
        await person.see(
            "(it => it.scrollHeight - it.scrollTop - it.clientHeight)(document.querySelector('.messages'))"
        )
        > 60
    )
    await person.reload()
    await until(lambda: person.page.evaluate(inside))


EDIT_AT_ONCE = """async name => {
    document.querySelector(`button[aria-label="${name}"]`).click();
    for (let turn = 0; turn < 50; turn++) await null;
    return document.activeElement?.id;
}"""
"""Presses the button, lets the page draw itself, and tells where the next key would go, before any frame."""


async def test_a_message_that_is_edited_gets_the_next_key(person: Person) -> None:
    await person.says("show airports in red")
    await person.page.locator(".map canvas").focus()
    assert await person.page.evaluate(EDIT_AT_ONCE, "Edit and ask again") == "message"
    await expect(person.box).to_have_value("show airports in red")
