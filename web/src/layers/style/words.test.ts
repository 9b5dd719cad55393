import { afterEach, expect, it } from "vitest";
import { setLanguage } from "../../i18n/languages";
import type { Layer, Legend, LegendEntry } from "../../protocol/types";
import { legendLabel, legendTitle } from "./words";

const entry = (change: Partial<LegendEntry>): LegendEntry => ({
  label: "as the server says it", code: "name", color: "#000000", size: null, minimum: null, maximum: null, open: null, whole: false,
  value: null, count: null, hidden: false, ...change,
});
const range = (minimum: number, maximum: number, change: Partial<LegendEntry> = {}) =>
  legendLabel(entry({ code: "range", minimum, maximum, ...change }));

afterEach(() => setLanguage("en"));

it("class limits are written as everywhere on the page, and exactly", () => {
  expect(range(114_999, 2_783_451.5)).toBe("114,999 – < 2.7834515M");
  expect(range(0, 2_283.95, { open: "below" })).toBe("< 2,283.95");
  expect(range(0.05, 3, { open: "above" })).toBe("≥ 0.05");
});

it("whole numbers end at the one before the next class", () => {
  expect(range(10, 20, { whole: true })).toBe("10 – 19");
  expect(range(10, 11, { whole: true })).toBe("10");
  expect(range(0, 5, { whole: true, open: "below" })).toBe("≤ 4");
  expect(range(0, 1, { whole: true, open: "below" })).toBe("0");
  expect(range(1e6, 3e6, { whole: true })).toBe("1M – < 3M");
});

it("titles of legends name the statistic and the unit", () => {
  const title = (kind: Legend["kind"], text: string, style: { column: string | null; statistic?: string }) =>
    legendTitle({ legend: { kind, title: text }, style } as unknown as Layer);
  expect(title("graduated", "elevation_m", { column: "elevation_m" })).toBe("elevation (m)");
  expect(title("hexbin", "mean of elevation_m", { column: "elevation_m" })).toBe("Average: elevation (m)");
  expect(title("hexbin", "airports", { column: null })).toBe("Number of features");
  expect(title("cluster", "airports", { column: null })).toBe("");
});

it("what is not a number is worded in the language of the page", async () => {
  expect(legendLabel(entry({ code: "no_data" }))).toBe("No data");
  expect(legendLabel(entry({ code: "value", value: 2e9 }))).toBe("2B");
  await setLanguage("ar");
  expect(legendLabel(entry({ code: "no_data" }))).toBe("لا بيانات");
  expect(legendLabel(entry({ code: "name" }))).toBe("as the server says it");
  // Signs such as ≤ are mirrored in a line from the right, and not in one of numbers alone.
  const plain = (label: string) => label.replace(/[\u2068\u2069]/g, "");
  expect(plain(range(0, 5, { whole: true, open: "below" }))).toBe("حتى 4");
  expect(plain(range(5, 9.5, { open: "above" }))).toBe("5 فأكثر");
  expect(plain(range(5, 9.5))).toBe("5 – أقل من 9.5");
});
