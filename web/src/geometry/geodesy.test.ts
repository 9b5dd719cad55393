import { expect, it } from "vitest";
import { areaOf, lengthOf } from "./geodesy";

it("a quarter of the equator is ten thousand kilometres long", () => {
  expect(lengthOf([[0, 0], [45, 0], [90, 0]]) / 1000).toBeCloseTo(10_007.6, 0);
});

it("a degree of longitude shrinks towards the pole", () => {
  expect(lengthOf([[0, 60], [1, 60]]) / lengthOf([[0, 0], [1, 0]])).toBeCloseTo(0.5, 3);
});

it("a cell of one degree at the equator has 12,364 square kilometres", () => {
  expect(areaOf([[0, 0], [1, 0], [1, 1], [0, 1]]) / 1e6).toBeCloseTo(12_364, -1);
});
