import { expect, it } from "vitest";
import { describe as inWords } from "./cql2";

const geom = { property: "geom" };
const vienna = { type: "Point", coordinates: [16.37, 48.2] };
const ring = [[[0, 0], [1, 0], [1, 1], [0, 0]]];

it.each([
  [{ op: "s_dwithin", args: [geom, vienna, 50_000] }, "within 50 km of 48.2° N, 16.37° E"],
  [{ op: "s_dwithin", args: [geom, { type: "Point", coordinates: [-6.47, -53.69] }, 500] }, "within 500 m of 53.69° S, 6.47° W"],
  [{ op: "s_dwithin", args: [geom, { type: "LineString", coordinates: [[-180, 0], [180, 0]], name: "the equator" }, 100_000] }, "within 100 km of the equator"],
  [{ op: "s_intersects", args: [geom, vienna] }, "covers 48.2° N, 16.37° E"],
  [{ op: "s_intersects", args: [geom, { type: "LineString", coordinates: [[-180, 0], [180, 0]], name: "the equator" }] }, "meets the equator"],
  [{ op: "s_intersects", args: [geom, { bbox: [0, 0, 1, 1] }] }, "in the given area"],
  [{ op: "s_within", args: [geom, { type: "Polygon", coordinates: ring, name: "the northern hemisphere" }] }, "within the northern hemisphere"],
  [{ op: "not", args: [{ op: "s_intersects", args: [geom, { type: "Polygon", coordinates: ring }] }] }, "not (in the given area)"],
  [{ op: "and", args: [{ op: ">", args: [{ property: "people" }, 5] }, { op: "s_dwithin", args: [geom, vienna, 1500] }] }, "people > 5 and within 1.5 km of 48.2° N, 16.37° E"],
])("a spatial condition is described in words: %j", (filter, words) => {
  expect(inWords(filter)).toBe(words);
});

it("a relation between two columns stays as it is", () => {
  expect(inWords({ op: "s_crosses", args: [geom, { property: "route" }] })).toBe("geom s_crosses route");
});
