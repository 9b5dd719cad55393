import { expect, it } from "vitest";
import { touches } from "./lasso";

const RING: [number, number][] = [[0, 0], [10, 0], [10, 10], [5, 2], [0, 10]];
const point = (x: number, y: number) => ({ type: "Point" as const, coordinates: [x, y] });
const line = (...coordinates: number[][]) => ({ type: "LineString" as const, coordinates });
const square = (x: number, y: number, size: number) => [[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]];

it("takes points within the ring, not those in its bay", () => {
  expect(touches(point(1, 5), RING)).toBe(true);
  expect(touches(point(5, 5), RING)).toBe(false);
  expect(touches({ type: "MultiPoint", coordinates: [[50, 50], [1, 1]] }, RING)).toBe(true);
});

it("takes lines that begin in it or only pass through", () => {
  expect(touches(line([1, 1], [50, 50]), RING)).toBe(true);
  expect(touches(line([-5, 1], [15, 1]), RING)).toBe(true);
  expect(touches(line([4, 9], [6, 9]), RING)).toBe(false);
});

it("takes polygons that it overlaps, contains or lies in, but not when it lies in their hole", () => {
  const polygon = (...coordinates: number[][][]) => ({ type: "Polygon" as const, coordinates });
  expect(touches(polygon(square(1, 1, 1)), RING)).toBe(true);
  expect(touches(polygon(square(-50, -50, 100)), RING)).toBe(true);
  expect(touches(polygon(square(-50, -50, 100), square(-20, -20, 40)), RING)).toBe(false);
  expect(touches({ type: "MultiPolygon", coordinates: [[square(40, 40, 1)], [square(9, -1, 2)]] }, RING)).toBe(true);
});

it("takes what lies on another copy of the world", () => {
  expect(touches(point(-179, 5), RING.map(([x, y]) => [x + 180, y]))).toBe(true);
});

it("needs a ring", () => {
  expect(touches(point(0, 0), [[0, 0], [1, 1]])).toBe(false);
});
