import { expect, it } from "vitest";
import { roundLength, sheetOf, zoomFor } from "./sheet";

it("a sheet has its margins, and room for a title only if there is one", () => {
  expect(sheetOf("A4", true, false)).toEqual({ width: 297, height: 210, map: { x: 10, y: 10, width: 277, height: 176 } });
  expect(sheetOf("A4", false, true).map).toEqual({ x: 10, y: 24, width: 190, height: 249 });
});

it("scale bars have round lengths", () => {
  expect([0.7, 1, 49, 50, 999, 120_000].map(roundLength)).toEqual([0.5, 1, 20, 50, 500, 100_000]);
});

it("a sheet shows all that the screen shows", () => {
  expect(zoomFor(5, { width: 1000, height: 500 }, { width: 2000, height: 2000 })).toBe(6);
  expect(zoomFor(5, { width: 1000, height: 500 }, { width: 500, height: 500 })).toBe(4);
});
