import { expect, it, vi } from "vitest";

vi.mock("maplibre-gl", () => ({ addProtocol: vi.fn() }));

import { openArchive, vectorLayers } from "./archive";
import { baseOf } from "./base";
import { plainText } from "./raster";

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

it("an archive that could not be read is asked for again", async () => {
  const header = new Uint8Array(20_000);
  header.set(new TextEncoder().encode("PMTiles\u0003"));
  const view = new DataView(header.buffer);
  const root = new Uint8Array([1, 0, 1, 1, 1]);
  header.set(root, 127);
  view.setBigUint64(8, 127n, true);
  view.setBigUint64(16, BigInt(root.length), true);
  [1, 1, 1, 2].forEach((value, at) => view.setUint8(96 + at, value));
  const answers = [new Response("busy", { status: 503 }), new Response(header.slice(0, 16_384), { status: 206 })];
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => answers.shift() ?? new Response(null, { status: 404 }));
  const url = "https://t.example/world.pmtiles";
  await expect(openArchive(url)).rejects.toThrow("503");
  expect(await openArchive(url)).toEqual({ isVector: false, layers: [] });
  expect(await openArchive(url)).toEqual({ isVector: false, layers: [] });
  expect(fetched).toHaveBeenCalledTimes(2);
  fetched.mockRestore();
});

it("raster tiles are known by their address", async () => {
  const base = await baseOf("https://t.example/{z}/{x}/{y}.png", '<b>"A" & B</b>');
  expect(base.style("light", 0)).toMatchObject({
    sources: { basemap: { type: "raster", tiles: ["https://t.example/{z}/{x}/{y}.png"], attribution: plainText('<b>"A" & B</b>') } },
  });
  expect(plainText("<i>")).toBe("&#60;i&#62;");
});
