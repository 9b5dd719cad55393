"""Distances between points, lines and areas in Spark's SQL, as ST_Distance of a geography has them: edges are great
circles on a sphere, and the way to the nearest place on them is measured on the spheroid. Sedona measures between
points only.

Corners are unit vectors, so neither the antimeridian nor a pole is special. `filled` replaces the named values."""

from __future__ import annotations


def _dot(a: str, b: str) -> str:
    return f"({a}.x * {b}.x + {a}.y * {b}.y + {a}.z * {b}.z)"


def _struct(x: str, y: str, z: str) -> str:
    return f"struct({x} AS x, {y} AS y, {z} AS z)"


def _cross(a: str, b: str) -> str:
    return _struct(
        f"{a}.y * {b}.z - {a}.z * {b}.y", f"{a}.z * {b}.x - {a}.x * {b}.z", f"{a}.x * {b}.y - {a}.y * {b}.x"
    )


def _normal(a: str, b: str) -> str:
    """(a + b) x (b - a), which is 2 a x b, and more exact for short edges."""

    def minor(first: str, second: str) -> str:
        return (
            f"({a}.{first} + {b}.{first}) * ({b}.{second} - {a}.{second})"
            f" - ({a}.{second} + {b}.{second}) * ({b}.{first} - {a}.{first})"
        )

    return _struct(minor("y", "z"), minor("z", "x"), minor("x", "y"))


def _apart(a: str, b: str) -> str:
    """The square of a straight distance."""
    return " + ".join(f"({a}.{axis} - {b}.{axis}) * ({a}.{axis} - {b}.{axis})" for axis in "xyz")


def _let(name: str, value: str, of: str) -> str:
    """`of` with `name` standing for a value that is computed once."""
    return f"element_at(transform(array({value}), {name} -> {of}), 1)"


_ANGLES = "struct(radians(ST_X({p})) AS lon, radians(ST_Y({p})) AS lat)"
_FROM_ANGLES = _struct("cos(g.lat) * cos(g.lon)", "cos(g.lat) * sin(g.lon)", "sin(g.lat)")
VECTOR = _let("g", _ANGLES.format(p="shape"), _FROM_ANGLES)
"""A point as a unit vector."""

_HOLES = "filter(sequence(0, ST_NumInteriorRings(part)), n -> n < ST_NumInteriorRings(part))"
_RINGS = f"concat(array(ST_ExteriorRing(part)), transform({_HOLES}, n -> ST_InteriorRingN(part, n)))"
_CORNERS = f"transform(transform(ST_DumpPoints(line), p -> {_ANGLES.format(p='p')}), g -> {_FROM_ANGLES})"
_ENDS = """transform(sequence(1, greatest(size(line) - 1, 1)),
  i -> struct(element_at(line, i) AS a, element_at(line, least(i + 1, size(line))) AS b))"""
_EDGES = f"""transform(transform({_ENDS},
  e -> struct(e.a AS a, e.b AS b, {_normal("e.a", "e.b")} AS n)),
  e -> struct(e.a AS a, e.b AS b, e.n AS n, {_dot("e.n", "e.n")} AS n2, {_dot("e.a", "e.b")} AS ab,
    {_cross("e.n", "e.a")} AS on, {_cross("e.b", "e.n")} AS back))"""
PARTS = f"""
transform(filter(ST_Dump(ST_ForcePolygonCCW(shape)), part -> NOT ST_IsEmpty(part)), part -> struct(
  ST_Dimension(part) = 2 AS area,
  flatten(transform(transform(CASE WHEN ST_Dimension(part) = 2 THEN {_RINGS} ELSE array(part) END,
    line -> {_CORNERS}), line -> {_EDGES})) AS edges))
"""
"""The parts of a shape: whether it is an `area`, and its `edges`, of a point one without length. An edge has its ends
`a` and `b`, the normal `n` of its great circle, and the directions that lead along it: `on` from `a`, `back` from `b`.
Outer rings run counter-clockwise, holes clockwise."""

_TURN = f"atan2({_dot('origin', 'e.n')} / 2D, e.ab - {_dot('origin', 'e.a')} * {_dot('origin', 'e.b')})"
_AROUND = f"aggregate(part.edges, 0D, (turns, e) -> turns + {_TURN})"
"""By how much the direction from `origin` turns along the rings: once around in an area that holds it, and once the
other way in one that holds the place opposite on the globe."""
_ON_THIS_SIDE = f"forall(part.edges, e -> {_dot('origin', 'e.a')} > 0D)"
"""Distinguishes the second case from the half of a bow-tie that runs clockwise."""
_IN_PART = f"""part.area AND
  exists(array({_AROUND}), turns -> turns > pi() OR (turns < -pi() AND {_ON_THIS_SIDE}))"""

