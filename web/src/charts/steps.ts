/** Where the arrow keys stop in a chart: at its parts in their order, or at its points from left to right. Pure. */
import { keyOf, type Mark, type Shape } from "./shape";

export type Stop = Mark | number;

export function stopsOf({ marks, points }: Shape): Stop[] {
  if (points === null) return marks;
  return points.x.map((_, index) => index).sort((a, b) => (points.x[a] ?? 0) - (points.x[b] ?? 0) || (points.y[a] ?? 0) - (points.y[b] ?? 0));
}

/** The stop `by` further than this one, around the ends; from nowhere the first, or the last. */
export function stepped(stops: readonly Stop[], from: Stop | null, by: number): Stop | null {
  const at = from === null ? -1 : placeOf(stops, from);
  const start = at === -1 && by < 0 ? 0 : at;
  return stops[(start + by + stops.length) % stops.length] ?? null;
}

export const placeOf = (stops: readonly Stop[], wanted: Stop): number => stops.findIndex((stop) => idOf(stop) === idOf(wanted));

/** Told apart from all other stops of the chart. */
export const idOf = (stop: Stop): string => (typeof stop === "number" ? `point-${stop}` : keyOf(stop).replace(/\W+/g, "-"));
