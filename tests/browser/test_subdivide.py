"""A file with a shape of too many vertices: the client offers to cut it, and the pieces are on the map."""

from __future__ import annotations

import json
import math

from playwright.async_api import FilePayload, expect

from tests.browser.conftest import Enter, Serve


async def test_a_shape_of_too_many_vertices_is_loaded_in_pieces_when_the_person_agrees(
    enter: Enter, serve: Serve
) -> None:
    ring = [
        [10 + math.cos(n / 2000 * math.tau) * 20, 20 + math.sin(n / 2000 * math.tau) * 20]
        for n in range(2000)
    ]
    lake = {
        "type": "Feature",
        "properties": {"name": "lake"},
        "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
    }
    content = json.dumps({"type": "FeatureCollection", "features": [lake]}).encode()
    brought: FilePayload = {"name": "lake.geojson", "mimeType": "application/json", "buffer": content}
    server = await serve(upload_vertices=1000)
    person = await enter(server.url)
    person.outages_expected = True
    page = person.page
    await page.get_by_role("button", name="Browse and add data").click()
    await page.locator('input[type="file"]').set_input_files(brought)
    dialog = page.get_by_role("dialog", name="Upload files")
    await expect(dialog.get_by_role("alert")).to_contain_text("Try again to cut it into pieces")
    await dialog.get_by_role("button", name="Try again").click()
    await dialog.get_by_role("button", name="Load", exact=True).click()
    await person.sees("lake")
    assert (await person.layers())[0]["count"] > 1
