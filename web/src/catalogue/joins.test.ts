import { expect, it } from "vitest";
import { requestOf } from "./joins";

const join = { other: "data.countries", column: "land", other_column: "iso_a2", matched: 3, values: 4 };

it("asks for a join as a person would write it", () => {
  expect(requestOf("data.income", join)).toBe("join income to countries by iso_a2 = land");
});

it("puts names with signs in backticks", () => {
  const odd = { ...join, other: "data.Muni: cipalities", other_column: "No: %" };
  expect(requestOf("data.income", odd)).toBe("join income to `Muni: cipalities` by `No: %` = land");
});
