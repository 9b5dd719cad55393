import { expect, it } from "vitest";
import { thinned } from "../map/tiles/thinned";
import { layer } from "../testing/samples";
import { legendLines } from "./picture";

it("the swatches of a picture are as translucent as the shapes on the map", () => {
  const paint = { "circle-opacity": 0.8, "circle-stroke-color": "#ffffff", "circle-stroke-opacity": 0.9 };
  const { style } = layer("airports");
  const [drawn] = style.layers;
  const below = { ...drawn, type: "circle" as const, paint: { "circle-opacity": 0.1 } };
  const airports = layer("airports", { opacity: 0.5, style: { ...style, layers: [below, { ...below, paint }] } as typeof style });
  expect(legendLines(airports)[0]?.ink).toEqual({ opacity: 0.4, edge: { color: "#ffffff", opacity: 0.45 } });
});

it("the legend of a picture says what its layers leave out", () => {
  const filter = { op: ">", args: [{ property: "elevation_m" }, 2000] };
  const lines = legendLines(layer("airports", { filter })).map((line) => line.text);
  expect(lines).toEqual(["airports", "elevation_m > 2,000"]);
});

it("the legend of a picture says where the map is thinned, and what is from a sample", () => {
  const airports = layer("airports", { count: 10_000_000 });
  thinned.value = new Map([[airports.id, { shown: 41_000, total: 10_000_000, kind: "overview" }]]);
  const { legend } = airports;
  const lines = legendLines({ ...airports, legend: { ...legend, note: "Values are from a sample" } }).map((line) => line.text);
  thinned.value = new Map();
  expect(lines.slice(1)).toEqual(["Values are from a sample", "Thinned: 41,000 represent about 10.0 million in view"]);
});