_PLACE = _struct(*(f"origin.{axis} * e.edge.n2 - e.edge.n.{axis} * e.h" for axis in "xyz"))
_FOOT = f"""CASE
  WHEN e.edge.n2 > 0D AND {_dot("origin", "e.edge.on")} >= 0D AND {_dot("origin", "e.edge.back")} >= 0D THEN struct(
    2D * e.h * e.h / e.edge.n2 / (1D + sqrt(greatest(0D, 1D - e.h * e.h / e.edge.n2))) AS apart,
    {_PLACE} AS place, origin)
  WHEN {_apart("origin", "e.edge.a")} <= {_apart("origin", "e.edge.b")}
    THEN struct({_apart("origin", "e.edge.a")} AS apart, e.edge.a AS place, origin)
  ELSE struct({_apart("origin", "e.edge.b")} AS apart, e.edge.b AS place, origin) END"""
"""The square of the straight distance from `origin` to an edge, and the nearest place there as a vector of any
length."""


def _edges(parts: str) -> str:
    return f"flatten(transform({parts}, part -> part.edges))"


def _nearest(parts: str) -> str:
    """The place on the edges nearest to `origin`; `origin` itself inside of an area."""
    heights = f"transform({_edges(parts)}, edge -> struct(edge, {_dot('origin', 'edge.n')} AS h))"
    return f"""CASE WHEN exists({parts}, part -> {_IN_PART}) THEN struct(0D AS apart, origin AS place, origin)
  ELSE array_min(transform({heights}, e -> {_FOOT})) END"""


LONLAT = "ST_Point(degrees(atan2({v}.y, {v}.x)), degrees(atan2({v}.z, sqrt({v}.x * {v}.x + {v}.y * {v}.y))))"
"""The point in degrees of a vector `v` of any length."""
_METRES = f"""CASE WHEN f.apart = 0D THEN 0D
  ELSE ST_DistanceSpheroid({LONLAT.format(v="f.origin")}, {LONLAT.format(v="f.place")}) END"""
DISTANCE = (
    f"""element_at(transform(transform(array(vector), origin -> {_nearest("parts")}), f -> {_METRES}), 1)"""
)
"""Metres from a `vector` (VECTOR) to the `parts` (PARTS) of a shape."""


def _places(parts: str) -> str:
    """All corners."""
    ends = "array(element_at(part.edges, -1).b)"
    return f"flatten(transform({parts}, part -> concat(transform(part.edges, e -> e.a), {ends})))"


_SIDES = (_dot("e.n", "g.a"), _dot("e.n", "g.b"), _dot("g.n", "e.a"), _dot("g.n", "e.b"))
_CROSSES = f"""exists({_edges("one")}, e -> exists({_edges("two")}, g ->
  {_SIDES[0]} * {_SIDES[1]} < 0D AND {_SIDES[2]} * {_SIDES[3]} < 0D AND {_SIDES[0]} * {_SIDES[2]} < 0D))"""
"""Whether an edge leads from one side of another to the other side, and not past the place opposite on the globe."""
_CLOSEST = f"""array_min(concat(
  transform({_places("one")}, origin -> {_nearest("two")}),
  transform({_places("two")}, origin -> {_nearest("one")})))"""
BETWEEN = f"""CASE WHEN {_CROSSES} THEN 0D
  ELSE element_at(transform(array({_CLOSEST}), f -> {_METRES}), 1) END"""
"""Metres between the PARTS of two shapes: where they do not cross, from a corner of one to the other."""

_WIDTH = "(ST_XMax({shape}) - ST_XMin({shape}))"


def _highest(latitude: str, shape: str) -> str:
    """How far from the equator a great circle between places of a latitude may lead."""
    return f"degrees(atan(tan(radians({latitude})) / cos(radians({_WIDTH.format(shape=shape)} / 2D))))"


_PART_BOX = f"""CASE WHEN {_WIDTH.format(shape="part")} >= 179D THEN ST_PolygonFromEnvelope(-180D, -90D, 180D, 90D)
  ELSE ST_PolygonFromEnvelope(
    ST_XMin(part) - 1e-9, least(ST_YMin(part), {_highest("ST_YMin(part)", "part")}) - 1e-9,
    ST_XMax(part) + 1e-9, greatest(ST_YMax(part), {_highest("ST_YMax(part)", "part")}) + 1e-9) END"""
BOX = _let(
    "boxes",
    f"transform(filter(ST_Dump(shape), part -> NOT ST_IsEmpty(part)), part -> {_PART_BOX})",
    "CASE WHEN size(boxes) = 1 THEN element_at(boxes, 1) ELSE ST_Union(boxes) END",
)
"""Longitudes and latitudes that hold the parts of a shape with great circles as edges."""

_FARTHEST = _let(
    "corners",
    "ST_DumpPoints(shape)",
    "array_max(transform(corners, p -> ST_DistanceSphere(element_at(corners, 1), p)))",
)
RADIUS = _let(
    "far",
    _FARTHEST,
    f"CASE WHEN {_WIDTH.format(shape='shape')} >= 179D OR far > 9e6 THEN 20004000D ELSE far * 1.01D END",
)
"""Metres from the first corner of a shape within which all of it lies. On a sphere and a hundredth more: the spheroid
differs by less."""

CORNER = "ST_SetSRID(element_at(ST_DumpPoints(shape), 1), 4326)"
