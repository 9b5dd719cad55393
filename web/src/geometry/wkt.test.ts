import { expect, it } from "vitest";
import { fromWkt } from "./wkt";

const shapes = (text: string) => fromWkt(text)?.features.map(({ geometry }) => geometry);

it("each line of well-known text is a feature", () => {
  expect(shapes("POINT(13.4 52.5)\nSRID=4326;POINT Z (1 2 3)")).toEqual([
    { type: "Point", coordinates: [13.4, 52.5] }, { type: "Point", coordinates: [1, 2] },
  ]);
  expect(shapes("LINESTRING(0 0, 1e1 -5.5)")).toEqual([{ type: "LineString", coordinates: [[0, 0], [10, -5.5]] }]);
  expect(shapes("polygon ((0 0, 4 0, 4 4, 0 0), (1 1, 2 1, 2 2, 1 1))")).toEqual([
    { type: "Polygon", coordinates: [[[0, 0], [4, 0], [4, 4], [0, 0]], [[1, 1], [2, 1], [2, 2], [1, 1]]] },
  ]);
  expect(shapes("MULTIPOINT((1 2), (3 4))")).toEqual([{ type: "MultiPoint", coordinates: [[1, 2], [3, 4]] }]);
  expect(shapes("MULTIPOINT(1 2, 3 4)")).toEqual([{ type: "MultiPoint", coordinates: [[1, 2], [3, 4]] }]);
  expect(shapes("MULTIPOLYGON(((0 0, 4 0, 4 4, 0 0)))")).toEqual([
    { type: "MultiPolygon", coordinates: [[[[0, 0], [4, 0], [4, 4], [0, 0]]]] },
  ]);
});

it("what is something else is left alone", () => {
  for (const text of ["", "52.5, 13.4", "POINT EMPTY", "POINT(13.4 52.5) and more", "SRID=3857;POINT(1 2)", "POINT(1 2", "show a POINT"]) {
    expect(fromWkt(text)).toBeNull();
  }
});
