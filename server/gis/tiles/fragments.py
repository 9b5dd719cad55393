"""The SQL of a tile, readable as one. `statement` fills in the names of one table; `{z}` and the like
are parameters.

Every `OFFSET 0` keeps the planner from writing an expression out several times and computing it as often.
"""

TILE = """
WITH {counted_before}matched AS (
  SELECT {geometry} AS {g}, {attributes}
  FROM {source}
  WHERE {found}
  {order}
  LIMIT {cap}
), drawn AS (
  SELECT {drawn} AS {g}, {names}
  FROM {steps}
  {stacked}
  OFFSET 0
), counted AS (
  SELECT ST_AsMVT(drawn, 'features', {extent}, {g_text}{id_text}) AS features,
         count({g}) AS shown,
         {total} AS total
  FROM drawn
)
SELECT features
    || {points}
    || CASE WHEN shown < total THEN (SELECT ST_AsMVT(note, '_meta', {extent}, 'place')
         FROM (SELECT ST_MakePoint({extent} / 2, {extent} / 2) AS place, shown, total{remarks}) AS note)
       ELSE '' END AS tile,
  shown, total
FROM counted
WHERE num_nulls({numbers}) = 0
"""
"""The numbers of simplification and mapping are mentioned last so that PostgreSQL knows their types where they are not
needed."""

TOTAL = """CASE WHEN count(*) < {cap} THEN count({g})
              ELSE (SELECT count(*) FROM {source} WHERE {found}) END"""

SQUARE = "(SELECT ST_TileEnvelope({z}, {x}, {y}))"
"""The tile in Mercator; a separate subquery, so that it is computed once and not for each row."""

POINT = "ST_AsMVTGeom({projected}, {square}, {extent}, {buffer}, true)"

SHAPE = """coalesce(
           ST_AsMVTGeom(CASE WHEN {tiny} THEN {pixel} ELSE matched.{m} END, {square}, {extent}, {buffer}, true),
           CASE WHEN {slim} THEN ST_AsMVTGeom({pixel}, {square}, {extent}, {buffer}, true) END)"""
"""A river that is long and narrow may vanish when it is rounded to the tile's units; its pixel stays."""

SHAPE_STEPS = """(
    SELECT *, Box3D(matched.{m}) AS {box}
    FROM (SELECT *, {projected} AS {m} FROM matched OFFSET 0) AS matched
    OFFSET 0
  ) AS matched"""
"""Each row with its shape in Mercator, and the box of that."""

AFFINE = "ST_Affine({stored}, {affine})"
"""In units of the tile, from its top left corner; small enough a shape near the tile is right so (affine.py)."""

NEAR = """matched.{g} @ (SELECT ST_Expand(ST_MakeEnvelope({envelope}, {srid}),
        ({east} - {west}) / 2, ({north} - {south}) / 2))"""
"""Within half a tile of the tile, so that a linear mapping brings all of the shape where it belongs."""

UNITS_POINT_STEPS = """(
    SELECT *, CASE WHEN {near} THEN ST_SnapToGrid({units}, 1) END AS {u} FROM matched OFFSET 0
  ) AS matched"""

UNITS_POINT = """CASE WHEN matched.{u} IS NULL THEN {drawn}
           WHEN matched.{u} @ {clip} THEN matched.{u} END"""

UNITS_STEPS = """(
    SELECT *, Box3D(coalesce(matched.{u}, matched.{m})) AS {box},
      CASE WHEN matched.{u} && {clip} THEN {snapped} END AS {whole}
    FROM (SELECT *, CASE WHEN {near} THEN {units} END AS {u}, CASE WHEN {near} THEN NULL ELSE {projected} END AS {m}
          FROM matched OFFSET 0) AS matched
    OFFSET 0
  ) AS matched"""
"""Each row with its shape in units of the tile or else in Mercator, the box of that, and, of a shape near the tile,
what is drawn. It is not clipped: clipping takes longer than all else that is done with a shape, browsers clip what they
draw to the tile, and whole shapes compress better."""

UNITS_SHAPE = """CASE WHEN matched.{u} IS NULL THEN {drawn}
      WHEN {units_tiny} THEN {units_pixel}
      WHEN {is_whole} THEN {turned}
      ELSE coalesce(
        ST_AsMVTGeom(ST_Affine(matched.{u}, 1, 0, 0, -1, 0, {extent}),
          ST_MakeEnvelope(0, 0, {extent}, {extent}), {extent}, {buffer}, true),
        CASE WHEN {units_slim} THEN {units_pixel} END) END"""
"""ST_AsMVTGeom mends what rounding made invalid, and clips it; upside down, as maps are."""

UNITS = "matched.{u}"
SIMPLE_UNITS = """CASE WHEN ST_NPoints(matched.{u}) > {few}
        THEN ST_Simplify(matched.{u}, {tolerance_u}, true) ELSE matched.{u} END"""

