import { expect, it } from "vitest";
import { thinned } from "../map/tiles/thinned";
import { layer } from "../testing/samples";
import { language } from "../i18n/i18n";
import { drawLegend, legendLines } from "./picture";

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

it("the legend of a picture runs as the page does, and each line as its own letters", () => {
  const written: [string, number, CanvasDirection, CanvasTextAlign][] = [];
  const pen = {
    measureText: (text: string) => ({ width: 10 * text.length }),
    fillText: (text: string, x: number) => written.push([text, x, pen.direction, pen.textAlign]),
    direction: "ltr" as CanvasDirection, textAlign: "left" as CanvasTextAlign,
    beginPath: () => undefined, fill: () => undefined, stroke: () => undefined, arc: () => undefined, roundRect: () => undefined,
  };
  const [line] = legendLines(layer("airports"));
  if (line === undefined) throw new Error("a layer has a title");
  const swatch = { label: "airports", color: "#ff0000" } as typeof line.swatch;
  const lines = [{ ...line, swatch }, { ...line, text: "حتى 5", swatch: null }];
  drawLegend(pen as unknown as CanvasRenderingContext2D, lines);
  expect(written.map(([, , ...more]) => more)).toEqual([["ltr", "left"], ["rtl", "left"]]);
  expect(written[1]?.[1]).toBe(32);
  language.value = "ar";
  drawLegend(pen as unknown as CanvasRenderingContext2D, lines);
  language.value = "en";
  expect(written.slice(2).map(([, , ...more]) => more)).toEqual([["ltr", "right"], ["rtl", "right"]]);
  // The card is as wide as its longest line, which has a swatch: 20 + 8 + 80 pixels, and a margin on both sides.
  expect(written.slice(2).map(([, x]) => x)).toEqual([140 - 28, 140]);
});
