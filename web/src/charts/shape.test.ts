import { describe, expect, it } from "vitest";
import type { Chart, ChartData } from "../protocol/types";
import { hits, isChosen, markedOf, partsWithin } from "./hits";
import { setLanguage } from "../i18n/languages";
import { keyOf, nameOf, shapeOf, stopsOf, titleOf } from "./shape";

const chart = (change: Partial<Chart>): Chart => ({
  id: "c", version: 1, kind: "bar", title: "C", titled: true, table: "data.t", layer_id: null, layer_filter: null, filter: null, x: "x", y: null,
  color: null, aggregate: "count", bins: null, period: null, rows: 9, usable: 9, shown: 9, note: "", wording: [], data: "/data", ...change,
});
const data = (change: Partial<ChartData>): ChartData => ({
  x: null, series: null, time: false, values: [], counts: [], boxes: [], points: null, ...change,
});
const groups = { kind: "category" as const, column: "x", keys: ["a", null], others: 3, edges: [] };
const bins = { kind: "number" as const, column: "x", keys: [], others: 0, edges: [0, 10, 20] };
const split = { kind: "category" as const, column: "s", keys: ["one", "two"], others: 0, edges: [] };

describe("titles", () => {
  it("are as somebody gave them, else in the language of the page with the columns' own names", async () => {
    const plain = chart({ titled: false, title: "Total gdp md by sub region", aggregate: "sum", y: "gdp_md", x: "sub_region" });
    expect(titleOf(plain)).toBe("Total gdp md by sub region");
    await setLanguage("ar");
    expect(titleOf(plain)).toBe("المجموع: gdp md · sub region");
    expect(titleOf(chart({ titled: false, kind: "scatter", aggregate: null, x: "a", y: "b", color: "c" }))).toBe("b · a · c");
    expect(titleOf(chart({ titled: false, kind: "histogram", aggregate: null, x: "a" }))).toMatch(/ \(t\) · a$/);
    expect(titleOf({ ...plain, titled: true })).toBe("Total gdp md by sub region");
    await setLanguage("en");
  });
});

describe("the order of marks", () => {
  it("is that of the points of a scatter chart from left to right", () => {
    const points = { x: [30, 10, 20], y: [1, 2, 3], series: [], ids: [] };
    expect(stopsOf(shapeOf(chart({ kind: "scatter", aggregate: null, y: "y" }), data({ points })))).toEqual([1, 2, 0]);
  });
});

describe("shapes", () => {
  it("names groups, those without a value, and the others", () => {
    const shape = shapeOf(chart({}), data({ x: groups, values: [[5, 1, 3]], counts: [[5, 1, 3]] }));
    expect(shape.names).toEqual(["a", "(empty)", "3 others"]);
    expect(shape.horizontal).toBe(true);
    expect(shape.range.across).toEqual([-0.5, 2.5]);
    expect(shape.range.value[0]).toBe(0);
    expect(shape.marks.map(keyOf)).toEqual(["0.0", "1.0", "2.0"]);
  });

  it("stacks counts and sums, losses below the line", () => {
    const values = [[4, -2], [3, -5]];
    const { marks, range } = shapeOf(chart({ aggregate: "sum", y: "y" }), data({ x: { ...groups, others: 0 }, series: split, values, counts: [[1, 1], [1, 1]] }));
    expect(marks.filter(({ place }) => place === 0).map(({ low, high }) => [low, high])).toEqual([[0, 4], [4, 7]]);
    expect(marks.filter(({ place }) => place === 1).map(({ low, high }) => [low, high])).toEqual([[-2, 0], [-7, -2]]);
    expect(range.value[0]).toBeLessThan(-7);
  });

  it("sets what cannot be added up side by side", () => {
    const { marks } = shapeOf(chart({ aggregate: "mean", y: "y" }), data({ x: { ...groups, others: 0 }, series: split, values: [[4, 1], [3, 1]], counts: [[1, 1], [1, 1]] }));
    const [first, second] = marks.filter(({ place }) => place === 0);
    expect(first?.end).toBeCloseTo(second?.start ?? 0);
    expect([first?.low, second?.low]).toEqual([0, 0]);
  });

  it("lets bins fill their width and leaves out what has no value", () => {
    const { marks, horizontal } = shapeOf(chart({ kind: "histogram" }), data({ x: bins, values: [[null, 7]], counts: [[0, 7]] }));
    expect(horizontal).toBe(false);
    expect(marks.map(({ start, end, high }) => [start, end, high])).toEqual([[10, 20, 7]]);
    expect(nameOf(chart({ kind: "histogram" }), bins, 1)).toBe("10 to 20");
    expect(nameOf(chart({ kind: "line" }), { ...bins, column: "planted_year", edges: [1950, 1955] }, 0)).toBe("1950 to 1955");
  });

  it("writes times as exactly as their bins need, in UTC", () => {
    const year = Date.UTC(2024, 11, 1) / 1000;
    const months = { ...bins, kind: "time" as const, edges: [year, year + 31 * 86_400] };
    expect(nameOf(chart({}), months, 0)).toContain("2024");
    expect(nameOf(chart({}), months, 0)).toMatch(/Dec/);
  });
});

