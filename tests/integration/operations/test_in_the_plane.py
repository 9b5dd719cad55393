"""Operations that need a plane: their shapes are laid flat together, and each row must get its own back."""

from __future__ import annotations

import numpy as np
import pytest
import pytest_asyncio
import shapely
from pyproj import Geod, Proj
from sqlalchemy import Float, func, literal, select
from sqlalchemy.dialects.postgresql import ARRAY

from server.gis.operations.support.base import Geometry
from server.gis.operations.support.earth.azimuthal import Azimuthal
from tests.integration.operations.conftest import Bench

ROWS = 457
SEED = 11


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def scattered(bench: Bench) -> str:
    """Points around Ulm, more than go into one call; each seventh row has none, each eleventh an empty one."""
    dice = np.random.default_rng(SEED)
    places = dice.normal((10.0, 48.4), 0.3, (ROWS, 2))
    values = []
    for number, (longitude, latitude) in enumerate(places):
        shape = f"'SRID=4326;POINT({longitude:.9f} {latitude:.9f})'"
        shape = "NULL" if number % 7 == 3 else "'SRID=4326;POINT EMPTY'" if number % 11 == 5 else shape
        values.append(f"({number}, {longitude:.9f}, {latitude:.9f}, {number % 5}, {shape})")
    await bench.make(
        "DROP TABLE IF EXISTS data.scattered",
        'CREATE TABLE data.scattered (id int PRIMARY KEY, x float8, y float8, "flat" int, geom geometry(Point, 4326))',
        f"INSERT INTO data.scattered VALUES {', '.join(values)}",
    )
    return "data.scattered"


def there() -> list[int]:
    return [number for number in range(ROWS) if number % 7 != 3 and number % 11 != 5]


async def test_each_point_gets_the_voronoi_cell_that_it_lies_in(bench: Bench, scattered: str) -> None:
    rows = (await bench.run("voronoi", source=scattered)).rows
    assert sorted(rows["id"]) == there()
    assert all(cell.covers(shapely.Point(x, y)) for cell, x, y in zip(rows.geom, rows.x, rows.y, strict=True))
    assert len({cell.wkb for cell in rows.geom}) == len(rows)
    assert set(rows["flat"]) == {0, 1, 2, 3, 4}


@pytest.mark.reference("delaunay")
async def test_delaunay_triangles_are_those_of_geos_in_the_plane(bench: Bench, scattered: str) -> None:
    rows = (await bench.run("delaunay", source=scattered)).rows
    points = (await bench.run("filter", source=scattered, filter="id >= 0")).rows.set_index("id").loc[there()]
    plane = Proj(proj="aeqd", lat_0=points.y.mean(), lon_0=points.x.mean(), datum="WGS84")
    flat = shapely.multipoints(np.stack(plane(points.x.to_numpy(), points.y.to_numpy()), axis=1))
    assert len(rows) == len(shapely.delaunay_triangles(flat).geoms)


@pytest.mark.reference("cluster")
async def test_dbscan_joins_what_is_near_on_the_earth(bench: Bench, scattered: str) -> None:
    """With clusters of one, DBSCAN gives the parts of the graph of all pairs within the distance."""
    metres = 2_000.0
    rows = (await bench.run("cluster", source=scattered, distance=f"{metres} m", minimum=1)).rows
    assert sorted(rows["id"]) == there()
    found: dict[int, set[int]] = {}
    for number, cluster in zip(rows["id"], rows["cluster"], strict=True):
        found.setdefault(cluster, set()).add(number)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, joined(rows, metres)))
    assert all(
        np.allclose((shape.x, shape.y), (x, y)) for shape, x, y in zip(rows.geom, rows.x, rows.y, strict=True)
    )


def joined(rows, metres: float) -> list[set[int]]:
    """Rows that are linked by steps of at most so many metres, on the spheroid."""
    geod = Geod(ellps="WGS84")
    left, groups = set(range(len(rows))), []
    x, y, numbers = rows.x.to_numpy(), rows.y.to_numpy(), rows["id"].to_numpy()
    while left:
        group = frontier = {left.pop()}
        while frontier:
            others = np.array(sorted(left), dtype=int)
            near = set()
            for one in frontier:
                size = len(others)
                _, _, away = geod.inv(np.full(size, x[one]), np.full(size, y[one]), x[others], y[others])
                near |= set(others[np.asarray(away) <= metres].tolist())
            left -= near
            group, frontier = group | near, near
        groups.append({int(numbers[each]) for each in group})
    return groups


