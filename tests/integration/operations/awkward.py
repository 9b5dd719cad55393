"""Tables as they come: empty, broken, in other dimensions and reference systems, with awful names.

Each has a column of numbers and one of texts. `AWKWARD` maps a word for what is awkward to the registry's id."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence

from server.gis.expressions.identifiers import join_id

Corners = Sequence[tuple[float, float]]
ROWS = "id int PRIMARY KEY, n float, t text"

LONG = "a_column_with_a_name_of_exactly_sixty_three_bytes_as_postgres"
AWFUL_TABLE = "we\"ird % :tab'le; -- ünï😀 \\ $1 %(x)s {}"
AWFUL_COLUMNS = (
    "select", "a b", '"quoted"', "it's", "100%", "%(x)s", ":id", "x.y", "$1", "naïve – 😀", "back\\slash", "UPPER",
    "{}", "/*", "--", f"{LONG}_a", f"{LONG}_b",
)  # fmt: skip
TAKEN_COLUMNS = (
    (
        "geog",
        "origin",
        "destination",
        "distance_m",
        "metres",
        "count",
        "rank",
        "part",
        "cluster",
        "z",
        "p",
        "spot",
    ),
    (
        "neighbours",
        "features",
        "points",
        "first",
        "last",
        "length_m",
        "shape",
        "own",
        "taken",
        "from_table",
        "fid",
    ),
    (
        "s1",
        "s2",
        "value",
        "place",
        "number",
        "near_id",
        "near_id_2",
        "id_2",
        "area_m2",
        "was_wrong",
        "triangle",
    ),
    (
        "only_in",
        "tableoid_2",
        "away",
        "figure",
        "cell",
        "a0",
        "n_2",
        "t_2",
        "sum_n",
        "geometry_type",
        "near_n",
    ),
)
"""What our own SQL and our own results call things."""


def _at(x: float, y: float) -> str:
    """A point as PostGIS's hexadecimal form, because its text knows no infinity."""
    return struct.pack("<BIIdd", 1, 0x20000001, 4326, x, y).hex()


def _lines(*each: Corners) -> list[str]:
    return [_written(2, _counted(corners)) for corners in each]


def _areas(*each: Corners) -> list[str]:
    return [_written(3, struct.pack("<I", 1) + _counted([*corners, corners[0]])) for corners in each]


def _points(*each: Corners) -> list[str]:
    return [_written(4, struct.pack("<I", len(corners)) + b"".join(map(_part, corners))) for corners in each]


def _written(kind: int, body: bytes) -> str:
    return (struct.pack("<BII", 1, 0x20000000 | kind, 4326) + body).hex()


def _counted(corners: Corners) -> bytes:
    return struct.pack("<I", len(corners)) + b"".join(struct.pack("<dd", *each) for each in corners)


def _part(corner: tuple[float, float]) -> bytes:
    return struct.pack("<BIdd", 1, 1, *corner)


_NAN, _INF = math.nan, math.inf
_NOWHERE = (
    [(_NAN, 1.0), (2.0, 3.0), (1.0, 1.0)],
    [(0.0, 0.0), (1.0, _INF), (1.0, 1.0)],
    [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (_NAN, _NAN)],
    [(_NAN, 1.0), (_NAN, 2.0), (_NAN, 3.0)],
    [(-_INF, -_INF), (-_INF, -_INF), (-_INF, -_INF)],
    [(-179.0, 1.0), (3.0, 1e300), (179.0, 5.0)],
    [(0.0, 0.0), (1e30, 0.0), (1.0, 1.0)],
    [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)],
)
"""Corners that stop PostgreSQL where they are computed with, and in the end some that do not."""

