import { expect, it } from "vitest";
import { fileNameOf } from "./download";

it("an address means a file where its path ends in the name of one that can be read", () => {
  expect(fileNameOf("https://data.example.org/a%20b/trees.geojson?token=x#y")).toBe("trees.geojson");
  expect(fileNameOf("HTTP://example.org/roads.gpkg")).toBe("roads.gpkg");
  expect(fileNameOf("https://example.org/page.html")).toBeNull();
  expect(fileNameOf("https://example.org/")).toBeNull();
  expect(fileNameOf("see https://example.org/trees.geojson")).toBeNull();
  expect(fileNameOf("javascript:alert(1)//x.csv")).toBeNull();
});
