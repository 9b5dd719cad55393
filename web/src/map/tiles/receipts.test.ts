import type { Map as MapLibre } from "maplibre-gl";
import { expect, test } from "vitest";
import { drawnFeatures, reasonOf, sameAs } from "./receipts";

const point = (coordinates: number[], properties = { value: 1 }, id?: number) =>
  ({ ...(id !== undefined && { id }), properties, geometry: { type: "Point" as const, coordinates } });

test("features with a key are distinguished by it", () => {
  expect(sameAs(point([1, 2], { value: 1 }, 7))).toBe(sameAs(point([3, 4], { value: 2 }, 7)));
});

test("points without a key that have the same attributes are distinguished by their place", () => {
  expect(sameAs(point([1, 2]))).not.toBe(sameAs(point([1.001, 2])));
  expect(sameAs(point([1, 2]))).toBe(sameAs(point([1.0000000001, 2])));
});

test("parts of a shape without a key are one in all tiles, and so are those of a cell", () => {
  const line = (end: number) => ({ properties: { value: 1 }, geometry: { type: "LineString" as const, coordinates: [[0, 0], [end, 1]] } });
  expect(sameAs(line(1))).toBe(sameAs(line(2)));
  const cell = (mean: number) => ({ properties: { "@cell": "3/4", mean }, geometry: line(1).geometry });
  expect(sameAs(cell(1.1))).toBe(sameAs(cell(1.2)));
});

test("the geometry of a feature with a key is not read", () => {
  const keyed = {
    id: 7,
    properties: {},
    get geometry(): never {
      throw new Error("MapLibre computes a geometry for each feature");
    },
  };
  expect(sameAs(keyed)).toBe(7);
});

const places = [[0, 0], [40, 10], [179, 0], [-179, 0], [0, 60]];

/** A map of one layer whose bounds are given; only points of a flat one are compared with its bounds. */
function mapWith(type: string, [west, south, east, north]: [number, number, number, number], pitch = 0, notes: object[] = []): MapLibre {
  return {
    getSource: () => ({}),
    getLayersOrder: () => ["points:0"],
    getLayer: (id: string) => ({ id, type, source: "points", sourceLayer: "features", isHidden: () => false }),
    getFilter: () => undefined,
    getZoom: () => 2,
    getPitch: () => pitch,
    getBearing: () => 0,
    getProjection: () => ({ type: "mercator" }),
    getBounds: () => ({ getWest: () => west, getSouth: () => south, getEast: () => east, getNorth: () => north }),
    querySourceFeatures: (_: string, { sourceLayer }: { sourceLayer: string }) =>
      sourceLayer === "_meta" ? notes : [...places, ...places].map((it, index) => point(it, undefined, (index % places.length) + 1)),
    queryRenderedFeatures: () => [point([0, 0], undefined, 1)],
  } as unknown as MapLibre;
}

test("points of a flat map are counted by their places, each once, also beyond the 180th meridian", () => {
  expect(drawnFeatures(mapWith("circle", [-10, -10, 50, 20]), "points")).toBe(2);
  expect(drawnFeatures(mapWith("circle", [170, -10, 190, 10]), "points")).toBe(2);
  expect(drawnFeatures(mapWith("circle", [-300, -80, 300, 80]), "points")).toBe(5);
});

test("what is rendered is counted of shapes, on a map that is tilted, and of tiles that hold points for others", () => {
  expect(drawnFeatures(mapWith("fill", [-300, -80, 300, 80]), "points")).toBe(1);
  expect(drawnFeatures(mapWith("circle", [-300, -80, 300, 80], 30), "points")).toBe(1);
  expect(drawnFeatures(mapWith("circle", [-300, -80, 300, 80], 0, [{ properties: { total: 9 } }]), "points")).toBe(1);
});

test("a failed tile is described in the server's words, without its address", async () => {
  const url = "http://here/tiles/the-key/a/1/0/0/0.mvt";
  const failed = (status: number, body: string) =>
    reasonOf({ error: { message: `AJAXError: (${status}): ${url}`, status, url, body: { text: () => Promise.resolve(body) } as Blob } });
  expect(await failed(400, '{"error": {"message": "Something is divided by zero."}}')).toBe("Something is divided by zero.");
  expect(await failed(502, "<html>Bad gateway</html>")).toBe("The tiles could not be loaded (HTTP 502)");
  expect(await failed(0, "")).toBe("The tiles could not be loaded");
  expect(await reasonOf({ error: { message: "Unimplemented type: 4" } })).toBe("Unimplemented type: 4");
});
