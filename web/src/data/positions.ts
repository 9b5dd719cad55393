/** Spatial conditions of a filter in words: "within 50 km of 48.2° N, 16.37° E", "in the given area". Pure. */
import { number, t } from "../i18n/i18n";

type Literal = { type?: unknown; coordinates?: unknown; name?: unknown; bbox?: unknown };

const RELATIONS: Record<string, Parameters<typeof t>[0]> = {
  s_intersects: "sayInArea",
  s_within: "sayWithinArea",
  s_disjoint: "sayOutside",
  s_touches: "sayAtBorder",
};

/** A relation to a shape of longitudes and latitudes; null for what has no words. */
export function position(op: string, args: readonly unknown[]): string | null {
  const shape = args.find((it): it is Literal => typeof it === "object" && it !== null && ("bbox" in it || "coordinates" in it));
  if (shape === undefined) return null;
  const spot = shape.type === "Point" ? spotWords(shape.coordinates) : null;
  const area = typeof shape.name === "string" ? shape.name : (spot ?? t("sayGivenArea"));
  if (op === "s_dwithin" && typeof args[2] === "number") return t("sayNear", { a: length(args[2]), b: area });
  if (area === spot && (op === "s_intersects" || op === "s_contains")) return t("sayCovers", { a: area });
  if (op === "s_intersects" && /LineString$/.test(String(shape.type))) return t("sayMeets", { a: area });
  const relation = RELATIONS[op];
  return relation === undefined ? null : t(relation, { a: area });
}

/** Latitude first, in degrees with hemispheres, to about a metre. */
function spotWords(coordinates: unknown): string | null {
  const [longitude, latitude] = Array.isArray(coordinates) ? (coordinates as unknown[]) : [];
  if (typeof longitude !== "number" || typeof latitude !== "number") return null;
  const degrees = (angle: number) => number(Math.abs(angle), { maximumFractionDigits: 5 });
  return `${degrees(latitude)}° ${latitude < 0 ? "S" : "N"}, ${degrees(longitude)}° ${longitude < 0 ? "W" : "E"}`;
}

function length(metres: number): string {
  return metres < 1000 ? `${number(metres)} m` : `${number(metres / 1000, { maximumFractionDigits: 3 })} km`;
}