_SHAPES: Mapping[str, tuple[str, Sequence[str | None]]] = {
    "plain": (
        "geometry(Polygon, 4326)",
        [f"POLYGON(({x} 50, {x + 1} 50, {x + 1} 51, {x} 51, {x} 50))" for x in range(6)],
    ),
    "plain points": ("geometry(Point, 4326)", [f"POINT({x / 2 + 0.1} 50.5)" for x in range(6)]),
    "plain lines": (
        "geometry(LineString, 4326)",
        [f"LINESTRING({x} 50.2, {x + 0.7} 50.7, {x + 1.5} 50.3)" for x in range(6)],
    ),
    "no rows": ("geometry(MultiPolygon, 4326)", []),
    "only nulls": ("geometry(Point, 4326)", [None, None, None, None, None]),
    "empty shapes": ("geometry(Geometry, 4326)", ["POINT EMPTY", "POLYGON EMPTY", "GEOMETRYCOLLECTION EMPTY", None]),
    "one row": ("geometry(Point, 4326)", ["POINT(1 50)"]),
    "one place": ("geometry(Point, 4326)", ["POINT(1 50)"] * 6),
    "on a line": ("geometry(Point, 4326)", [f"POINT({x} 0)" for x in range(6)]),
    "invalid": (
        "geometry(Polygon, 4326)",
        [
            "POLYGON((0 50, 1 51, 1 50, 0 51, 0 50))",
            "POLYGON((0 50, 1 50, 1 51, 0 51, 0 50), (3 53, 4 53, 4 54, 3 53))",
            "POLYGON((0 50, 1 50, 2 50, 0 50))",
            "POLYGON((0 50, 2 50, 2 51, 1 51, 1 52, 1 51, 0 51, 0 50))",
            "POLYGON((2 50, 3 50, 3 51, 2 51, 2 50), (2 50, 3 50, 3 51, 2 51, 2 50))",
            None,
        ],
    ),
    "mixed": (
        "geometry(Geometry, 4326)",
        [
            "POINT(1 50)",
            "MULTIPOINT((1 50), (2 51))",
            "LINESTRING(1 50, 2 51)",
            "POLYGON((0 50, 1 50, 1 51, 0 51, 0 50))",
            "GEOMETRYCOLLECTION(POINT(1 50), LINESTRING(1 50, 2 51), POLYGON((0 50, 1 50, 1 51, 0 50)))",
            None,
        ],
    ),
    "points with z": ("geometry(PointZ, 4326)", [f"POINT Z({x} 50.5 {x * 100})" for x in range(5)]),
    "lines with zm": ("geometry(LineStringZM, 4326)", [f"LINESTRING ZM({x} 50 1 2, {x + 2} 51 3 4)" for x in range(5)]),
    "polygons with z": (
        "geometry(MultiPolygonZ, 4326)",
        [f"MULTIPOLYGON Z((({x} 50 1, {x + 1} 50 2, {x + 1} 51 3, {x} 51 4, {x} 50 1)))" for x in range(5)],
    ),
    "points with m": ("geometry(PointM, 4326)", [f"POINT M({x} 50.5 {x})" for x in range(5)]),
    "anything, undeclared": (
        "geometry",
        [
            "SRID=4326;POINT(1 50)",
            "SRID=4326;POINT Z(1 50 3)",
            "SRID=4326;LINESTRING M(1 50 1, 2 51 2)",
            "SRID=4326;POLYGON ZM((0 50 1 1, 1 50 1 1, 1 51 1 1, 0 50 1 1))",
            None,
        ],
    ),
    "curves": (
        "geometry",
        [
            "SRID=4326;CURVEPOLYGON(CIRCULARSTRING(0 50, 1 51, 2 50, 1 49, 0 50))",
            "SRID=4326;COMPOUNDCURVE(CIRCULARSTRING(0 50, 1 51, 2 50), (2 50, 3 50))",
            "SRID=4326;CIRCULARSTRING(0 50, 1 51, 2 50)",
            "SRID=4326;TRIANGLE((0 50, 1 50, 1 51, 0 50))",
        ],
    ),
    "solids": (
        "geometry",
        [
            "SRID=4326;TIN Z(((0 50 0, 1 50 0, 1 51 1, 0 50 0)))",
            "SRID=4326;POLYHEDRALSURFACE Z(((0 50 0, 1 50 0, 1 51 1, 0 50 0)), ((0 50 0, 1 51 1, 0 51 0, 0 50 0)))",
        ],
    ),
    "web mercator": ("geometry(Point, 3857)", [f"POINT({x * 50_000} 6_500_000)".replace("_", "") for x in range(6)]),
    "utm": (
        "geometry(Polygon, 25833)",
        [
            f"POLYGON(({x} 5800000, {x + 900} 5800000, {x + 900} 5800900, {x} 5800900, {x} 5800000))"
            for x in range(390_000, 395_000, 1000)
        ],
    ),
    "no reference system": (
        "geometry(Polygon)",
        ["POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))", "POLYGON((1 0, 2 0, 2 1, 1 0))"],
    ),
    "two reference systems": (
        "geometry",
        ["SRID=4326;POINT(1 50)", "SRID=4326;POINT(2 50)", "SRID=3857;POINT(100000 6500000)"],
    ),
    "geography": ("geography(Point, 4326)", [f"POINT({x} 50)" for x in range(6)]),
    "geography, undeclared": ("geography", ["POINT Z(1 50 7)", "POLYGON((0 50, 1 50, 1 51, 0 51, 0 50))", None]),
    "antimeridian": (
        "geometry(MultiPolygon, 4326)",
        [
            "MULTIPOLYGON(((179 -17, 180 -17, 180 -16, 179 -16, 179 -17)), ((-180 -17, -179 -17, -179 -16, -180 -17)))",
            "MULTIPOLYGON(((179.5 10, 180.5 10, 180.5 11, 179.5 11, 179.5 10)))",
            "MULTIPOLYGON(((170 0, 178 0, 178 3, 170 3, 170 0)))",
            "MULTIPOLYGON(((-178 0, -170 0, -170 3, -178 3, -178 0)))",
        ],
    ),
    "antimeridian lines": (
        "geometry(LineString, 4326)",
        [
            "LINESTRING(179 1, -179 2)",
            "LINESTRING(179 1, 181 2)",
            "LINESTRING(-179 5, -178 6)",
            "LINESTRING(180 0, 180 3)",
        ],
    ),
    "poles": (
        "geometry(Geometry, 4326)",
        [
            "POINT(0 90)",
            "POINT(120 -90)",
            "POLYGON((-180 80, 180 80, 180 90, -180 90, -180 80))",
            "LINESTRING(0 85, 180 85)",
            "POINT(5 89.99)",
        ],
    ),
    "off the earth": (
        "geometry(Geometry, 4326)",
        ["POINT(500 100)", "LINESTRING(-300 0, 300 95)", "POINT(1e30 1e30)", "POINT(1 2)", "POINT(2 3)"],
    ),
    "lines nowhere": ("geometry(LineString, 4326)", _lines(*_NOWHERE)),
    "areas nowhere": ("geometry(Polygon, 4326)", _areas(*_NOWHERE)),
    "anything nowhere": (
        "geometry",
        [*_points(*_NOWHERE), *_lines(*_NOWHERE[:3]), *_areas(*_NOWHERE[:3])],
    ),
    "areas of no extent": (
        "geometry(Polygon, 4326)",
        ["POLYGON((5 5, 5 5, 5 5, 5 5))", "POLYGON((0 0, 1 1, 2 2, 0 0))", "POLYGON((1 1, 1 1, 1 1, 1 1))", None],
    ),
    "points with gaps": (
        "geometry(MultiPoint, 4326)",
        ["MULTIPOINT(1 50, EMPTY)", "MULTIPOINT(EMPTY, EMPTY, 3 50)", "MULTIPOINT(EMPTY)", "MULTIPOINT(2 50, 3 51)"],
    ),
    "lines with gaps": (
        "geometry(MultiLineString, 4326)",
        ["MULTILINESTRING(EMPTY, (1 50, 2 51))", "MULTILINESTRING(EMPTY)", "MULTILINESTRING((1 50, 2 50))"],
    ),
    "areas with gaps": (
        "geometry(MultiPolygon, 4326)",
        [
            "MULTIPOLYGON(EMPTY, ((0 50, 1 50, 1 51, 0 50)))",
            "MULTIPOLYGON(((0 50, 1 50, 1 51, 0 50)), EMPTY)",
            "MULTIPOLYGON(EMPTY)",
        ],
    ),
    "anything with gaps": (
        "geometry(Geometry, 4326)",
        [
            "GEOMETRYCOLLECTION(MULTIPOINT(EMPTY, 1 50), MULTIPOLYGON(EMPTY))",
            "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(POINT EMPTY, POINT(1 50)), LINESTRING EMPTY)",
            "MULTILINESTRING(EMPTY, (1 50, 2 51))",
            "MULTIPOINT(EMPTY, 1 50)",
            "POINT(1 50)",
        ],
    ),
    "not numbers": (
        "geometry(Point, 4326)",
        [_at(math.nan, 1), _at(math.inf, 2), _at(1, -math.inf), _at(1, 2), _at(2, 2), _at(3, 2)],
    ),
}  # fmt: skip

