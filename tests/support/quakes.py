"""A table of things that happened: 400 made-up earthquakes of 2020 and 2021, one every 43 hours, around the world.

`id` counts them in order; `at` is when, `day` the date, `year` the year, and every tenth has no `at`."""

from __future__ import annotations

import asyncpg

COUNT = 400
WITHOUT_TIME = COUNT // 10
FIRST = 1577836800.0
"""2020-01-01T00:00Z, when the first one was, in seconds since 1970."""
APART = 43 * 3600.0

SETUP = f"""
CREATE TABLE IF NOT EXISTS data.quakes (
    id integer PRIMARY KEY, place text, magnitude numeric(3, 1), at timestamptz, day date, year integer,
    geom geometry(Point, 4326)
);
TRUNCATE data.quakes;
INSERT INTO data.quakes
SELECT n, 'Place ' || n % 7, 4 + n % 40 / 10.0,
       CASE WHEN n % 10 > 0 THEN moment END, (moment AT TIME ZONE 'UTC')::date,
       extract(year FROM moment AT TIME ZONE 'UTC')::int,
       ST_SetSRID(ST_MakePoint(n % 20 * 17 - 160, n / 20 * 6 - 60), 4326)
FROM (SELECT n, to_timestamp({FIRST} + n * {APART}) AS moment FROM generate_series(0, {COUNT - 1}) AS n) AS quake;
CREATE INDEX IF NOT EXISTS quakes_geom ON data.quakes USING gist (geom);
COMMENT ON TABLE data.quakes IS 'Made-up earthquakes';
ANALYZE data.quakes;
"""


async def make_quakes(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(SETUP)
    finally:
        await connection.close()
