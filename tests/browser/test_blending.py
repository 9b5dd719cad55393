"""A layer's colours combine with those below it as was asked for: said in words, chosen by hand, seen in the pixels."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until
from tests.support.server import client

pytestmark = pytest.mark.pixels

SHAPES = """
CREATE TABLE data.ground (id integer PRIMARY KEY, geom geometry(Polygon, 4326));
INSERT INTO data.ground VALUES (1, ST_MakeEnvelope(-20, -10, 20, 10, 4326));
CREATE TABLE data.shapes (id integer PRIMARY KEY, geom geometry(Geometry, 4326));
INSERT INTO data.shapes VALUES
    (1, ST_MakeEnvelope(-12, -2, -8, 2, 4326)),
    (2, ST_SetSRID(ST_MakeLine(ST_MakePoint(0, -3), ST_MakePoint(0, 3)), 4326)),
    (3, ST_SetSRID(ST_MakePoint(10, 0), 4326));
"""
PLACES = {"fill": (-10, 0), "line": (0, 0), "circle": (10, 0)}
"""By what is drawn, the coordinates of a point in its middle."""

COLOURS = """async ([picture, places]) => {
    const image = new Image();
    image.src = "data:image/png;base64," + picture;
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    const box = geoagent.map.getContainer().getBoundingClientRect();
    return places.map(place => {
        const { x, y } = geoagent.map.project(place);
        return [...pen.getImageData(box.x + x, box.y + y, 1, 1).data].slice(0, 3).map(channel => channel / 255);
    });
}"""
BRAZIL = (-53.0, -10.0)
BLUE = (0.0, 0.0, 1.0)
BLENDS: dict[str, Callable[[float, float, float], float]] = {
    "normal": lambda below, drawn, share: below * (1 - share) + drawn * share,
    "multiply": lambda below, drawn, share: below * (1 - share + drawn * share),
    "screen": lambda below, drawn, share: below + share * drawn * (1 - below),
    "add": lambda below, drawn, share: min(1.0, below + share * drawn),
}
"""By blend, one channel of the colour that comes of what is below and of a drawn colour with an opacity."""

Colour = list[float]


async def colours(person: Person, *places: tuple[float, float]) -> list[Colour]:
    """At these coordinates of the map, as shares of red, green and blue."""
    await person.wait_for("geoagent.map.loaded() && !geoagent.map.isMoving()")
    seen = base64.b64encode(await person.page.screenshot()).decode()
    found: list[Colour] = await person.page.evaluate(COLOURS, [seen, places])
    return found


def opacities(layer: dict[str, Any]) -> dict[str, float]:
    """By what is drawn of a layer, how opaque it is."""
    return {draw["type"]: draw["paint"].get(f"{draw['type']}-opacity") for draw in layer["style"]["layers"]}


async def look_blended(
    person: Person,
    layer_id: str,
    blend: str,
    below: dict[str, Colour],
    places: dict[str, tuple[float, float]],
) -> None:
    """Waits until the layer, which is blue, is drawn with this blend over what was seen before, everywhere."""

    async def as_computed() -> bool:
        # The page may learn of the layer after the server has added it.
        layer = next((each for each in await person.layers() if each["id"] == layer_id), None)
        if layer is None:
            return False
        opaque = opacities(layer)
        seen = dict(zip(places, await colours(person, *places.values()), strict=True))
        return bool(layer["style"]["blend"] == blend) and all(
            seen[shape]
            == pytest.approx(
                [BLENDS[blend](*pair, opaque[shape]) for pair in zip(below[shape], BLUE, strict=True)],
                abs=0.01,
            )
            for shape in places
        )

    await until(as_computed, pause=0.1)


async def test_fills_lines_and_circles_combine_with_what_is_below(
    enter: Enter, world: Server, samples_url: str
) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(SHAPES)
    await connection.close()
    await until(lambda: {"data.ground", "data.shapes"} <= {table.id for table in world.registry.tables()})
    async with client(world) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.ground", style={"color": "#e08040"})
        person = await enter(f"{world.url}/m/{one.map_id}", width=1440)
        await person.looks_at(0, 0, 4)
        await person.sees("ground")
        seen = dict(zip(PLACES, await colours(person, *PLACES.values()), strict=True))
        style = {"color": "#0000ff", "size": 20}
        await one.ask("layer_add", table="data.shapes", style=style)
        for blend in ("normal", "multiply", "screen", "add", "normal"):
            await one.ask("layer_update", layer_id="shapes", style={**style, "blend": blend})
            await look_blended(person, "shapes", blend, seen, PLACES)


async def copied(person: Person) -> dict[str, Any] | None:
    layers = await person.layers()
    return layers[1] if len(layers) > 1 else None


async def test_a_blend_is_asked_for_in_words_and_chosen_by_hand(person: Person) -> None:
    page = person.page
    await person.says("show countries in orange")
    await person.sees("countries")
    await person.looks_at(*BRAZIL, 5)
    [orange] = await colours(person, BRAZIL)
    await page.get_by_role("button", name="Actions for countries").click()
    await page.get_by_role("menuitem", name="Duplicate").click()
    copy = await until(lambda: copied(person), pause=0.1)
    layer_id, name = copy["id"], copy["name"]
    await person.says(f"colour {name} blue")

    async def looks(blend: str) -> None:
        await look_blended(person, layer_id, blend, {"fill": orange}, {"fill": BRAZIL})

    await looks("normal")
    assert "multiply" in await person.says(f"blend {name} with multiply")
    await looks("multiply")
    await person.says(f"draw {name} with screen blending")
    await looks("screen")
    await person.says(f"stop blending {name}")
    await looks("normal")
    await page.locator(f'[data-layer="{layer_id}"] .layer-name').click()
    await page.get_by_label("Blend").select_option("add")
    await looks("add")
