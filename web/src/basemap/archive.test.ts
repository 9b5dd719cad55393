import { expect, it, vi } from "vitest";

vi.mock("maplibre-gl", () => ({ addProtocol: vi.fn() }));

import { vectorLayers } from "./archive";
import { baseOf, plainText } from "./base";

it("the parts of a vector archive are drawn from the ground up, names on top", () => {
  const layers = vectorLayers(["places", "roads", "earth", "odd", "water"], "light");
  expect(layers.map((layer) => layer.id)).toEqual([
    "basemap-ground", "basemap-earth", "basemap-water", "basemap-roads-line", "basemap-odd", "basemap-odd-line", "basemap-places",
  ]);
});

it("light and dark differ in colours only", () => {
  const shape = (palette: "light" | "dark") => vectorLayers(["earth", "places"], palette).map(({ id, type }) => [id, type]);
  expect(shape("dark")).toEqual(shape("light"));
  expect(vectorLayers(["earth"], "dark")).not.toEqual(vectorLayers(["earth"], "light"));
});

it("raster tiles are known by their address", async () => {
  const base = await baseOf("https://t.example/{z}/{x}/{y}.png", '<b>"A" & B</b>');
  expect(base.style("light")).toMatchObject({
    sources: { basemap: { type: "raster", tiles: ["https://t.example/{z}/{x}/{y}.png"], attribution: plainText('<b>"A" & B</b>') } },
  });
  expect(plainText("<i>")).toBe("&#60;i&#62;");
});