_NUMBERS = ("1.5", "-2", "NULL", "'NaN'", "0", "7", "'Infinity'")


def _filled(name: str, sql_type: str, shapes: Sequence[str | None]) -> list[str]:
    made = [f'CREATE TABLE data."{name}" ({ROWS}, geom {sql_type})']
    for number, shape in enumerate(shapes):
        values = _NUMBERS if name not in ("plain", "plain_points", "plain_lines") else [str(number * number)]
        n = values[number % len(values)]
        placed = "NULL" if shape is None else f"'{shape}'"
        made.append(f"INSERT INTO data.\"{name}\" VALUES ({number}, {n}, 'text {number % 2}', {placed})")
    return made


def _named(name: str, columns: Sequence[str]) -> list[str]:
    """Polygons with these columns: numbers, so that each may be used in every way."""
    quoted = ['"' + column.replace('"', '""') + '"' for column in columns]
    table = 'data."' + name.replace('"', '""') + '"'
    figures = ", ".join(f"{number} + id" for number in range(len(columns)))
    return [
        f"CREATE TABLE {table} (id int PRIMARY KEY, {', '.join(f'{each} float' for each in quoted)}, "
        "t text, geom geometry(Polygon, 4326))",
        f"INSERT INTO {table} SELECT id, {figures}, 'x', ST_MakeEnvelope(id, 50, id + 1, 51, 4326) "
        "FROM generate_series(0, 5) id",
    ]


