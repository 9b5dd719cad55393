import { expect, it } from "vitest";
import type { Column } from "../protocol/types";
import { rangeIn, withoutRange, withRange } from "./range";

const column = (name: string, kind: Column["kind"]) => ({ name, kind }) as Column;
const year = column("year", "integer");
const property = { property: "year" };
const swiss = { op: "=", args: [{ property: "country" }, "CH"] };

it("a range is put into a filter and read back from it", () => {
  const filter = withRange(swiss, year, { from: 1990, to: 2000 });
  expect(filter).toEqual({
    op: "and", args: [swiss, { op: ">=", args: [property, 1990] }, { op: "<=", args: [property, 2000] }],
  });
  expect(rangeIn(filter, "year")).toEqual({ from: 1990, to: 2000 });
  expect(withoutRange(filter, "year")).toEqual(swiss);
});

it("a new range takes the place of the old one", () => {
  const filter = withRange(withRange(null, year, { from: 1, to: 2 }), year, { from: 3, to: 4 });
  expect(rangeIn(filter, "year")).toEqual({ from: 3, to: 4 });
  expect(withRange(filter, year, null)).toBeNull();
  expect(withRange(filter, year, { from: -Infinity, to: 9 })).toEqual({ op: "<=", args: [property, 9] });
  expect(withRange(filter, year, { from: -Infinity, to: Infinity })).toBeNull();
});

it("dates and times are written as what they are", () => {
  const start = Date.UTC(2020, 0, 1) / 1000;
  const dates = withRange(null, column("d", "date"), { from: start, to: start + 86_400 });
  expect(dates).toMatchObject({ args: [{ args: [{}, { date: "2020-01-01" }] }, { args: [{}, { date: "2020-01-02" }] }] });
  expect(rangeIn(dates, "d")).toEqual({ from: start, to: start + 86_400 });
  const times = withRange(null, column("t", "timestamp"), { from: start, to: start });
  expect(times).toMatchObject({ args: [{ args: [{}, { timestamp: "2020-01-01T00:00:00.000Z" }] }, {}] });
});

it("open ends, `between` and nested conjunctions are understood, all else is left alone", () => {
  const late = { op: ">", args: [property, 2000] };
  const either = { op: "or", args: [late, swiss] };
  expect(rangeIn({ op: "and", args: [swiss, { op: "and", args: [late] }] }, "year")).toEqual({ from: 2000, to: Infinity });
  expect(rangeIn({ op: "between", args: [property, 1, 5] }, "year")).toEqual({ from: 1, to: 5 });
  expect(rangeIn(either, "year")).toBeNull();
  expect(withoutRange(either, "year")).toEqual(either);
  expect(rangeIn(null, "year")).toBeNull();
});