SNAPPED = "ST_SnapToGrid({simplified}, 1)"

TURNED_OF = {
    1: "matched.{whole}",
    2: """CASE WHEN ST_IsPolygonCCW(matched.{whole}) THEN matched.{whole}
        WHEN ST_IsPolygonCW(matched.{whole}) THEN ST_Reverse(matched.{whole})
        ELSE ST_ForcePolygonCCW(matched.{whole}) END""",
}
"""By dimension. Rows are counted downwards, so that what is clockwise on the map is counterclockwise here.
ST_ForcePolygonCCW copies a shape twice, even one that is right already, as most are."""

IS_WHOLE = "matched.{whole} IS NOT NULL"
IS_VALID = """CASE WHEN ST_NPoints(matched.{whole}) = 5
          AND ST_Area(matched.{whole}) > 0.04812 * ST_Perimeter(matched.{whole}) ^ 2
        THEN true ELSE ST_IsValid(matched.{whole}) END"""
"""A ring of four edges that touches or crosses itself runs around two triangles at most, so it encloses no more than an
equilateral triangle of its length does: sqrt(3) / 36 of the square. Rectangles up to 2.6 times as long as wide enclose
more, which takes a quarter of the time to find out."""

IS_WHOLE_AND_VALID = "CASE WHEN {is_tested} THEN {is_valid} ELSE matched.{whole} IS NOT NULL END"

DATA_BOX = """(SELECT ST_MakeBox2D(
        ST_MakePoint(-({x_offset}) / ({across}), ({extent} - {y_offset}) / ({down})),
        ST_MakePoint(({extent} - {x_offset}) / ({across}), -({y_offset}) / ({down}))))"""
"""The tile in coordinates of the data, where its rows and columns are parallel to their axes."""

LINE_STEPS = """(
    SELECT *, Box3D(matched.{m}) AS {box}
    FROM (SELECT *, CASE WHEN {near} THEN NULL ELSE {projected} END AS {m} FROM matched OFFSET 0) AS matched
    OFFSET 0
  ) AS matched"""
"""Each row with its shape in Mercator where that is needed, and the box of it."""

LINE = """CASE WHEN matched.{m} IS NOT NULL THEN {drawn}
      ELSE coalesce(ST_AsMVTGeom({line}, {data_box}, {extent}, {extent} / 2, true),
        CASE WHEN {line_slim} THEN {line_pixel} END) END"""
"""ST_AsMVTGeom is a linear mapping itself: one step from the data to the tile. Its margin holds what is near, so that
nothing is clipped."""

LONG_LINE = "CASE WHEN ST_NPoints(matched.{g}) > {few} THEN {stored} ELSE matched.{g} END"

LINE_SLIM = """least((ST_XMax(matched.{g}) - ST_XMin(matched.{g})) * {across},
          (ST_YMin(matched.{g}) - ST_YMax(matched.{g})) * {down}) < {unit_pixel}"""

LINE_PIXEL = """(SELECT ST_SnapToGrid(ST_MakeLine(ST_Translate(middle, -{half}, 0), ST_Translate(middle, {half}, 0)), 1)
          FROM (SELECT ST_Affine(ST_Centroid(ST_Envelope(matched.{g})), {affine}) AS middle OFFSET 0) AS placed)"""

UNITS_PIXEL_OF = {
    1: """ST_SnapToGrid(ST_MakeLine(
        ST_MakePoint((ST_XMin(matched.{box}) + ST_XMax(matched.{box})) / 2 - {half},
                     (ST_YMin(matched.{box}) + ST_YMax(matched.{box})) / 2),
        ST_MakePoint((ST_XMin(matched.{box}) + ST_XMax(matched.{box})) / 2 + {half},
                     (ST_YMin(matched.{box}) + ST_YMax(matched.{box})) / 2)), 1)""",
    2: """ST_ForcePolygonCCW(ST_SnapToGrid(ST_Expand(ST_MakePoint(
        (ST_XMin(matched.{box}) + ST_XMax(matched.{box})) / 2,
        (ST_YMin(matched.{box}) + ST_YMax(matched.{box})) / 2), {half}), 1))""",
}

UNITS_NARROWER = """{function}(ST_XMax(matched.{box}) - ST_XMin(matched.{box}),
           ST_YMax(matched.{box}) - ST_YMin(matched.{box})) < {unit_pixel}"""

POINTS = """coalesce((
      SELECT ST_AsMVT(point, 'points', {extent}, {g_text}{id_text}) FROM (
        SELECT * FROM (
          SELECT ST_AsMVTGeom({projected_middle}, ST_TileEnvelope({z}, {x}, {y}), {extent}, 0, true) AS {g},
                 {names}
          FROM matched
          CROSS JOIN LATERAL (SELECT ST_PointOnSurface(matched.{g}) AS p OFFSET 0) AS middle
          OFFSET 0
        ) AS placed
        WHERE (ST_X({g}) < {extent} OR {x} = (1 << {z}) - 1)
          AND (ST_Y({g}) < {extent} OR {y} = (1 << {z}) - 1)
      ) AS point), '')"""
