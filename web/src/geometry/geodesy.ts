/** Lengths and areas on the earth as a sphere of its mean radius: within half a percent of the ellipsoid. Pure. */
import type { Position } from "./types";

const RADIUS = 6_371_008.8;

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Metres along a line, by great circles. */
export function lengthOf(line: readonly Position[]): number {
  let sum = 0;
  for (let i = 1; i < line.length; i++) sum += distance(line[i - 1] as Position, line[i] as Position);
  return sum;
}

/** Square metres within a ring, which need not be closed. */
export function areaOf(ring: readonly Position[]): number {
  let sum = 0;
  for (let i = 0; i < ring.length; i++) {
    const [x1, y1] = ring[i] as Position;
    const [x2, y2] = ring[(i + 1) % ring.length] as Position;
    sum += radians(x2 - x1) * (2 + Math.sin(radians(y1)) + Math.sin(radians(y2)));
  }
  return Math.abs((sum * RADIUS * RADIUS) / 2);
}

function distance([x1, y1]: Position, [x2, y2]: Position): number {
  const a =
    Math.sin(radians(y2 - y1) / 2) ** 2 +
    Math.cos(radians(y1)) * Math.cos(radians(y2)) * Math.sin(radians(x2 - x1) / 2) ** 2;
  return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(a)));
}
