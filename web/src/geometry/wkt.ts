/** Well-known text as GeoJSON: one geometry a line, in longitude and latitude, without heights. Pure. */
import type { Feature, FeatureCollection, Geometry, Position } from "geojson";

const LINE = /^(?:SRID=4326;)?\s*(MULTI)?(POINT|LINESTRING|POLYGON)\s*(?:Z|M|ZM)?\s*(\([-+.\deE,\s()]+\))$/i;
const POSITION = /[-+.\de]+(?:\s+[-+.\de]+)+/gi;
const TYPES = { POINT: "Point", LINESTRING: "LineString", POLYGON: "Polygon" } as const;

/** Null where a line is something else. */
export function fromWkt(text: string): FeatureCollection | null {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const features = lines.flatMap((line): Feature[] => {
    const geometry = geometryOf(line);
    return geometry === null ? [] : [{ type: "Feature", properties: {}, geometry }];
  });
  return lines.length === 0 || features.length < lines.length ? null : { type: "FeatureCollection", features };
}

function geometryOf(line: string): Geometry | null {
  const [, multi, kind = "", body = ""] = LINE.exec(line) ?? [];
  if (body === "") return null;
  const type = TYPES[kind.toUpperCase() as keyof typeof TYPES];
  const json = body.replace(POSITION, (found) => `[${found.trim().split(/\s+/, 2).map(Number).join(",")}]`).replaceAll("(", "[").replaceAll(")", "]");
  try {
    const parts: unknown = JSON.parse(json);
    if (multi !== undefined) return { type: `Multi${type}`, coordinates: type === "Point" ? points(parts as Position[]) : parts } as Geometry;
    return { type, coordinates: type === "Point" ? (parts as unknown[])[0] : parts } as Geometry;
  } catch {
    return null;
  }
}

/** Coordinates of a MULTIPOINT, which may each be in parentheses: `((1 2), (3 4))`. */
const points = (parts: readonly (Position | [Position])[]): Position[] => parts.map((it) => (Array.isArray(it[0]) ? it[0] : it as Position));