"""One point on each feature, in the tile that contains it."""

PIXEL_OF = {
    1: """ST_SetSRID(ST_MakeLine(
        ST_MakePoint((ST_XMin(matched.{box}) + ST_XMax(matched.{box}) - {width} / {pixels}) / 2,
                     (ST_YMin(matched.{box}) + ST_YMax(matched.{box})) / 2),
        ST_MakePoint((ST_XMin(matched.{box}) + ST_XMax(matched.{box}) + {width} / {pixels}) / 2,
                     (ST_YMin(matched.{box}) + ST_YMax(matched.{box})) / 2)), 3857)""",
    2: """ST_Expand(ST_SetSRID(ST_MakePoint(
        (ST_XMin(matched.{box}) + ST_XMax(matched.{box})) / 2,
        (ST_YMin(matched.{box}) + ST_YMax(matched.{box})) / 2), 3857),
        {width} / {pixels} / 2)""",
}
"""By dimension: for lines a dash, else a square, as wide as a pixel, where the shape is."""

PIXEL = """CASE WHEN ST_Dimension(matched.{m}) = 1
      THEN {of_lines}
      ELSE {of_areas} END"""
"""Where the dimension is known only row by row."""

NARROWER = """{function}(ST_XMax(matched.{box}) - ST_XMin(matched.{box}),
           ST_YMax(matched.{box}) - ST_YMin(matched.{box}))
    < {width} / {pixels}"""
"""Less than a pixel in both directions (`greatest`) or in one of them (`least`)."""

IS_EXTENDED = "ST_Dimension(matched.{m}) > 0 AND "
"""Points are not narrow shapes."""

LINEAR = """(SELECT CASE
      WHEN GeometryType(g) IN ('TIN', 'POLYHEDRALSURFACE', 'TRIANGLE')
      THEN (SELECT ST_Collect(ST_MakePolygon(ST_ExteriorRing(face.geom))) FROM ST_Dump(g) AS face)
      WHEN ST_HasArc(g) THEN ST_CurveToLine(g)
      ELSE g END FROM (SELECT {g} AS g OFFSET 0) AS curved)"""
"""Curves as lines, triangulated surfaces as polygons."""

FROM_LONLAT = """(SELECT ST_Transform(
      CASE WHEN g @ ST_MakeEnvelope(-180, -90, 180, 90, {srid}) THEN g
      ELSE ST_CollectionHomogenize(ST_WrapX(ST_WrapX(
        ST_MakeValid(ST_ClipByBox2D(g, ST_MakeEnvelope(-540, -90, 540, 90))), 180, -360), -180, 360)) END,
      3857) FROM (SELECT {g} AS g OFFSET 0) AS degrees)"""
"""What reaches beyond 180 degrees is cut there, and its far part put on the other side of the map."""

SHIFTED = """(SELECT CASE WHEN ST_XMax(g) - ST_XMin(g) > 180
        AND ST_XMax(ST_ShiftLongitude(g)) - ST_XMin(ST_ShiftLongitude(g)) < 180
      THEN ST_ShiftLongitude(g) ELSE g END FROM (SELECT {g} AS g OFFSET 0) AS plain)"""
"""A shape that seems to go around the world, but not when longitudes run from 0 to 360, crosses the
antimeridian."""

PROJECTED = """(SELECT CASE
      WHEN ST_XMax(m) - ST_XMin(m) <= {half} THEN m
      WHEN ST_XMax(ST_ShiftLongitude(l)) - ST_XMin(ST_ShiftLongitude(l)) < 180 THEN {unwrapped}
      ELSE ST_Transform(ST_Intersection(ST_MakeValid(g), {slit}), 3857) END
      FROM (SELECT g, ST_Transform(g, 3857) AS m, ST_Transform(g, 4326) AS l
            FROM (SELECT {g} AS g OFFSET 0) AS stored OFFSET 0) AS direct)"""
"""What seems to go around the world crosses the antimeridian, or goes around a pole: then it is cut along the
antimeridian where it is whole, in its own system."""

SLIT = """ST_Transform(ST_Segmentize(ST_MakeEnvelope(-179.9999999,
        CASE WHEN ST_YMin(l) + ST_YMax(l) < 0 THEN -85.06 ELSE greatest(ST_YMin(l) - 1, -85.06) END, 179.9999999,
        CASE WHEN ST_YMin(l) + ST_YMax(l) > 0 THEN 85.06 ELSE least(ST_YMax(l) + 1, 85.06) END, 4326), 1), {srid})"""
"""All longitudes, of the shape's latitudes up to the pole that it is nearer to."""
