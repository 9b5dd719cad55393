import { expect, test } from "vitest";
import { sameAs } from "./receipts";

const point = (coordinates: number[], properties = { value: 1 }, id?: number) =>
  ({ ...(id !== undefined && { id }), properties, geometry: { type: "Point" as const, coordinates } });

test("features with a key are distinguished by it", () => {
  expect(sameAs(point([1, 2], { value: 1 }, 7))).toBe(sameAs(point([3, 4], { value: 2 }, 7)));
});

test("points without a key that have the same attributes are distinguished by their place", () => {
  expect(sameAs(point([1, 2]))).not.toBe(sameAs(point([1.001, 2])));
  expect(sameAs(point([1, 2]))).toBe(sameAs(point([1.0000000001, 2])));
});

test("parts of a shape without a key are one in all tiles, and so are those of a cell", () => {
  const line = (end: number) => ({ properties: { value: 1 }, geometry: { type: "LineString" as const, coordinates: [[0, 0], [end, 1]] } });
  expect(sameAs(line(1))).toBe(sameAs(line(2)));
  const cell = (mean: number) => ({ properties: { "@cell": "3/4", mean }, geometry: line(1).geometry });
  expect(sameAs(cell(1.1))).toBe(sameAs(cell(1.2)));
});

test("the geometry of a feature with a key is not read", () => {
  const keyed = {
    id: 7,
    properties: {},
    get geometry(): never {
      throw new Error("MapLibre computes a geometry for each feature");
    },
  };
  expect(sameAs(keyed)).toBe(7);
});
