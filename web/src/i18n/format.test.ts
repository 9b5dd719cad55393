import { expect, it } from "vitest";
import labels from "../testing/labels.json";
import { formatNumber, isLabel } from "./format";

it.each(labels as [string, number, boolean][])("%s %d: years, keys and codes are known by the name as in answers (%s)", (name, value, expected) => {
  expect(isLabel(name, value)).toBe(expected);
});

it("years, keys and codes are written without separators", () => {
  expect([formatNumber("ownerId", 12345), formatNumber("built", 1999), formatNumber("year", 1999.5)]).toEqual(["12345", "1999", "1999.5"]);
  expect(formatNumber("population", 12345)).toBe("12,345");
  expect(formatNumber("id", Number("1750000000000000005"))).toMatch(/^≈ 175000000000000/);
});
