import { expect, it } from "vitest";
import type { Column, Table } from "../protocol/types";
import { joins } from "./joins";

const column = (name: string, kind: Column["kind"], samples: (string | number)[] = []) => ({ name, kind, samples }) as unknown as Column;
const table = (id: string, columns: Column[], geometry: string | null = "geom") =>
  ({ id, columns, geometry_column: geometry, key: [] }) as unknown as Table;

it("offers tables whose columns hold the same keys, the likeliest first", () => {
  const own = table("data.income", [column("country", "text", ["CH", "DE"]), column("income", "number", [1, 2]), column("id", "integer", [1])], null);
  const countries = table("data.countries", [column("id", "integer", [1]), column("iso_a2", "text", ["DE", "CH", "FR"]), column("population", "integer", [1])]);
  const cities = table("data.cities", [column("country", "text", ["XX"]), column("name", "text", ["DE"])]);
  const lakes = table("data.lakes", [column("depth", "number", [1, 2])]);
  expect(joins(own, [lakes, cities, countries, own]).map((it) => it.words)).toEqual([
    "join income to countries by iso_a2 = country", "join income to cities by name = country",
  ]);
});
