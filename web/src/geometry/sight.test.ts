import { expect, it } from "vitest";
import { around, isInSight, isOutside, middleOfWorld, zoomOfWorld } from "./sight";
import type { Bounds } from "./types";

const europe: Bounds = [-10, 35, 30, 60];
const pacific: Bounds = [160, -40, -140, 20];

it("what lies elsewhere is outside, also beyond the antimeridian", () => {
  expect(isOutside([100, 0, 110, 10], europe)).toBe(true);
  expect(isOutside([5, 45, 15, 48], europe)).toBe(false);
  expect(isOutside([170, -20, -175, -10], pacific)).toBe(false);
  expect(isOutside([0, -20, 20, -10], pacific)).toBe(true);
  expect(isOutside([-180, -90, 180, 90], europe)).toBe(false);
});

it("what is in sight lies in view as a whole and is more than a dot", () => {
  expect(isInSight([5, 45, 15, 48], europe)).toBe(true);
  expect(isInSight([5, 45, 45, 48], europe)).toBe(false);
  expect(isInSight([9.4, 47, 9.7, 47.3], europe)).toBe(false);
  expect(isInSight([170, -20, -175, -10], pacific)).toBe(true);
});

it("several bounds make one, but not across the antimeridian", () => {
  expect(around([[0, 0, 1, 1], [-5, 2, 0, 9]])).toEqual([-5, 0, 1, 9]);
  expect(around([])).toBeNull();
  expect(around([pacific])).toBeNull();
});

it("the whole world lies in the middle of what is not covered", () => {
  expect(zoomOfWorld(1024)).toBe(1);
  expect(middleOfWorld([-180, -85, 180, 85], { left: 0, right: 0 }, 400)).toBe(0);
  expect(middleOfWorld([-180, -85, 180, 85], { left: 100, right: 0 }, 400)).toBe(-45);
  expect(middleOfWorld([170, -20, -170, 20], { left: 0, right: 100 }, 400)).toBe(-135);
});
