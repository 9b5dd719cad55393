import { describe, expect, it } from "vitest";
import { fitted, layoutOf } from "./layout";
import type { Shape } from "./shape";

const textWidth = (text: string) => text.length * 7;
const bars: Shape = {
  kind: "bar", horizontal: true, axes: null, columns: { across: "continent", value: "population" }, across: "category", names: ["Africa", "Asia"], series: [],
  range: { across: [-0.5, 1.5], value: [0, 4_000_000_000] }, marks: [], points: null,
};
const scatter: Shape = {
  ...bars, kind: "scatter", horizontal: false, axes: { across: "year", value: "height" }, columns: { across: "year", value: "height" }, across: "number", names: [],
  range: { across: [0, 10], value: [-1, 1] }, points: { x: [], y: [], series: [], ids: [] },
};

describe("the layout of a chart", () => {
  it("writes groups down the page, the first on top, their names before them", () => {
    const { left, right, top, bottom, across, value, at } = layoutOf(bars, 400, false, textWidth);
    expect(across.ticks.map(({ label }) => label)).toEqual(["Africa", "Asia"]);
    expect(across.ticks[0]!.at).toBeLessThan(across.ticks[1]!.at);
    expect([across.side, value.side]).toEqual(["left", "bottom"]);
    expect(left).toBeGreaterThan(textWidth("Africa"));
    expect(at(-0.5, 0)).toEqual([left, top]);
    expect(at(1.5, 4_000_000_000)).toEqual([right, bottom]);
  });

  it("begins at the right where the page does", () => {
    const { right, across, at } = layoutOf(bars, 400, true, textWidth);
    expect(across.side).toBe("right");
    expect(at(0, 0)[0]).toBe(right);
    expect(at(0, 1e9)[0]).toBeLessThan(right);
  });

  it("leads from data to pixels and back", () => {
    for (const shape of [bars, scatter]) {
      const { at, dataAt } = layoutOf(shape, 400, true, textWidth);
      const [across, value] = dataAt(...at(1, 0.5));
      expect(across).toBeCloseTo(1);
      expect(value).toBeCloseTo(0.5);
    }
  });

  it("writes numbers short and in the language of the page, no closer than can be read", () => {
    const { value, left, right } = layoutOf(bars, 400, false, textWidth);
    expect(value.ticks.map(({ label }) => label)).toContain("2B");
    for (const width of [120, 240, 400, 1200]) {
      const { across } = layoutOf(scatter, width, false, textWidth);
      across.ticks.slice(1).forEach((tick, index) => expect(tick.at - across.ticks[index]!.at).toBeGreaterThan(textWidth(tick.label) + 9));
    }
    expect(right).toBeGreaterThan(left);
  });

  it("has several ticks in the width of an answer, and years without separators", () => {
    const across = (from: number, to: number) =>
      layoutOf({ ...scatter, range: { across: [from, to], value: [0, 30] } }, 330, false, textWidth).across.ticks.map(({ label }) => label);
    expect(across(1.4, 98.5)).toEqual(["20", "40", "60", "80"]);
    expect(across(1920, 2020)).toEqual(["1920", "1940", "1960", "1980", "2000", "2020"]);
  });

  it("puts times at the beginnings of days, months and years in UTC", () => {
    const [from, to] = [Date.UTC(2019, 5, 3) / 1000, Date.UTC(2024, 2, 9) / 1000];
    const times: Shape = { ...scatter, axes: null, across: "time", range: { across: [from, to], value: [0, 1] } };
    expect(layoutOf(times, 700, false, textWidth).across.ticks.map(({ label }) => label)).toEqual(["2020", "2021", "2022", "2023", "2024"]);
  });

  it("cuts names that are too long", () => {
    expect(fitted("Antarctica", 100, textWidth)).toBe("Antarctica");
    expect(fitted("South Georgia and the Islands", 70, textWidth)).toBe("South Geo…");
  });
});
