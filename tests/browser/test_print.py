"""The map as a sheet: a PNG and a PDF at 300 dpi."""

from __future__ import annotations

import base64
import re
import struct
from pathlib import Path

import pytest
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import PIXELS, Person
from tests.browser.test_access import violations

FEWER_ROWS = True

HALF_RED = (254, 147, 147)
"""Red at half of its 85 percent, over the white of the legend; over the sea of the map it is another."""


async def printed(person: Person, tmp_path: Path, **choices: str) -> bytes:
    """Opens the dialog, chooses, and keeps the file."""
    page = person.page
    await page.get_by_role("button", name="Menu", exact=True).click()
    await page.get_by_role("menuitem", name="Print as PDF or PNG").click()
    dialog = page.get_by_role("dialog", name="Print the map")
    await dialog.get_by_label("Title").fill("Airports near Berlin")
    for label, choice in choices.items():
        await dialog.get_by_label(label).select_option(choice)
    assert await violations(person) == []
    async with page.expect_download() as download:
        await dialog.get_by_role("button", name="Create file").click()
    await expect(dialog).to_have_count(0)
    path = tmp_path / (await download.value).suggested_filename
    await (await download.value).save_as(path)
    return path.read_bytes()


async def count(person: Person, png: bytes, colour: tuple[int, int, int]) -> int:
    picture = base64.b64encode(png).decode()
    return int((await person.page.evaluate(PIXELS, [picture, *colour, 8]))["count"])


@pytest.mark.pixels
async def test_a_png_has_300_dpi_and_a_legend(enter: Enter, world: Server, tmp_path: Path) -> None:
    person = await enter(world.url, dark=True)
    await person.says("show airports in red")
    await person.says("set the opacity of airports to 50%")
    await person.looks_at(13.4, 52.5, 7)
    await person.sees("airports")
    png = await printed(person, tmp_path, Format="png")
    assert struct.unpack(">II", png[16:24]) == (3508, 2480)
    at = png.index(b"pHYs")
    assert struct.unpack(">IIB", png[at + 4 : at + 13]) == (11811, 11811, 1)
    assert await count(person, png, HALF_RED) > 300, "the legend is as translucent as the map"


async def test_a_pdf_has_the_size_of_its_paper(enter: Enter, world: Server, tmp_path: Path) -> None:
    person = await enter(world.url)
    await person.says("show airports in red")
    pdf = await printed(person, tmp_path, Format="pdf", Paper="Letter", Orientation="portrait")
    assert pdf.startswith(b"%PDF-1.")
    [box] = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    assert [round(float(each)) for each in box] == [612, 792]
    assert re.search(rb"/Width 2550\b", pdf)
    assert re.search(rb"/Height 3300\b", pdf)
