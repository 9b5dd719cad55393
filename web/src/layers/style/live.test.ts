import { expect, test } from "vitest";
import type { DrawLayer, Layer } from "../../protocol/types";
import drawn from "../../testing/drawn.json";
import { along, withLook } from "./live";

const STEPS = ["case", ["has", "pop"], ["step", ["get", "pop"], "#aaaaaa", 10, "#bbbbbb", 20, "#cccccc"], "#d9d9d9"];

function layer(kind: string, geometry: string, layers: unknown[]): Layer {
  return { id: "a", opacity: 1, geometry_type: geometry, style: { kind, layers } } as unknown as Layer;
}

const paintOf = (it: Layer, at = 0) => it.style.layers?.[at]?.paint;

test("class limits move where the server would draw them, and colours stay", () => {
  const moved = withLook(layer("graduated", "polygon", [{ type: "fill", paint: { "fill-color": STEPS } }]), { breaks: [5, 30] });
  expect(paintOf(moved)?.["fill-color"]).toEqual(
    ["case", ["has", "pop"], ["step", ["get", "pop"], "#aaaaaa", 5, "#bbbbbb", 30, "#cccccc"], "#d9d9d9"],
  );
});

test("a ramp replaces the colours of the classes only", () => {
  const colours = new Map([["#aaaaaa", "#000000"], ["#cccccc", "#ffffff"]]);
  const seen = withLook(layer("graduated", "polygon", [{ type: "fill", paint: { "fill-color": STEPS } }]), { colours });
  expect(JSON.stringify(paintOf(seen))).toBe(JSON.stringify({ "fill-color": STEPS }).replace("#aaaaaa", "#000000").replace("#cccccc", "#ffffff"));
});

test("the outline of a circle grows with it, unless its width was chosen", () => {
  const circles = layer("single", "point", [{ type: "circle", paint: { "circle-radius": 4, "circle-stroke-width": 1 } }]);
  expect(paintOf(withLook(circles, { size: 5 }))).toEqual({
    "circle-radius": 5, "circle-stroke-width": ["interpolate", ["linear"], ["zoom"], 2, 0, 6, 0.5, 12, 1],
  });
  const chosen = { ...circles, style: { ...circles.style, stroke: 1 } } as Layer;
  expect(paintOf(withLook(chosen, { size: 5 }))).toEqual({ "circle-radius": 5, "circle-stroke-width": 1 });
});

test("of areas the size changes nothing, and the stroke the edge", () => {
  const areas = layer("single", "polygon", [{ type: "fill", paint: {} }, { type: "line", paint: { "line-width": 1 } }]);
  expect(paintOf(withLook(areas, { size: 9 }), 1)).toEqual({ "line-width": 1 });
  expect(paintOf(withLook(areas, { stroke: 3 }), 1)).toEqual({ "line-width": 3 });
});

test("colours lie evenly along a ramp", () => {
  expect(along(["#000000", "#ffffff"], 3)).toEqual(["#000000", "#808080", "#ffffff"]);
  expect(along(["#000000", "#ff0000", "#ffffff"], 2)).toEqual(["#000000", "#ffffff"]);
});

interface Sample { kind: string; size: number; stroke: number | null; layers: DrawLayer[] }

const FAMILIES = ["point", "line", "polygon", "mixed"];
const cases = (drawn as unknown as Sample[]).map((sample) => [`${sample.kind}, size ${sample.size}, stroke ${sample.stroke}`, sample] as const);

test.each(cases)("a dragged size looks as the server draws it: %s", (_, wanted) => {
  const [before] = (drawn as unknown as Sample[]).filter(({ kind, stroke, size }) => kind === wanted.kind && stroke === wanted.stroke && size !== wanted.size);
  const geometry = FAMILIES.includes(wanted.kind) ? wanted.kind : "point";
  const start = layer(FAMILIES.includes(wanted.kind) ? "single" : wanted.kind, geometry, before?.layers ?? []);
  const styled = { ...start, style: { ...start.style, stroke: wanted.stroke } } as Layer;
  expect(withLook(styled, { size: wanted.size }).style.layers).toEqual(wanted.layers);
});
