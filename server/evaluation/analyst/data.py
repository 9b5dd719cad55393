"""The data of the suite: files in awkward reference systems, encodings and types, made by formulas and loaded.

- `eval_parcels` (GeoPackage, EPSG:2154): 20 squares of 100 m in 4 rows of 5, from (700000, 6600000) on; `parcel_id` 001
  to 020 as text, `zone` A to D by row, `price` as text: 1000 times the number, `n/a` for 020.
- `eval_zones` (Shapefile in ISO-8859-1, EPSG:2154): the 4 rows as rectangles, with names of French accents.
- `eval_trees` (CSV in Windows-1252 with semicolons, degrees): 12 trees at 7° + n/100, 50°.
- `eval_wells` (GeoJSON, EPSG:4326): 3 points near the date line, at -17°, one without a depth.
- `eval_roads` (FlatGeobuf, EPSG:25832): 3 straight roads of 1, 2 and 3 km, the third of two parts.
- `eval_sales` (Excel): two sales of each parcel from 001 to 010, of 100 and 200 times its number.
- `eval_survey` (CSV with semicolons): 4 rows whose columns are called `order` and `名前` too, with booleans as words,
  decimal commas, days as DD.MM.YYYY (30.02. is not a date) and times with a zone.
- `eval_sites` (GeoPackage, EPSG:27700): a point, a line, an area, an area of two parts, and a row without a shape.
- `eval_polar` (GeoPackage, EPSG:5041): a square of 2000 km around the pole, and one of 100 km beside it."""

from __future__ import annotations

import asyncio
import tempfile
import zipfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pyarrow as pa
import pyogrio
import shapely

from server.database.engines import Database
from server.gis.ingest import load_file

PARCELS, SIDE, ACROSS = 20, 100, 5
WEST, SOUTH = 700_000, 6_600_000
ZONES = ("Bâti", "Forêt", "Été", "Pré")
FILES = {
    "eval_parcels": "parcels.gpkg", "eval_zones": "zones.zip", "eval_trees": "trees.csv",
    "eval_wells": "wells.geojson", "eval_roads": "roads.fgb", "eval_sales": "sales.xlsx",
    "eval_survey": "survey.csv", "eval_sites": "sites.gpkg", "eval_polar": "polar.gpkg",
}  # fmt: skip
SURVEY = """order;code;open;amount;day;seen;名前
1;001;yes;1.234,50;31.12.2023;2024-03-31T00:30:00+02:00;北京
2;002;no;99,90;01.02.2024;2024-03-31T12:00:00Z;上海
3;003;TRUE;n/a;30.02.2024;;東京
4;004;0;-5,00;15.07.2024;2024-07-01T23:00:00-05:00;
"""


@asynccontextmanager
async def loaded(database: Database) -> AsyncIterator[None]:
    """The tables are there until the block ends."""
    await _drop(database)
    try:
        with tempfile.TemporaryDirectory(prefix="geoagent-eval-") as folder:
            await asyncio.to_thread(write_files, Path(folder))
            for table, file in FILES.items():
                await load_file(database, Path(folder) / file, table)
        yield
    finally:
        await _drop(database)


