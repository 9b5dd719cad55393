import { describe as suite, expect, it } from "vitest";
import type { Column } from "../protocol/types";
import { blank, type Cql2, describe, isComplete, type Rows, toCql2, toRows } from "./cql2";

const column = (name: string, kind: Column["kind"]): Column => ({
  name, kind, sql_type: kind, comment: null, nullable: true, samples: [], minimum: null, maximum: null,
});
const COLUMNS = [column("elevation", "number"), column("country", "text"), column("built", "date"), column("open", "boolean")];
const property = (name: string) => ({ property: name });

suite("the filter builder", () => {
  const rows: Rows = {
    join: "or",
    conditions: [
      { column: "elevation", comparison: ">=", value: "2000" },
      { column: "country", comparison: "in", value: "CH\nAT" },
      { column: "country", comparison: "contains", value: "50%_a\\b" },
      { column: "built", comparison: "<", value: "1990-01-01" },
      { column: "elevation", comparison: "between", value: "10\n20.5" },
      { column: "built", comparison: "between", value: "1990-01-01\n2000-12-31" },
      { column: "open", comparison: "=", value: "true" },
      { column: "country", comparison: "notNull", value: "" },
    ],
  };

  it("reads back what it wrote", () => {
    expect(toRows(toCql2(rows, COLUMNS))).toEqual(rows);
  });

  it("writes values with the type of their column", () => {
    const filter = toCql2({ join: "and", conditions: rows.conditions.slice(0, 1) }, COLUMNS);
    expect(filter).toEqual({ op: ">=", args: [property("elevation"), 2000] });
  });

  it("keeps all digits of long numbers", () => {
    const filter = toCql2({ join: "and", conditions: [{ column: "elevation", comparison: "=", value: "1750024691357802480" }] }, COLUMNS);
    expect(filter).toEqual({ op: "=", args: [property("elevation"), "1750024691357802480"] });
    expect(describe(filter!)).toBe("elevation = 1750024691357802480");
  });

  it("leaves a range open at the end that has no value", () => {
    const between = (value: string) => toCql2({ join: "and", conditions: [{ column: "elevation", comparison: "between", value }] }, COLUMNS);
    expect(between("5\n")).toEqual({ op: ">=", args: [{ property: "elevation" }, 5] });
    expect(between("\n9")).toEqual({ op: "<=", args: [{ property: "elevation" }, 9] });
    expect(isComplete({ column: "elevation", comparison: "between", value: "5\n" })).toBe(true);
  });

  it("knows conditions that need a value, and begins with those that have one", () => {
    expect(isComplete({ column: "elevation", comparison: "between", value: "\n" })).toBe(false);
    expect(isComplete({ column: "country", comparison: "=", value: " " })).toBe(false);
    expect(COLUMNS.filter((column) => column.kind === "boolean").map((column) => isComplete(blank(column)))).not.toContain(false);
  });

  it("leaves a filter alone that it cannot show as rows", () => {
    const nested: Cql2 = { op: "s_intersects", args: [property("geom"), { type: "Point", coordinates: [0, 0] }] };
    expect(toRows(nested)).toBeNull();
    expect(toRows({ op: "and", args: [nested, { op: "=", args: [property("a"), 1] }] })).toBeNull();
    expect(toRows({ op: ">", args: [property("a"), property("b")] })).toBeNull();
  });
});

it("a filter is described in words", () => {
  const high = { op: ">", args: [property("elevation"), 2000] };
  const swiss = { op: "=", args: [property("country"), "CH"] };
  expect(describe({ op: "and", args: [high, { op: "or", args: [swiss, { op: "isNull", args: [property("country")] }] }] })).toBe(
    "elevation > 2,000 and (country = “CH” or country is empty)",
  );
});

it("parts of dates are described by their names", () => {
  const weekend = { op: "in", args: [{ op: "weekday", args: [property("built")] }, [6, 7]] };
  const january = { op: "=", args: [{ op: "month", args: [property("built")] }, 1] };
  expect(describe({ op: "and", args: [weekend, january] })).toBe(
    "the weekday of built is one of Saturday, Sunday and the month of built = January",
  );
  expect(toRows(weekend)).toBeNull();
});

it("a column called like a part of dates keeps its numbers", () => {
  const equal = (name: string, value: number) => describe({ op: "=", args: [property(name), value] });
  expect(equal("weekday", 1)).toBe("weekday = 1");
  expect(equal("month", 3)).toBe("month = 3");
});

it("only numbers that months and weekdays have are named", () => {
  const equal = (part: string, value: number) => describe({ op: "=", args: [{ op: part, args: [property("built")] }, value] });
  expect(equal("month", 12)).toBe("the month of built = December");
  expect(equal("month", 13)).toBe("the month of built = 13");
  expect(equal("month", 1.5)).toBe("the month of built = 1.5");
  expect(equal("weekday", 7)).toBe("the weekday of built = Sunday");
  expect(equal("weekday", 0)).toBe("the weekday of built = 0");
  expect(equal("year", 2020)).toBe("the year of built = 2020");
});
