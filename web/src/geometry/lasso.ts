/** Which features a ring drawn by hand takes: those that it touches. Plane geometry in degrees, as on the map. Pure. */
import type { Geometry } from "geojson";

type Point = readonly [number, number];

/** Whether the geometry touches the ring, on any copy of the world that the map shows. */
export function touches(geometry: Geometry, ring: readonly Point[]): boolean {
  if (ring.length < 3) return false;
  return [0, 360, -360].some((turn) => meets(geometry, ring.map(([x, y]): Point => [x + turn, y])));
}

function meets(geometry: Geometry, ring: readonly Point[]): boolean {
  switch (geometry.type) {
    case "Point": return contains(ring, geometry.coordinates as unknown as Point);
    case "MultiPoint": return geometry.coordinates.some((it) => contains(ring, it as unknown as Point));
    case "LineString": return crosses(ring, geometry.coordinates as unknown as Point[]);
    case "MultiLineString": return geometry.coordinates.some((it) => crosses(ring, it as unknown as Point[]));
    case "Polygon": return covers(ring, geometry.coordinates as unknown as Point[][]);
    case "MultiPolygon": return geometry.coordinates.some((it) => covers(ring, it as unknown as Point[][]));
    case "GeometryCollection": return geometry.geometries.some((it) => meets(it, ring));
  }
}

/** By the number of edges that a ray to the east meets. */
export function contains(ring: readonly Point[], [x, y]: Point): boolean {
  let isInside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [[x1, y1], [x2, y2]] = [ring[i] as Point, ring[j] as Point];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside;
  }
  return isInside;
}

function crosses(ring: readonly Point[], line: readonly Point[]): boolean {
  if (line.some((point) => contains(ring, point))) return true;
  const closed = [...ring, ring[0] as Point];
  return line.slice(1).some((b, i) => closed.slice(1).some((d, j) => meet(line[i] as Point, b, closed[j] as Point, d)));
}

/** The ring may lie within the polygon, but not in one of its holes. */
function covers(ring: readonly Point[], [outer, ...holes]: readonly Point[][]): boolean {
  if (outer === undefined) return false;
  const start = ring[0] as Point;
  if ([outer, ...holes].some((edge) => crosses(ring, edge))) return true;
  return contains(outer, start) && !holes.some((hole) => contains(hole, start));
}

function meet(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (p: Point, q: Point, r: Point) => Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}
