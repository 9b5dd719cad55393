"""The page in Arabic: what the server says is said in Arabic, too, with names and requests as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person

REFUSED = (
    "show unicorns",
    "check airports",
    "colour airports by weather",
    "only airports where elevation_m is Paris",
    "zoom to Nowhereland",
    "drop the table airports",
    "pie chart of countries by continent",
    "buffer airports in Malta by 50000 km",
    "distances between the airports and the cities",
)
SENTENCES = r"""(selector) => {
  const kept = /“[^”]*”|`[^`]*`|\u2068[^\u2066-\u2069]*\u2069|\u2066[^\u2066-\u2069]*\u2069/g;
  const found = [];
  for (const each of document.querySelectorAll(selector)) {
    if (!each.checkVisibility()) continue;
    const copy = each.cloneNode(true);
    for (const request of copy.querySelectorAll(".saying")) request.remove();
    let text = copy.textContent;
    while (kept.test(text)) text = text.replace(kept, " ");
    found.push(...(text.match(/[A-Za-z]{2,}(?: [a-z]{2,}){2,}/g) ?? []));
  }
  return found;
}"""
"""Words of English one after the other, outside of names, values and requests, which are marked, in quotation
marks, or buttons."""
CHAT = ".answer .markdown, .step-note"


async def english(person: Person, selector: str) -> list[str]:
    found: list[str] = await person.page.evaluate(SENTENCES, selector)
    return found


async def test_refusals_and_the_lines_of_calls_are_in_arabic(enter: Enter, world: Server) -> None:
    person = await enter(world.url, locale="ar")
    await person.says("show airports in Italy in red")
    for request in REFUSED:
        await person.says(request)
        assert await english(person, CHAT) == [], request
    await expect(person.page.locator(".answer").last).to_contain_text("لا")


async def test_what_was_undone_and_what_commands_do_are_in_arabic(enter: Enter, world: Server) -> None:
    person = await enter(world.url, locale="ar")
    page = person.page
    await person.says("show airports")
    await person.box.fill("/re")
    offer = page.get_by_role("option", name="/reset")
    await expect(offer).to_contain_text("إزالة كل الطبقات")
    await person.box.fill("")
    await page.get_by_role("button", name="تراجع", exact=True).click()
    await expect(page.get_by_role("status").filter(has_text="إضافة")).to_contain_text("تم التراجع: إضافة")


async def test_faults_of_exports_and_uploads_are_in_arabic(
    enter: Enter, world: Server, tmp_path: Path
) -> None:
    person = await enter(world.url, locale="ar")
    person.outages_expected = True  # The browser notes refusals on its console.
    page = person.page
    await person.says("show airports in Italy")
    await page.get_by_role("button", name="القائمة", exact=True).click()
    await page.get_by_role("menuitem", name="تصدير إلى ملف").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("نظام الإحداثيات").fill("EPSG:999999")
    await dialog.get_by_role("button", name="تصدير", exact=True).click()
    await expect(dialog.get_by_role("alert")).to_contain_text("غير معروف في قاعدة البيانات")
    await page.keyboard.press("Escape")

    file = tmp_path / "towns.zip"
    file.write_bytes(b"no archive")
    await page.get_by_role("button", name="القائمة", exact=True).click()
    await page.get_by_role("menuitem", name="البيانات").click()
    await page.locator('input[type="file"]').set_input_files(file)
    fault = page.get_by_role("alert").filter(has_text="towns.zip")
    await expect(fault).to_contain_text("لا يمكن قراءة الأرشيف")


@pytest.mark.parametrize("width", [1440, 390])
async def test_the_beginning_of_a_layers_name_is_seen_while_the_pointer_is_on_it(
    enter: Enter, world: Server, width: int
) -> None:
    person = await enter(world.url, width=width, height=844, locale="ar")
    page = person.page
    await person.says("airports within 100 km of Berlin")
    if width < 700:
        await page.locator(".layers-title").click()
    name = page.locator(".layer-name")
    await name.hover()
    box = await name.bounding_box()
    assert box is not None
    first = "([x, y]) => document.elementFromPoint(x, y).className"
    assert await page.evaluate(first, [box["x"] + 8, box["y"] + box["height"] / 2]) == "layer-name"
    if width > 700:
        zoom = page.locator(".layer-line").get_by_role("button", name="التكبير إلى الطبقة")
        await expect(zoom).to_be_visible()
        await expect(zoom).to_have_css("opacity", "1")
