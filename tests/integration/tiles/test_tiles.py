"""Tiles of every kind of table, decoded."""

from __future__ import annotations

import math
from typing import Any

import pytest
import shapely

from agents.domain import StyleSpec
from server.gis.filters import normalize
from server.gis.overviews.caps import TileCaps
from server.gis.styles.errors import InvalidStyle
from server.gis.tiles.grid import InvalidTile, Tile
from server.gis.tiles.service import TileLimits, UnknownLayer
from tests.integration.tiles.drawing import Atlas

AWFUL = 'My "Tàble" %s :x $1'


async def test_points_carry_their_id_and_attributes(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.kinds (id int PRIMARY KEY, t text, f float8, n numeric, b bool, d date, "
        "j jsonb, u uuid, raw bytea, tags text[], geom geometry(Point, 4326))",
        "INSERT INTO data.kinds VALUES (7, 'ü', 'NaN', 1.5, true, '2020-01-02', '{\"a\": 1}', "
        "'00000000-0000-0000-0000-000000000001', 'x', '{a,b}', ST_SetSRID(ST_MakePoint(0, 0), 4326))",
    )
    await atlas.layer("data.kinds")
    (feature,) = (await atlas.tile(0, 0, 0))["features"]
    assert feature.id == 7
    assert feature.properties == {
        "id": 7,
        "t": "ü",
        "n": 1.5,
        "b": 1,
        "d": "2020-01-02",
        "j": '{"a": 1}',
        "u": "00000000-0000-0000-0000-000000000001",
        "tags": "{a,b}",
    }
    assert (feature.shape.x, feature.shape.y) == (2048, 2048)


async def test_features_whose_key_browsers_cannot_keep_as_a_number_carry_it_as_text(atlas: Atlas) -> None:
    """Of ids beyond 2^53 browsers keep the nearest that they can, so that several features had the same one."""
    await atlas.execute(
        "CREATE TABLE data.posts (id bigint PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.posts SELECT n, ST_Point(1, 1, 4326) FROM unnest("
        "ARRAY[-4, 0, 9007199254740991, 9007199254740993, 1750000000000000001, 1750000000000000002]) n",
        "CREATE TABLE data.orders (code uuid PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.orders VALUES ('00000000-0000-0000-0000-00000000000a', ST_Point(1, 1, 4326))",
    )
    await atlas.layer("posts")
    posts = (await atlas.tile(0, 0, 0))["features"]
    assert sorted(str(one.properties.get("@id", one.id)) for one in posts) == sorted(
        ("-4", "0", "9007199254740991", "9007199254740993", "1750000000000000001", "1750000000000000002")
    )
    await atlas.layer("orders", layer_id="b")
    (order,) = (await atlas.tile(0, 0, 0, "b"))["features"]
    assert order.properties["@id"] == "00000000-0000-0000-0000-00000000000a"


async def test_long_texts_are_cut_as_the_classes_of_their_style_are(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.documents AS SELECT n AS id, repeat(md5(n::text), 5000) AS body,"
        " json_build_object('text', repeat('x', 100000)) AS facts, ST_SetSRID(ST_MakePoint(n, n), 4326) AS geom"
        " FROM generate_series(1, 3) AS n"
    )
    layer = await atlas.layer("data.documents", StyleSpec(kind="categorical", column="body"))
    features = (await atlas.tile(0, 0, 0))["features"]
    assert [len(each.properties[name]) for each in features for name in ("body", "facts")] == [256] * 6
    assert {entry.value for entry in layer.legend.entries} == {each.properties["body"] for each in features}


@pytest.mark.parametrize("column", ["at", "plain", "day", "year"])
async def test_a_time_slider_gets_its_column_as_a_number(atlas: Atlas, column: str) -> None:
    await atlas.execute(
        "DROP TABLE IF EXISTS data.moments",
        'CREATE TABLE data.moments (id int PRIMARY KEY, "@time" text, at timestamptz, plain timestamp, day date, '
        "year int, geom geometry(Point, 4326))",
        "INSERT INTO data.moments SELECT n, 'x', v, v::timestamptz AT TIME ZONE 'UTC', v::timestamptz::date, y,"
        " ST_SetSRID(ST_MakePoint(0, 0), 4326) FROM (VALUES (1, '2020-01-01T00:00Z'::timestamptz, 1577836800),"
        " (2, 'infinity', NULL), (3, NULL, NULL)) AS made (n, v, y)",
    )
    await atlas.layer("data.moments", StyleSpec(time=column, label="id"))
    drawn = await atlas.tile(0, 0, 0)
    for features in (drawn["features"], drawn.get("points", drawn["features"])):
        assert {feature.id: feature.properties.get("@time") for feature in features} == {
            1: 1577836800.0,
            2: None,
            3: None,
        }
    await atlas.layer("data.moments", StyleSpec(), version=2)
    untimed = (await atlas.tile(0, 0, 0, version=2))["features"]
    assert {feature.properties.get("@time") for feature in untimed} == {None}


async def test_a_time_slider_takes_no_texts(atlas: Atlas) -> None:
    await atlas.execute("CREATE TABLE data.untimed (id int, t text, geom geometry(Point, 4326))")
    with pytest.raises(InvalidStyle, match="Columns that can be used: id"):
        await atlas.layer("data.untimed", StyleSpec(time="t"))


async def test_names_that_are_awful_work_everywhere(atlas: Atlas) -> None:
    quoted = '"' + AWFUL.replace('"', '""') + '"'
    await atlas.execute(
        f'CREATE TABLE data.{quoted} ("select" int PRIMARY KEY, "na""ïve" text, "%s $1" int, '
        '"geometry" int, id int, "The Geom" geometry(Polygon, 4326))',
        f"INSERT INTO data.{quoted} VALUES (1, 'x', 5, 6, 7, ST_MakeEnvelope(1, 1, 10, 10, 4326))",
    )
    table = next(each for each in await tables(atlas) if each.name == AWFUL)
    await atlas.layer(
        table.id,
        StyleSpec(kind="graduated", column="%s $1", label='na"ïve'),
        {"op": "=", "args": [{"property": 'na"ïve'}, "x"]},
    )
    drawn = await atlas.tile(2, 2, 1)
    assert [feature.id for feature in drawn["features"]] == [1]
    assert drawn["features"][0].properties == {"select": 1, 'na"ïve': "x", "%s $1": 5, "geometry": 6, "id": 7}
    assert len(drawn["points"]) == 1


@pytest.mark.parametrize("srid", [4326, 3857, 4269, 25832, 27700, 3035, 2154, 2263])
async def test_data_in_any_reference_system_lands_at_the_same_place(atlas: Atlas, srid: int) -> None:
    name = f"data.in_{srid}"
    lon, lat = {27700: (-1.5, 52.5), 2154: (2.5, 47.0), 2263: (-74.0, 40.7)}.get(srid, (10.0, 50.0))
    await atlas.execute(
        f"CREATE TABLE {name} (id int PRIMARY KEY, geom geometry(Point, {srid}))",
        f"INSERT INTO {name} SELECT 1, ST_Transform(ST_SetSRID(ST_MakePoint({lon}, {lat}), 4326), {srid})",
        f"CREATE INDEX ON {name} USING gist (geom)",
    )
    await atlas.layer(name, layer_id=f"l{srid}")
    for z in (0, 1, 2, 3, 5, 8, 12, 18):
        tile, across, down = place(lon, lat, z)
        (feature,) = (await atlas.tile(tile.z, tile.x, tile.y, f"l{srid}"))["features"]
        assert feature.id == 1
        slack = 1 if z < 12 else 40  # datum shifts of a few metres are tens of units at zoom 18
        assert feature.shape.distance(shapely.Point(across, down)) <= slack


FILTERS: dict[str, tuple[dict[str, Any], set[int]]] = {
    "in": ({"op": "in", "args": [{"property": "t"}, ["a", "b"]]}, {1, 2}),
    "between": ({"op": "between", "args": [{"property": "n"}, 1.5, 2.5]}, {2}),
    "like": ({"op": "like", "args": [{"property": "t"}, "%c%"]}, {3}),
    "null": ({"op": "isNull", "args": [{"property": "d"}]}, {3}),
    "date": ({"op": ">=", "args": [{"property": "d"}, {"date": "2021-01-01"}]}, {2}),
    "time": ({"op": "<", "args": [{"property": "at"}, {"timestamp": "2020-06-01T00:00:00Z"}]}, {1}),
    "uuid": ({"op": "=", "args": [{"property": "u"}, "00000000-0000-0000-0000-000000000002"]}, {2}),
    "flag": ({"op": "=", "args": [{"property": "b"}, True]}, {1, 3}),
    "big": ({"op": "=", "args": [{"property": "big"}, 9007199254740993]}, {3}),
    "area": (
        {"op": "s_intersects", "args": [{"property": "geom"}, {"type": "Point", "coordinates": [2, 2]}]},
        {2},
    ),
    "not": ({"op": "not", "args": [{"op": "=", "args": [{"property": "t"}, "a"]}]}, {2, 3}),
}


@pytest.mark.parametrize("name", FILTERS)
async def test_a_tile_shows_what_passes_the_filter_whatever_its_types(atlas: Atlas, name: str) -> None:
    await atlas.execute(
        "CREATE TABLE IF NOT EXISTS data.filtered (id int PRIMARY KEY, t text, n numeric(5,1), d date, "
        "at timestamptz, u uuid, b bool, big bigint, geom geometry(Point, 4326))",
        "INSERT INTO data.filtered SELECT i, chr(96 + i), i, "
        "CASE WHEN i < 3 THEN make_date(2019 + i, 6, 1) END, make_timestamptz(2019 + i, 1, 1, 0, 0, 0, 'UTC'), "
        "('00000000-0000-0000-0000-00000000000' || i)::uuid, i % 2 = 1, 9007199254740990 + i, "
        "ST_SetSRID(ST_MakePoint(i, i), 4326) FROM generate_series(1, 3) i ON CONFLICT DO NOTHING",
    )
    filter, expected = FILTERS[name]
    table = await atlas.table("data.filtered")
    await atlas.layer("data.filtered", StyleSpec(kind="graduated", column="n"), normalize(table, filter))
    assert {feature.id for feature in (await atlas.tile(0, 0, 0))["features"]} == expected


async def test_mixed_empty_curved_and_invalid_geometries_draw_what_can_be_drawn(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.mixed (id int PRIMARY KEY, geom geometry)",
        """INSERT INTO data.mixed VALUES
        (1, 'SRID=4326;POINT(1 1)'), (2, 'SRID=4326;LINESTRING(1 1, 20 20)'),
        (3, 'SRID=4326;POLYGON((0 0, 20 20, 20 0, 0 20, 0 0))'), (4, NULL), (5, 'SRID=4326;POINT EMPTY'),
        (6, 'SRID=4326;POLYGON EMPTY'), (7, 'SRID=4326;CIRCULARSTRING(0 0, 10 10, 20 0)'),
        (8, 'SRID=4326;CURVEPOLYGON(CIRCULARSTRING(0 0, 10 10, 20 0, 10 -10, 0 0))'),
        (9, 'SRID=4326;GEOMETRYCOLLECTION(POINT(5 5), LINESTRING(0 0, 9 9))'),
        (10, 'SRID=4326;MULTIPOINT Z (1 2 3, 4 5 6)'), (11, 'SRID=4326;POINT ZM (1 2 3 4)'),
        (12, 'SRID=4326;TIN(((0 0 0, 10 0 0, 0 10 0, 0 0 0)))'),
        (13, 'SRID=4326;POLYHEDRALSURFACE(((0 0 0, 10 0 0, 0 10 0, 0 0 0)))'),
        (14, 'SRID=4326;POLYGON((0 0, 0 0, 0 0, 0 0))'), (15, 'SRID=4326;LINESTRING(3 3, 3 3)'),
        (16, 'SRID=4326;POINT(10 95)'), (17, 'SRID=4326;POLYGON((30 -100, 40 -100, 40 50, 30 50, 30 -100))'),
        (18, ST_SetSRID(ST_MakePoint('NaN', 1), 4326)),
        (19, 'SRID=4326;MULTIPOLYGON(((0 0, 9 0, 9 9, 0 9, 0 0)), ((5 5, 14 5, 14 14, 5 14, 5 5)))'),
        (20, 'SRID=4326;TRIANGLE((0 0, 10 0, 0 10, 0 0))'),
        (21, 'SRID=4326;GEOMETRYCOLLECTION EMPTY')""",
    )
    layer = await atlas.layer("data.mixed", StyleSpec(label="id"))
    assert layer.geometry_type == "mixed"
    for z in (0, 4, 14):
        tile = place(1, 1, z)[0]
        drawn = await atlas.tile(tile.z, tile.x, tile.y)
        ids = {feature.id for feature in drawn["features"]}
        assert {1, 2, 3, 8, 19} <= ids or z > 4
        assert not ids & {4, 5, 6, 16, 21}
    kinds = {f.id: shapely.get_type_id(f.shape) for f in (await atlas.tile(0, 0, 0))["features"]}
    assert {1, 2, 3, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 19, 20} <= set(kinds)


async def test_curved_areas_and_surfaces_are_filled(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.lakes AS SELECT 1 AS id, 'SRID=4326;CURVEPOLYGON(CIRCULARSTRING(0 0, 4 0, 4 4, 0 4, 0 0))'"
        "::geometry(CurvePolygon, 4326) AS geom",
        "CREATE TABLE data.faces AS SELECT 1 AS id, 'SRID=4326;TIN Z(((0 0 0, 0 9 0, 9 9 0, 0 0 0)))'"
        "::geometry(TINZ, 4326) AS geom",
    )
    for name in ("data.lakes", "data.faces"):
        layer = await atlas.layer(name, layer_id=name)
        assert (layer.geometry_type, layer.style.layers[0].type) == ("polygon", "fill")
        (drawn,) = (await atlas.tile(0, 0, 0, name))["features"]
        assert drawn.shape.geom_type in ("Polygon", "MultiPolygon")


async def test_what_is_smaller_than_a_pixel_is_drawn_as_a_pixel(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.tiny (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        "INSERT INTO data.tiny VALUES (1, ST_MakeEnvelope(10, 10, 10.0001, 10.0001, 4326)), "
        "(2, ST_MakeLine(ST_SetSRID(ST_MakePoint(20, 20), 4326), ST_SetSRID(ST_MakePoint(20.00001, 20), 4326))), "
        "(3, ST_MakeEnvelope(-50, 30, 50, 30.000001, 4326))",
    )
    await atlas.layer("data.tiny")
    drawn = {feature.id: feature.shape for feature in (await atlas.tile(0, 0, 0))["features"]}
    assert drawn[1].area == pytest.approx(64, abs=24)
    assert drawn[2].length == pytest.approx(8, abs=1)
    assert drawn[3].area > 0
    tile = place(10.00005, 10.00005, 20)[0]
    (near,) = (await atlas.tile(20, tile.x, tile.y))["features"]
    assert near.shape.area > 64 * 100


async def test_each_feature_has_one_point_in_all_tiles_together(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.land (id serial PRIMARY KEY, pop int, geom geometry(Polygon, 4326))",
        "INSERT INTO data.land (pop, geom) SELECT x * x + y, ST_MakeEnvelope(x, y, x + 40, y + 30, 4326) "
        "FROM generate_series(-180, 140, 40) x, generate_series(-90, 60, 30) y",
    )
    await atlas.layer("data.land", StyleSpec(kind="proportional", column="pop"))
    for z in (0, 1, 2, 3):
        points = [
            feature
            for x in range(2**z)
            for y in range(2**z)
            for feature in (await atlas.tile(z, x, y)).get("points", [])
        ]
        assert sorted(feature.id or 0 for feature in points) == list(range(1, 55))
        assert all("pop" in feature.properties for feature in points)


async def test_a_full_tile_says_so_and_shows_the_same_features_every_time(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.many (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.many SELECT n, ST_SetSRID(ST_MakePoint(n % 100, n / 100), 4326) "
        "FROM generate_series(1, 5000) n",
        "ANALYZE data.many",
    )
    shown: list[set[int | None]] = []
    for _ in range(2):
        small = Atlas(atlas.database, TileLimits(caps=TileCaps(100, 100)))
        await small.layer("data.many")
        tile = await small.service.tile("m", "a", 1, Tile.at(0, 0, 0))
        assert (tile.shown, tile.total) == (100, 5000)
        drawn = await small.tile(0, 0, 0)
        assert drawn["_meta"][0].properties == {"shown": 100, "total": 5000}
        shown.append({feature.id for feature in drawn["features"]})
        columns = [feature.shape.x for feature in drawn["features"]]
        assert max(columns) - min(columns) > 900, "spread over the whole width"
    assert shown[0] == shown[1]
    assert len(shown[0]) == 100


async def test_at_low_zoom_a_large_table_brings_only_what_the_map_needs(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.wide_table (id int PRIMARY KEY, title text, v int, w int, extra text, "
        "geom geometry(Point, 4326))",
        "INSERT INTO data.wide_table SELECT n, 't', n, 1, 'x', ST_SetSRID(ST_MakePoint(n % 100, 1), 4326) "
        "FROM generate_series(1, 6000) n",
        "ANALYZE data.wide_table",
    )
    await atlas.layer(
        "data.wide_table",
        StyleSpec(kind="graduated", column="v"),
        {"op": ">", "args": [{"property": "w"}, 0]},
    )
    assert set((await atlas.tile(2, 2, 1))["features"][0].properties) == {"title", "v", "w"}
    tile = place(5, 1, 9)[0]
    close = (await atlas.tile(9, tile.x, tile.y))["features"][0]
    assert set(close.properties) == {"title", "v", "w", "extra"}
    assert close.id is not None


async def test_views_without_a_key_draw_without_ids(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.base (k text, geom geometry(Point, 4326))",
        "INSERT INTO data.base VALUES ('a', ST_SetSRID(ST_MakePoint(3, 3), 4326)), "
        "('b', ST_SetSRID(ST_MakePoint(3, 3), 4326))",
        "CREATE VIEW data.seen AS SELECT k, geom FROM data.base",
    )
    await atlas.layer("data.seen")
    features = (await atlas.tile(0, 0, 0))["features"]
    assert sorted(feature.properties["k"] for feature in features) == ["a", "b"]
    assert all(feature.id is None for feature in features)


async def test_the_index_serves_a_tile_in_any_reference_system(atlas: Atlas) -> None:
    for name, kind in (
        ("i4326", "geometry(Point, 4326)"),
        ("i25832", "geometry(Point, 25832)"),
        ("igeog", "geography"),
    ):
        point = "ST_SetSRID(ST_MakePoint(6 + random() * 6, 47 + random() * 8), 4326)"
        made = {"i25832": f"ST_Transform({point}, 25832)", "igeog": f"{point}::geography"}.get(name, point)
        await atlas.execute(
            f"CREATE TABLE data.{name} (id serial PRIMARY KEY, geom {kind})",
            f"INSERT INTO data.{name} (geom) SELECT {made} FROM generate_series(1, 20000)",
            f"CREATE INDEX {name}_geom ON data.{name} USING gist (geom)",
            f"ANALYZE data.{name}",
        )
        layer = await atlas.layer(f"data.{name}", layer_id=name)
        tile = place(10, 50, 12)[0]
        plan = await explained(atlas, layer.id, tile)
        assert f"{name}_geom" in plan, plan


async def test_tiles_and_layers_that_are_not_there_are_refused(atlas: Atlas) -> None:
    for wrong in ((-1, 0, 0), (23, 0, 0), (0, 1, 0), (3, 8, 0), (3, 0, -1)):
        with pytest.raises(InvalidTile):
            Tile.at(*wrong)
    with pytest.raises(UnknownLayer):
        await atlas.service.tile("m", "nothing", 1, Tile.at(0, 0, 0))
    with pytest.raises(UnknownLayer):
        await atlas.service.tile("m", "a", 999, Tile.at(0, 0, 0))


async def test_a_column_that_was_added_or_dropped_does_not_break_the_layer(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.changing (id int PRIMARY KEY, a int, b int, geom geometry(Point, 4326))",
        "INSERT INTO data.changing VALUES (1, 2, 3, ST_SetSRID(ST_MakePoint(1, 1), 4326))",
    )
    await atlas.layer("data.changing", layer_id="changing")
    assert (await atlas.tile(0, 0, 0, "changing"))["features"][0].properties == {"id": 1, "a": 2, "b": 3}
    await atlas.execute("ALTER TABLE data.changing DROP COLUMN b")
    await atlas.registry.refresh()
    assert (await atlas.tile(1, 1, 0, "changing"))["features"][0].properties == {"id": 1, "a": 2}


async def tables(atlas: Atlas) -> list:
    await atlas.registry.refresh()
    return list(atlas.registry.tables())


async def explained(atlas: Atlas, layer_id: str, tile: Tile) -> str:
    """The plan of a tile's statement, made for these very values."""
    layer = await atlas.layers.current("m", layer_id)
    assert layer is not None
    service = atlas.service
    async with atlas.database.tile_pool.acquire() as connection:
        statements = await service._written(connection, ("m", layer_id, layer.version, "", ""))
        box = await service._boxes.of(connection, statements.crs, tile)
        assert box is not None
        statement = statements.at(tile.z)
        arguments = statement.arguments(statements.crs, tile, box)
        rows = await connection.fetch("EXPLAIN " + statement.text, *arguments)
    return "\n".join(row[0] for row in rows)


def place(lon: float, lat: float, z: int) -> tuple[Tile, float, float]:
    """The tile of a place, and where in it the place is."""
    x = (lon + 180) / 360 * 2**z
    y = (1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * 2**z
    tile = Tile.at(z, min(int(x), 2**z - 1), int(y))
    return tile, (x - tile.x) * 4096, (y - tile.y) * 4096