def write_files(folder: Path) -> None:
    """All files of the suite."""
    numbers = range(1, PARCELS + 1)
    corners = [(WEST + (n - 1) % ACROSS * SIDE, SOUTH + (n - 1) // ACROSS * SIDE) for n in numbers]
    _write(
        folder / FILES["eval_parcels"],
        {
            "parcel_id": [f"{n:03}" for n in numbers],
            "zone": ["ABCD"[(n - 1) // ACROSS] for n in numbers],
            "price": ["n/a" if n == PARCELS else str(1000 * n) for n in numbers],
        },
        [shapely.box(x, y, x + SIDE, y + SIDE) for x, y in corners],
        "EPSG:2154",
    )
    strips = [
        shapely.box(WEST, SOUTH + n * SIDE, WEST + ACROSS * SIDE, SOUTH + (n + 1) * SIDE) for n in range(4)
    ]
    _write(
        folder / "zones.shp",
        {"code": list("ABCD"), "nom": list(ZONES)},
        strips,
        "EPSG:2154",
        ENCODING="ISO-8859-1",
    )
    with zipfile.ZipFile(folder / FILES["eval_zones"], "w") as archive:
        for suffix in (".shp", ".shx", ".dbf", ".prj", ".cpg"):
            archive.write(folder / f"zones{suffix}", f"zones{suffix}")
    lines = [
        f"{n};{'Grüne Eiche' if n % 2 else 'Weiße Birke'};{n / 2:.1f};{7 + n / 100:.2f};50.0"
        for n in range(1, 13)
    ]
    text = "\n".join(["nr;art;höhe;lon;lat", *lines]) + "\n"
    (folder / FILES["eval_trees"]).write_bytes(text.encode("cp1252"))
    _write(
        folder / FILES["eval_wells"],
        {"well": ["a", "b", "c"], "depth": [10.5, 20.25, None]},
        [shapely.Point(x, -17) for x in (179.5, -179.5, -179.0)],
        "EPSG:4326",
    )
    roads = [_road(0, 1000), _road(100, 2000), shapely.union(_road(200, 1000), _road(300, 2000))]
    _write(
        folder / FILES["eval_roads"],
        {"name": ["A", "B", "C"], "lanes": [1, 2, 3]},
        roads,
        "EPSG:25832",
        geometry_type="Unknown",
    )
    sales = [(f"{n:03}", half, 100 * n * half) for n in range(1, 11) for half in (1, 2)]
    columns = zip(("parcel_id", "half", "amount"), zip(*sales, strict=True), strict=True)
    table = pa.table({name: pa.array(values) for name, values in columns})
    pyogrio.write_arrow(table, folder / FILES["eval_sales"], layer="Sales", driver="XLSX")
    _write_awkward(folder)


def _write_awkward(folder: Path) -> None:
    """Texts that mean other types, shapes of several kinds, and areas around a pole."""
    (folder / FILES["eval_survey"]).write_text(SURVEY, "utf-8")
    south, north = (shapely.box(400_000, y, 401_000, y + 1000) for y in (300_000, 302_000))
    sites = {
        "mast": shapely.Point(400_500.25, 300_500.75),
        "path": shapely.LineString([(400_000, 300_000), (400_300, 300_400)]),
        "field": south,
        "farm": shapely.MultiPolygon([south, north]),
        "lost": None,
    }
    _write(
        folder / FILES["eval_sites"],
        {"site": list(sites)},
        [*sites.values()],
        "EPSG:27700",
        geometry_type="Unknown",
    )
    squares = [shapely.box(1e6, 1e6, 3e6, 3e6), shapely.box(4e6, 2e6, 4.1e6, 2.1e6)]
    _write(folder / FILES["eval_polar"], {"name": ["cap", "floe"]}, squares, "EPSG:5041")


def _road(north: int, length: int) -> shapely.LineString:
    return shapely.LineString([(500_000, 5_600_000 + north), (500_000 + length, 5_600_000 + north)])


def _write(
    path: Path,
    columns: Mapping[str, Sequence[object]],
    shapes: Sequence[shapely.Geometry | None],
    crs: str,
    *,
    geometry_type: str | None = None,
    **options: str,
) -> None:
    table = pa.table({**columns, "geom": pa.array(shapely.to_wkb(shapes), pa.binary())})
    pyogrio.write_arrow(
        table,
        path,
        geometry_name="geom",
        geometry_type=geometry_type or str(next(each.geom_type for each in shapes if each is not None)),
        crs=crs,
        **options,
    )


async def _drop(database: Database) -> None:
    async with database.owner.begin() as connection:
        for table in FILES:
            await connection.exec_driver_sql(f"DROP TABLE IF EXISTS data.{table}")