describe("hits", () => {
  const bars = shapeOf(chart({}), data({ x: groups, values: [[50, 1, 3]], counts: [[50, 1, 3]] }));
  const at = (across: number, value: number) => {
    const found = hits(bars, across, value, 0.01, 0.5);
    return typeof found === "object" && found !== null ? found.place : found;
  };

  it("finds the bar of a group also beside a short bar, and nothing between groups", () => {
    expect(at(0.1, 20)).toBe(0);
    expect(at(1.2, 40)).toBe(1);
    expect(at(0.5, 5)).toBeNull();
  });

  it("finds the part of a stack that lies under the pointer", () => {
    const stack = shapeOf(chart({}), data({ x: { ...groups, others: 0 }, series: split, values: [[4, 1], [3, 1]], counts: [[4, 1], [3, 1]] }));
    expect(hits(stack, 0, 5, 0.01, 0.1)).toMatchObject({ place: 0, series: 1 });
  });

  it("finds the nearest point, if one is near", () => {
    const points = { x: [0, 10, 10.2], y: [0, 5, 5], series: [], ids: [1, 2, 3] };
    const scatter = shapeOf(chart({ kind: "scatter", y: "y" }), data({ points }));
    expect(hits(scatter, 10.15, 5, 0.1, 0.1)).toBe(2);
    expect(hits(scatter, 5, 5, 0.1, 0.1)).toBeNull();
  });

  it("brushes whole places, each once", () => {
    const stack = shapeOf(chart({ kind: "histogram" }), data({ x: bins, series: split, values: [[4, 1], [3, 1]], counts: [[4, 1], [3, 1]] }));
    expect(partsWithin(stack, 12, 30)).toEqual([{ place: 1, series: null }]);
    expect(partsWithin(stack, 9, 11)).toHaveLength(2);
  });

  it("choose one mark, all series of places, or the points of a window", () => {
    const stack = shapeOf(chart({ kind: "histogram" }), data({ x: bins, series: split, values: [[4, 1], [3, 1]], counts: [[4, 1], [3, 1]] }));
    const chosen = (what: Parameters<typeof isChosen>[1]) => stack.marks.filter((mark) => isChosen(stack, what, mark)).map(keyOf);
    expect(chosen(stack.marks[1]!)).toEqual(["0.1"]);
    expect(chosen([{ place: 1, series: null }])).toEqual(["1.0", "1.1"]);
    expect(chosen(null)).toEqual([]);
    const points = { x: [0, 10, 11], y: [0, 5, 9], series: [], ids: [1, 2, 3] };
    const scatter = shapeOf(chart({ kind: "scatter", y: "y" }), data({ points }));
    expect([0, 1, 2].filter((point) => isChosen(scatter, [9, 12, 4, 6], point))).toEqual([1]);
    expect(markedOf(scatter, 2, 1, [[0, 0]]).points).toEqual([[11, 9], [10, 5], [0, 0]]);
    expect([...markedOf(stack, stack.marks[0]!, [{ place: 1, series: null }], [[0, 1]]).keys]).toEqual(["0.0", "1.0", "1.1", "0.1"]);
  });
});
