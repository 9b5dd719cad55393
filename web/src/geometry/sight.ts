/** Whether what has these bounds can be seen in a view. Pure. */
import type { Bounds } from "./types";

/** What takes less of the view than this is only a dot. */
const LEAST_SHARE = 1 / 12;

/** Bounds as intervals of longitude that do not cross the antimeridian. */
const parts = ([west, , east]: Bounds): [number, number][] => (west <= east ? [[west, east]] : [[west, 180], [-180, east]]);
const width = (bounds: Bounds): number => parts(bounds).reduce((sum, [from, to]) => sum + to - from, 0);

/** Nothing of it is in view. */
export function isOutside(bounds: Bounds, view: Bounds): boolean {
  if (bounds[1] > view[3] || bounds[3] < view[1]) return true;
  return !parts(bounds).some(([from, to]) => parts(view).some(([left, right]) => from <= right && to >= left));
}

/** It lies in view as a whole, and is large enough there to be looked at. */
export function isInSight(bounds: Bounds, view: Bounds): boolean {
  const inside = bounds[1] >= view[1] && bounds[3] <= view[3]
    && parts(bounds).every(([from, to]) => parts(view).some(([left, right]) => from >= left && to <= right));
  const share = Math.max(width(bounds) / width(view), (bounds[3] - bounds[1]) / (view[3] - view[1]));
  return inside && share >= LEAST_SHARE;
}

/** The smallest bounds around all of these; null without any, or if one crosses the antimeridian. */
export function around(all: readonly Bounds[]): Bounds | null {
  if (all.length === 0 || all.some(([west, , east]) => west > east)) return null;
  const column = (index: 0 | 1 | 2 | 3) => all.map((box) => box[index]);
  return [Math.min(...column(0)), Math.min(...column(1)), Math.max(...column(2)), Math.max(...column(3))];
}

/**
 * The longitude in the middle of the map that has these bounds in the middle of what is not covered, at the zoom at which the world is as
 * high as the map. Wider bounds would be fitted at a lower zoom, which maps do not have, and placed for that one.
 */
export function middleOfWorld([west, , east]: Bounds, padding: { left?: number; right?: number }, height: number): number {
  const shift = ((padding.right ?? 0) - (padding.left ?? 0)) / 2;
  const middle = (west + (east < west ? east + 360 : east)) / 2 + (shift / height) * 360;
  return ((((middle + 180) % 360) + 360) % 360) - 180;
}

/** The lowest zoom of a map of this height. */
export const zoomOfWorld = (height: number): number => Math.log2(height / 512);
