import { expect, test } from "vitest";
import { widthsOf } from "./widths";

test("columns are as wide as what is in them, within reason", () => {
  const rows = [{ id: 1, name: "Zürich Kloten", note: "x".repeat(400) }, { id: 2, name: "Bern", note: null }];
  const [id, name, note] = widthsOf(["id", "name", "note"], rows);
  expect(id?.pixels).toBe(80);
  expect(name?.pixels).toBeGreaterThan(100);
  expect(note?.pixels).toBe(320);
  expect([id?.isNumber, name?.isNumber]).toEqual([true, false]);
});

test("a long header is not cut off by its menu", () => {
  expect(widthsOf(["population_density"], [{ population_density: 1 }])[0]?.pixels).toBeGreaterThan(180);
});

test("columns without values hold no numbers", () => {
  expect(widthsOf(["a"], [{ a: null }])[0]?.isNumber).toBe(false);
});
