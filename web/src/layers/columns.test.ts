import { expect, it } from "vitest";
import type { Column } from "../protocol/types";
import { firstChoice } from "./columns";

const column = (name: string, kind: Column["kind"]) => ({ name, kind }) as Column;

it("numbers begin with a measure, not with an id or a coordinate", () => {
  const numbers = [column("osm_id", "integer"), column("latitude", "number"), column("elevation_m", "integer")];
  expect(firstChoice(numbers, false)?.name).toBe("elevation_m");
  expect(firstChoice(numbers.slice(0, 2), false)?.name).toBe("osm_id");
  expect(firstChoice([], false)).toBeUndefined();
});

it("categories begin with a text that is not a name", () => {
  const all = [column("iso_code", "text"), column("name", "text"), column("population", "integer"), column("continent", "text")];
  expect(firstChoice(all, true)?.name).toBe("continent");
  expect(firstChoice(all.slice(0, 3), true)?.name).toBe("name");
});
