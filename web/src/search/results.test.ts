import { expect, it } from "vitest";
import type { Place, Table } from "../protocol/types";
import { layer } from "../testing/samples";
import { results } from "./results";

const place = { name: "Zürich", table: "data.cities" } as Place;
const table = (id: string, geometry: string | null) => ({ id, geometry_column: geometry }) as Table;

it("results come in groups: coordinates, layers, places, tables", () => {
  const found = results("47 8", [layer("47 8")], [place], [table("data.a", "geom")]);
  expect(found.map((it) => it.group)).toEqual(["coordinates", "coordinates", "layers", "places", "tables"]);
});

it("layers are found by name or table without regard to case and accents, the topmost first", () => {
  const layers = [layer("a", { name: "Zürich parks" }), layer("b", { name: "Other" }), layer("zurich")];
  const found = results(" ZURICH", layers, [], []);
  expect(found.map((it) => it.group === "layers" && it.layer.id)).toEqual(["zurich", "a"]);
});

it("what cannot be shown on a map is left out", () => {
  expect(results("x", [layer("x", { bounds: null })], [], [table("data.x", null)])).toEqual([]);
  expect(results("  ", [layer("x")], [place], [])).toEqual([]);
});
