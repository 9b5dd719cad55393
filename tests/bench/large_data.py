"""Large tables of points, areas and long lines, as they are on earth: with towns, and with shapes of all sizes."""

from __future__ import annotations

from dataclasses import dataclass

_FORMS = """
SELECT setseed(0.5);
CREATE TEMPORARY TABLE town AS
  SELECT n, -9 + 48 * random() AS x, 37 + 28 * random() AS y, 0.03 + 0.2 * random() ^ 3 AS size
  FROM generate_series(0, 299) AS n;
CREATE TEMPORARY TABLE ring AS
  SELECT n, (SELECT ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) FROM (
      SELECT ST_MakeLine(ST_MakePoint(r * cos(radians(360.0 * k / vertices)), r * sin(radians(360.0 * k / vertices)))
        ORDER BY k) AS line
      FROM (SELECT k, 0.7 + 0.3 * random() AS r FROM generate_series(0, vertices - 1) AS k) AS corner) AS closed) AS g
  FROM (SELECT n, 5 + round(115 * (n / 500.0) ^ 2)::int AS vertices FROM generate_series(0, 499) AS n) AS size;
CREATE TEMPORARY TABLE path AS
  SELECT n, (SELECT ST_MakeLine(ST_MakePoint(k::float8 / vertices, bend * sin(3 * k::float8 / vertices)
        + bend / 4 * sin(17 * k::float8 / vertices) + 0.01 * random()) ORDER BY k)
      FROM generate_series(0, vertices) AS k) AS g
  FROM (SELECT n, 20 + round(179 * random())::int AS vertices, 0.3 * (random() - 0.5) AS bend
    FROM generate_series(0, 499) AS n) AS size;
"""
"""300 towns in a continent of 48 by 28 degrees, and 500 areas and lines of the size 1, with 5 to 120 vertices and with
20 to 200."""

_POINTS = """
SELECT i AS id, 'point ' || i AS name, (abs(hashint4(i + 7)) % 100000) / 10.0 AS value,
  ST_SetSRID(ST_MakePoint(-180 + (abs(hashint4(i + 1)) % 1000000) * 0.00036,
    -70 + (abs(hashint4(i + 2)) % 1000000) * 0.00014), 4326)::geometry(Point, 4326) AS geom
FROM generate_series(1, {rows}) AS i
"""
"""At random over the world."""

_TOWN_POINTS = """
SELECT i AS id, 'point ' || i AS name, random() * 10000 AS value,
  ST_SetSRID(ST_MakePoint(
    CASE WHEN in_town THEN town.x + town.size * away * cos(angle) ELSE -10 + 50 * random() END,
    CASE WHEN in_town THEN town.y + town.size * away * sin(angle) * 0.65 ELSE 36 + 30 * random() END
  ), 4326)::geometry(Point, 4326) AS geom
FROM (SELECT i, random() < 0.67 AS in_town, floor(300 * random() ^ 2)::int AS of, 2 * pi() * random() AS angle,
    least(4, -ln(1 - random())) AS away FROM generate_series(1, {rows}) AS i OFFSET 0) AS row
JOIN town ON town.n = row.of
"""
"""Two thirds in towns, large and small ones; all others anywhere on the continent."""

_PLACED = """
SELECT i AS id, '{name} ' || i AS name, random() * 10000 AS value,
  ST_SetSRID(ST_Affine(form.g, size * cos(turn), -size * sin(turn), size * sin(turn) * 0.65, size * cos(turn) * 0.65,
    x, y), 4326)::geometry({kind}, 4326) AS geom
FROM (SELECT i, in_town, 2 * pi() * random() AS turn, CASE WHEN in_town THEN {small} ELSE {large} END AS size,
    CASE WHEN in_town THEN town.x + town.size * {spread} * away * cos(angle) ELSE -10 + 50 * random() END AS x,
    CASE WHEN in_town THEN town.y + town.size * {spread} * away * sin(angle) * 0.65 ELSE 36 + 30 * random() END AS y,
    floor(CASE WHEN in_town THEN {small_forms} ELSE 500 END * random())::int AS form
  FROM (SELECT i, random() < {towns} AS in_town, floor(300 * random() ^ 2)::int AS of, 2 * pi() * random() AS angle,
      least(4, -ln(1 - random())) AS away FROM generate_series(1, {rows}) AS i OFFSET 0) AS row
  JOIN town ON town.n = row.of OFFSET 0) AS placed
JOIN {forms} AS form ON form.n = placed.form
"""
"""Most rows in towns, large and small ones; all others anywhere on the continent."""


@dataclass(frozen=True)
class LargeTable:
    name: str
    rows: int
    select: str

    def statements(self) -> list[str]:
        return [
            _FORMS,
            f"CREATE TABLE data.{self.name} AS {self.select.replace('{rows}', str(self.rows))}",
            "DROP TABLE town, ring, path",
            f"ALTER TABLE data.{self.name} ADD PRIMARY KEY (id)",
            f"CREATE INDEX ON data.{self.name} USING gist (geom)",
            f"VACUUM ANALYZE data.{self.name}",
        ]


def points(rows: int) -> LargeTable:
    return LargeTable("points", rows, _POINTS)


def town_points(rows: int) -> LargeTable:
    return LargeTable("town_points", rows, _TOWN_POINTS)


def areas(rows: int) -> LargeTable:
    """Two thirds are of 10 to 60 m, in towns; others of 20 m to 20 km, the larger the rarer."""
    select = _PLACED.format(
        name="area",
        kind="Polygon",
        rows="{rows}",
        small="0.0001 + 0.0005 * random() ^ 2",
        large="0.0002 * exp(7 * random() ^ 2)",
        spread=1,
        small_forms=100,
        towns=0.67,
        forms="ring",
    )
    return LargeTable("areas", rows, select)


def lines(rows: int) -> LargeTable:
    """Of 3 to 120 km, half of them around towns."""
    select = _PLACED.format(
        name="line",
        kind="LineString",
        rows="{rows}",
        small="0.03 + 0.5 * random() ^ 2",
        large="0.1 + 1.5 * random() ^ 3",
        spread=8,
        small_forms=500,
        towns=0.5,
        forms="path",
    )
    return LargeTable("lines", rows, select)