async def test_within_a_utm_zone_that_zone_is_the_plane(bench: Bench, scattered: str) -> None:
    """PostGIS knows zones by their numbers, so shapes need not be laid flat together; the receipt names the zone."""
    answer = await bench.run("grid", source=scattered, size="10 km", shape="square")
    assert any("UTM zone 32N (EPSG:32632)" in note for note in answer.receipt.notes)
    points = (await bench.run("filter", source=scattered, filter="id >= 0")).rows.set_index("id").loc[there()]
    x, y = Proj("EPSG:32632")(points.x.to_numpy(), points.y.to_numpy())
    _, counts = np.unique(np.floor(np.stack([x, y]) / 10_000), axis=1, return_counts=True)
    assert sorted(answer.rows["count"]) == sorted(counts)
    areas = [abs(Geod(ellps="WGS84").geometry_area_perimeter(cell)[0]) for cell in answer.rows.geom]
    assert np.allclose(areas, 1e8, rtol=1e-3)
    for operation, arguments in (("cluster", {"distance": "2 km"}), ("simplify", {"tolerance": "1 km"})):
        source = scattered if operation == "cluster" else await tracks(bench)
        notes = (await bench.run(operation, source=source, **arguments)).receipt.notes
        assert any("EPSG:32632" in note for note in notes), operation


async def tracks(bench: Bench) -> str:
    """Two lines near Ulm, and a row without one."""
    await bench.make(
        "CREATE TABLE data.tracks AS SELECT n AS id, CASE WHEN n < 3 THEN ST_SetSRID(ST_MakeLine(ARRAY("
        "SELECT ST_MakePoint(10 + 0.01 * i, 48 + n + 0.002 * (i % 2)) FROM generate_series(0, 30) i)), 4326) END"
        "::geometry(LineString, 4326) AS geom FROM generate_series(1, 3) n"
    )
    return "data.tracks"


async def test_lines_simplified_in_a_zone_stay_within_the_tolerance(bench: Bench) -> None:
    await bench.make("DROP TABLE IF EXISTS data.tracks")
    source = await tracks(bench)
    before = (await bench.run("filter", source=source, filter="id >= 0")).rows.set_index("id")
    after = (await bench.run("simplify", source=source, tolerance="300 m")).rows.set_index("id")
    assert after.geom[3] is None
    for number in (1, 2):
        assert len(after.geom[number].coords) == 2 < len(before.geom[number].coords)
        assert after.geom[number].coords[0] == pytest.approx(before.geom[number].coords[0], abs=1e-9)


@pytest.mark.parametrize(
    ("latitude", "longitude"), [(48.0, 9.0), (-71.5, 179.2), (0.0, -100.0), (88.0, 20.0)]
)
async def test_points_are_placed_around_the_data_as_proj_places_them(
    bench: Bench, latitude: float, longitude: float
) -> None:
    dice = np.random.default_rng(SEED)
    away = dice.uniform(-20, 20, (200, 2))
    x, y = (longitude + away[:, 0] + 180) % 360 - 180, np.clip(latitude + away[:, 1], -90, 90)
    both = [literal(each.tolist(), ARRAY(Float)) for each in (x, y)]
    rows = func.unnest(*both).table_valued("x", "y", name="places").render_derived()
    point = func.ST_SetSRID(func.ST_MakePoint(rows.c.x, rows.c.y), 4326, type_=Geometry())
    given = select(point.label("point"), rows.c.x, rows.c.y).offset(0).subquery("given")
    columns = [given.c.x.label("x"), given.c.y.label("y")]
    placed = Azimuthal(latitude, longitude).placed(given, given.c.point, columns, "spot")
    asked = select(func.ST_X(placed.c.spot), func.ST_Y(placed.c.spot), placed.c.x, placed.c.y)
    async with bench.database.reader.connect() as connection:
        found = np.array([tuple(row) for row in await connection.execute(asked)])
    plane = Proj(proj="laea", lat_0=latitude, lon_0=longitude, datum="WGS84")
    assert np.abs(np.stack(plane(found[:, 2], found[:, 3])) - found[:, :2].T).max() < 1e-5


async def test_cells_of_data_wider_than_a_zone_hold_the_points_that_they_count(bench: Bench) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.spread",
        "CREATE TABLE data.spread (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.spread SELECT n, ST_SetSRID(ST_MakePoint(2 + (n * 7919 % 14000) / 1000.0,"
        " 42 + (n * 104729 % 12000) / 1000.0), 4326) FROM generate_series(1, 3000) AS n",
    )
    answer = await bench.run("grid", source="data.spread", size="50 km", shape="hexagon")
    assert any("equal-area" in note for note in answer.receipt.notes)
    cells = answer.rows
    assert len(cells) > 200, "more than are transformed together"
    assert cells["count"].sum() == 3000
    spots = (await bench.run("filter", source="data.spread", filter="id >= 0")).rows
    tree = shapely.STRtree(spots.geom.to_numpy())
    inside = [len(tree.query(cell, predicate="contains")) for cell in cells.geom]
    # The sides of cells are not quite straight on the map.
    assert np.abs(np.array(inside) - cells["count"].to_numpy()).sum() < 30
