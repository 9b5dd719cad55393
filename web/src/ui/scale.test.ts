import { describe, expect, it } from "vitest";
import type { Column } from "../protocol/types";
import { advanced, type Histogram, isWhole, playable, positionOf, rangeOf, scaleOf, shifted, valueAt, withEnd } from "./scale";

const column = (kind: Column["kind"], sql_type = "integer") => ({ name: "c", kind, sql_type }) as Column;
const spread = (minimum: number | null, maximum: number | null): Histogram =>
  ({ minimum, maximum, from: minimum, to: maximum, counts: [], nulls: 0 });
const years = scaleOf(column("integer"), spread(1990, 2010))!;
const START = Date.UTC(2020, 0, 1) / 1000;

describe("a scale", () => {
  it("steps by whole numbers, by days, or by two hundredths", () => {
    expect(years).toMatchObject({ start: 1990, step: 1, steps: 20 });
    expect(scaleOf(column("date"), spread(START, START + 10 * 86_400))).toMatchObject({ step: 86_400, steps: 10, zone: "UTC" });
    expect(scaleOf(column("number"), spread(0, 1))?.steps).toBe(200);
    expect(scaleOf(column("timestamp", "timestamp with time zone"), spread(START, START + 1000))?.zone).toBeUndefined();
  });

  it("of one value has one step, of none there is none", () => {
    expect(scaleOf(column("number"), spread(5, 5))).toMatchObject({ start: 5, steps: 1, end: 5 });
    expect(scaleOf(column("integer"), spread(5, 5))).toMatchObject({ start: 5, steps: 1 });
    expect(scaleOf(column("integer"), spread(null, null))).toBeNull();
  });

  it("finds the position of a value", () => {
    expect(positionOf(years, 2000.4)).toBe(10);
    expect(positionOf(years, -Infinity)).toBe(0);
    expect(positionOf(years, Infinity)).toBe(20);
    expect(valueAt(years, 10)).toBe(2000);
    expect(valueAt(scaleOf(column("number"), spread(0, 0.7))!, 200)).toBe(0.7);
  });
});

describe("a window", () => {
  it("keeps its ends in order and within the scale", () => {
    expect(withEnd({ first: 2, last: 5 }, "first", 9)).toEqual({ first: 5, last: 5 });
    expect(withEnd({ first: 2, last: 5 }, "last", 0)).toEqual({ first: 2, last: 2 });
    expect(shifted(years, { first: 2, last: 5 }, -9)).toEqual({ first: 0, last: 3 });
    expect(shifted(years, { first: 2, last: 5 }, 99)).toEqual({ first: 17, last: 20 });
  });

  it("plays on to the end and starts again, always as wide", () => {
    let span = playable(years, { first: 0, last: 20 });
    expect(span).toEqual({ first: 0, last: 1 });
    const seen = new Set<number>();
    for (let i = 0; i < 30; i++) {
      expect(span.last - span.first).toBe(1);
      seen.add(span.last);
      span = advanced(years, span, 0.25);
    }
    expect(Math.max(...seen)).toBe(20);
    expect(advanced(years, { first: 18, last: 20 }, 1)).toEqual({ first: 0, last: 2 });
    expect(advanced(years, { first: 0, last: 4 }, 1)).toEqual({ first: 5, last: 9 });
    expect(isWhole(years, { first: 0, last: 20 })).toBe(true);
  });

  it("is not bounded where it reaches an end of the scale", () => {
    expect(rangeOf(years, { first: 0, last: 10 })).toEqual({ from: -Infinity, to: 2000 });
    expect(rangeOf(years, { first: 10, last: 20 })).toEqual({ from: 2000, to: Infinity });
  });

  it("that somebody chose is what plays", () => {
    expect(playable(years, { first: 3, last: 7 })).toEqual({ first: 3, last: 7 });
  });
});