EVERY_KIND = [
    "CREATE TYPE data.mood AS ENUM ('sad', 'happy')",
    "CREATE DOMAIN data.positive AS int CHECK (VALUE > 0)",
    "CREATE TABLE data.every_kind (id int PRIMARY KEY, n numeric(12, 2), t text, small smallint, huge bigint, "
    "single real, flag boolean, day date, moment timestamptz, clock time, lasts interval, code uuid, "
    "doc json, docb jsonb, raw bytea, tags text[], numbers float[], mood data.mood, positive data.positive, "
    "net inet, span int4range, words tsvector, spot point, note xml, short varchar(5), fixed char(4), cash money, "
    "outline geometry(Polygon, 4326), geom geometry(Point, 4326))",
    "INSERT INTO data.every_kind SELECT id, id / 7.0, 't' || id, id, id, id, id % 2 = 0, date '2024-01-01' + id, "
    "now(), '12:00', '1 month', gen_random_uuid(), '{}', '[1]', '\\x00ff', '{a,b}', '{1,2}', 'sad', id + 1, "
    "'10.0.0.1', '[1,5)', 'a b', '(1,2)', '<a/>', 'abc', 'abc', 5, ST_MakeEnvelope(id, 50, id + 1, 51, 4326), "
    "ST_SetSRID(ST_MakePoint(id, 50), 4326) FROM generate_series(0, 6) id",
    "INSERT INTO data.every_kind (id) VALUES (99)",
]
RELATIONS = [
    'CREATE VIEW data."a view" AS SELECT id, n, t, geom FROM data.plain',
    'CREATE MATERIALIZED VIEW data."a stored view" AS SELECT id, n, t, geom FROM data.plain_points',
    "CREATE TABLE data.in_parts (id int, n float, t text, geom geometry(Point, 4326)) PARTITION BY RANGE (id)",
    "CREATE TABLE data.part_1 PARTITION OF data.in_parts FOR VALUES FROM (0) TO (3)",
    "CREATE TABLE data.part_2 PARTITION OF data.in_parts FOR VALUES FROM (3) TO (9)",
    "INSERT INTO data.in_parts SELECT id, n, t, geom FROM data.plain_points",
    "CREATE TABLE data.no_shapes (id int PRIMARY KEY, n float, t text)",
    "INSERT INTO data.no_shapes VALUES (1, 2, 'a'), (2, NULL, NULL)",
]

AWKWARD: Mapping[str, str] = {
    **{name: join_id("data", name.replace(" ", "_").replace(",", "")) for name in _SHAPES},
    "every kind of column": "data.every_kind",
    "awful names": join_id("data", AWFUL_TABLE),
    **{f"taken names {number}": f"data.taken_{number}" for number in range(len(TAKEN_COLUMNS))},
    "a view": "data.a view",
    "a stored view": "data.a stored view",
    "in parts": "data.in_parts",
    "no shapes": "data.no_shapes",
}


def statements() -> list[str]:
    """What makes all of it."""
    made = []
    for name, (sql_type, shapes) in _SHAPES.items():
        made += _filled(name.replace(" ", "_").replace(",", ""), sql_type, shapes)
    for number, columns in enumerate(TAKEN_COLUMNS):
        made += _named(f"taken_{number}", columns)
    return [*made, *EVERY_KIND, *_named(AWFUL_TABLE, AWFUL_COLUMNS), *RELATIONS]
