import { expect, test } from "vitest";
import type { Legend } from "../../../protocol/types";
import { axisOf, domainOf, limitsOf, moved } from "./limits";

const range = (minimum: number, maximum: number) => ({ label: "", code: "range", color: "#000000", minimum, maximum });
const LEGEND = {
  title: "", entries: [range(0, 10), range(10, 40), range(40, 5000), { label: "no data", code: "no_data", color: "#d9d9d9" }],
} as unknown as Legend;

test("limits are read from the classes, and the scale ends soon after the last one", () => {
  expect(limitsOf(LEGEND)).toEqual([10, 40]);
  expect(domainOf(LEGEND)).toEqual({ from: 0, to: 60 });
});

test("one class has no limits to move", () => {
  expect(domainOf({ title: "", entries: [range(1, 1)] } as unknown as Legend)).toBeNull();
});

test("a limit stays between its neighbours", () => {
  const domain = { from: 0, to: 60 };
  expect(moved([10, 40], 0, 55, domain, true)).toEqual([39, 40]);
  expect(moved([10, 40], 1, -5, domain, true)).toEqual([10, 11]);
  expect(moved([10, 40], 1, 99, domain, true)).toEqual([10, 60]);
  expect(moved([10, 40], 0, 20.123456, domain, false)).toEqual([20.1, 40]);
});

test("limits that are close are drawn apart, and the axis leads back to their values", () => {
  const domain = { from: 0, to: 1000 };
  const limits = [1, 2, 900];
  const axis = axisOf(limits, domain);
  const places = limits.map(axis.place);
  expect(places.map((place) => Math.round(axis.valueAt(place) * 1000) / 1000)).toEqual(limits);
  expect((places[1] ?? 0) - (places[0] ?? 0)).toBeGreaterThanOrEqual(0.09);
  expect([axis.place(0), axis.place(1000)]).toEqual([0, 1]);
  expect([axis.valueAt(-1), axis.valueAt(2)]).toEqual([0, 1000]);
});
