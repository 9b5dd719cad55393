"""Makes `server/samples/countries.geojson.gz` from Natural Earth's 1:50m countries as TopoJSON (npm `world-atlas`).

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    python tools/sample_countries.py package/countries-50m.json

For contributors; the result is in the repository. The source stitches polygons across the antimeridian and
around the pole; here they are cut at 180 degrees, so that they are valid and drawn where they belong."""

from __future__ import annotations

import gzip
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import shapely
from shapely import MultiPolygon, Polygon, affinity

TARGET = Path(__file__).parents[1] / "server" / "samples" / "countries.geojson.gz"
SPELLED_OUT = {"N. Cyprus": "Northern Cyprus", "Indian Ocean Ter.": "Australian Indian Ocean Territories"}
Ring = list[tuple[float, float]]


def main() -> None:
    """Make the sample of countries from a TopoJSON file of Natural Earth."""
    topology = json.loads(Path(sys.argv[1]).read_text())
    arcs = [_arc(arc, topology["transform"]) for arc in topology["arcs"]]
    shapes: dict[tuple[str | None, str], list[Polygon]] = {}
    names: dict[str, str] = {}
    for country in topology["objects"]["countries"]["geometries"]:
        code = country.get("id")
        name = country["properties"]["name"]
        name = SPELLED_OUT.get(name, name)
        if code is not None:  # Ashmore and Cartier Islands share Australia's code, and belong to it
            name = names.setdefault(code, name)
        shapes.setdefault((code, name), []).extend(_polygons(country, arcs))
    features = [_feature(code, name, polygons) for (code, name), polygons in shapes.items()]
    features.sort(key=lambda feature: str(feature["properties"]["name"]))
    text = json.dumps({"type": "FeatureCollection", "features": features}, separators=(",", ":"))
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(features)} countries, {TARGET.stat().st_size} bytes")


def _arc(deltas: list[list[int]], transform: dict[str, list[float]]) -> Ring:
    (scale_x, scale_y), (origin_x, origin_y) = transform["scale"], transform["translate"]
    x = y = 0
    points = []
    for dx, dy in deltas:
        x, y = x + dx, y + dy
        points.append((x * scale_x + origin_x, y * scale_y + origin_y))
    return points


def _polygons(country: dict[str, Any], arcs: list[Ring]) -> list[Polygon]:
    listed = country["arcs"] if country["type"] == "MultiPolygon" else [country["arcs"]]
    return [part for polygon in listed for part in _cut([_ring(ring, arcs) for ring in polygon])]


def _ring(numbers: list[int], arcs: list[Ring]) -> Ring:
    points: Ring = []
    for number in numbers:
        arc = arcs[number] if number >= 0 else arcs[~number][::-1]
        points.extend(arc[1:] if points else arc)
    return points


def _cut(rings: list[Ring]) -> list[Polygon]:
    """Parts of the polygon between -180 and 180 degrees, each where it belongs."""
    outer, *holes = (_around_the_pole(_unrolled(ring)) for ring in rings)
    whole = shapely.make_valid(Polygon(outer, [_beside(hole, outer) for hole in holes]))
    parts: list[Polygon] = []
    for turn in (-360, 0, 360):
        piece = shapely.intersection(whole, shapely.box(turn - 180, -90, turn + 180, 90))
        parts.extend(_areas(affinity.translate(piece, -turn)))
    return parts


def _unrolled(ring: Ring) -> Ring:
    """Without jumps over the antimeridian: longitudes go on beyond 180."""
    points = [ring[0]]
    for (before, _), (x, y) in pairwise(ring):
        step = (x - before + 180) % 360 - 180
        points.append((points[-1][0] + step, y))
    return points


def _around_the_pole(ring: Ring) -> Ring:
    """A ring that went once around the Earth holds the pole (the southern one): close it along the map's edge."""
    turn = round((ring[-1][0] - ring[0][0]) / 360) * 360
    if turn == 0:
        return ring
    coast = [(x + shift, y) for shift in (-turn, 0, turn) for x, y in ring]
    return [*coast, (coast[-1][0], -90.0), (coast[0][0], -90.0), coast[0]]


def _beside(hole: Ring, outer: Ring) -> Ring:
    """Moved by whole turns to where its outer ring was unrolled to."""
    middle = sum(x for x, _ in outer) / len(outer)
    turns = round((middle - hole[0][0]) / 360)
    return [(x + 360 * turns, y) for x, y in hole]


def _areas(geometry: shapely.Geometry) -> list[Polygon]:
    parts = getattr(geometry, "geoms", [geometry])
    return [part for whole in parts for part in getattr(whole, "geoms", [whole]) if part.area > 0]


def _feature(code: str | None, name: str, polygons: list[Polygon]) -> dict[str, Any]:
    shape = shapely.set_precision(shapely.union_all(polygons), 0.0001)
    parts = [shapely.orient_polygons(part) for part in _areas(shape)]
    geometry = MultiPolygon(parts)
    if not geometry.is_valid:
        raise ValueError(f"{name} is not valid: {shapely.is_valid_reason(geometry)}")
    coordinates = [
        [[[round(x, 4), round(y, 4)] for x, y in ring.coords] for ring in (part.exterior, *part.interiors)]
        for part in parts
    ]
    return {
        "type": "Feature",
        "properties": {"iso_numeric": code, "name": name},
        "geometry": {"type": "MultiPolygon", "coordinates": coordinates},
    }


if __name__ == "__main__":
    main()
