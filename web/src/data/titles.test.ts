import { expect, it } from "vitest";
import { columnTitle, spokenColumn } from "./titles";

it("columns are titled with the unit that their name ends with", () => {
  expect(columnTitle("elevation_m")).toBe("elevation (m)");
  expect(columnTitle("area_km2")).toBe("area (km²)");
  expect(columnTitle("gdp_md")).toBe("gdp md");
  expect(columnTitle("m")).toBe("m");
});

it("columns are spoken of without their unit where that leaves no doubt", () => {
  expect(spokenColumn("elevation_m", ["name", "elevation_m"])).toBe("elevation");
  expect(spokenColumn("elevation_m", ["elevation_m", "elevation_ft"])).toBe("elevation");
  expect(spokenColumn("elevation_ft", ["elevation_m", "elevation_ft"])).toBe("elevation ft");
  expect(spokenColumn("length_m", ["length_m", "length_km"])).toBe("length m");
  expect(spokenColumn("sub_region", ["sub_region"])).toBe("sub region");
});
