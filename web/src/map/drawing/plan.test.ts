import { describe, expect, it } from "vitest";
import type { DrawLayer, Layer, LegendEntry } from "../../protocol/types";
import { layer } from "../../testing/samples";
import { dimmed, drawn, type Looking, scaled, sizedByWeight } from "./drawn";
import { legendAtNight } from "../../ui/night";
import { NOTHING, type Operation, plan } from "./plan";

const ORIGIN = "http://here";
const draw = (layers: Layer[], looking?: Looking) => drawn(layers, ORIGIN, looking);
const between = (before: Layer[], after: Layer[]) => plan(draw(before), draw(after), { shapes: "top" });
const described = (operations: Operation[]) => operations.map((it) => `${it.do} ${it.do === "addLayer" ? it.layer.id : it.id}`);

/** What MapLibre's list of layers would be after these operations; fails like MapLibre does on what is not there. */
function perform(stack: string[], operations: Operation[]): string[] {
  const result = [...stack, "top"];
  const take = (id: string) => {
    if (!result.includes(id)) throw new Error(`there is no layer ${id}`);
    result.splice(result.indexOf(id), 1);
  };
  const put = (id: string, before: string | undefined) => {
    if (before !== undefined && !result.includes(before)) throw new Error(`there is no layer ${before}`);
    result.splice(before === undefined ? result.length : result.indexOf(before), 0, id);
  };
  for (const it of operations) {
    if (it.do === "addLayer") put(it.layer.id, it.before);
    if (it.do === "removeLayer") take(it.id);
    if (it.do === "moveLayer") {
      take(it.id);
      put(it.id, it.before);
    }
  }
  return result.slice(0, -1);
}

describe("plan", () => {
  it("does nothing when nothing changed", () => {
    expect(between([layer("a")], [layer("a")])).toEqual([]);
  });

  it("adds sources before the layers that read them, below the labels", () => {
    expect(plan(NOTHING, draw([layer("a"), layer("b")]), { shapes: "top" })).toMatchObject([
      { do: "addSource", id: "a" }, { do: "addSource", id: "b" },
      { do: "addLayer", layer: { id: "b:0" }, before: "top" }, { do: "addLayer", layer: { id: "a:0" }, before: "b:0" },
    ]);
  });

  it("draws what is of this page only over all layers, and sends its data again only when it is other data", () => {
    const area = { type: "Polygon" as const, coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] };
    const looking = { isolated: null, marked: null, area };
    const shown = draw([layer("a")], looking);
    expect(described(plan(draw([layer("a")]), shown, { shapes: "top" }))).toEqual([
      "addSource geoagent-area", "addLayer geoagent-area-line", "addLayer geoagent-area-casing", "addLayer geoagent-area-fill",
    ]);
    expect(plan(shown, draw([layer("a")], looking), { shapes: "top" })).toEqual([]);
    expect(described(plan(shown, draw([layer("a")], { ...looking, area: { ...area } }), { shapes: "top" }))).toEqual(["setData geoagent-area"]);
    expect(plan(NOTHING, draw([], { ...looking, area: null, preview: { type: "FeatureCollection", features: [] } }))).toEqual([]);
  });

  it("writes numbers of labels in the language of the page", () => {
    const text = ["case", ["has", "people"], ["concat", ["number-format", ["get", "people"], { "max-fraction-digits": 0 }], " people"], ""];
    const labels: DrawLayer = { type: "symbol", paint: {}, layout: { "text-field": text }, filter: null, minzoom: null, maxzoom: null, source_layer: "points" };
    const labelled = layer("a", { style: { ...layer("a").style, layers: [labels] } });
    const [shown] = draw([labelled], { isolated: null, marked: null, locale: "ar" }).layers;
    expect(shown?.layout).toMatchObject({
      "text-field": ["case", ["has", "people"], ["concat", ["number-format", ["get", "people"], { "max-fraction-digits": 0, locale: "ar" }], " people"], ""],
    });
  });

  it("removes layers before the source they read", () => {
    expect(described(between([layer("a")], []))).toEqual(["removeLayer a:0", "removeSource a"]);
  });

  it("changes a colour by one operation", () => {
    const blue = layer("a", { style: { ...layer("a").style, layers: [{ ...layer("a").style.layers[0]!, paint: { "circle-color": "#00f" } }] } });
    expect(between([layer("a")], [blue])).toEqual([{ do: "setPaint", id: "a:0", name: "circle-color", value: "#00f" }]);
  });

  it("changes tiles in place when a version changes", () => {
    const next = layer("a", { version: 2, tiles: "/tiles/m/a/2/{z}/{x}/{y}.mvt" });
    expect(between([layer("a")], [next])).toEqual([
      { do: "setTiles", id: "a", tiles: ["http://here/tiles/m/a/2/{z}/{x}/{y}.mvt"] },
    ]);
  });

  it("hides a layer without removing it", () => {
    expect(between([layer("a")], [layer("a", { visible: false })])).toEqual([
      { do: "setLayout", id: "a:0", name: "visibility", value: "none" },
    ]);
  });

  it("swaps two layers by one move", () => {
    expect(described(between([layer("a"), layer("b")], [layer("b"), layer("a")]))).toEqual(["moveLayer a:0"]);
  });

  it("replaces a style layer whose type changed, and keeps its source", () => {
    const heat = layer("a", { style: { ...layer("a").style, layers: [{ ...layer("a").style.layers[0]!, type: "heatmap", paint: {} }] } });
    expect(described(between([layer("a")], [heat]))).toEqual(["removeLayer a:0", "addLayer a:0"]);
  });

  it("leads from any order to any other", () => {
    const names = ["a", "b", "c", "d", "e"];
    for (let seed = 1; seed < 400; seed++) {
      const pick = (salt: number) => names
        .filter((_, index) => (seed * (index + salt)) % 3 !== 0)
        .sort((x, y) => ((seed * x.charCodeAt(0) * salt) % 7) - ((seed * y.charCodeAt(0) * salt) % 7))
        .map((name) => layer(name));
      const [before, after] = [pick(1), pick(5)];
      const stack = draw(before).layers.map((it) => it.id);
      expect(perform(stack, between(before, after))).toEqual(draw(after).layers.map((it) => it.id));
    }
  });
});

describe("drawn", () => {
  it("multiplies a layer's opacity into its paint", () => {
    const [faint] = draw([layer("a", { opacity: 0.5 })]).layers;
    expect(faint?.paint).toMatchObject({ "circle-opacity": 0.5, "circle-stroke-opacity": 0.5 });
  });

  it("scales zoom steps one by one, for zoom may only be read at the top", () => {
    expect(scaled(["interpolate", ["linear"], ["zoom"], 2, 0.4, 8, ["get", "o"]], 0.5)).toEqual(
      ["interpolate", ["linear"], ["zoom"], 2, 0.2, 8, ["*", 0.5, ["get", "o"]]],
    );
    expect(scaled(["step", ["zoom"], 1, 5, 0.5], 0.5)).toEqual(["step", ["zoom"], 0.5, 5, 0.25]);
    expect(scaled(["match", ["get", "k"], "x", 1, 0.5], 0.5)).toEqual(["*", 0.5, ["match", ["get", "k"], "x", 1, 0.5]]);
  });

  it("sizes circles by what they stand for, unless their size tells a value", () => {
    const factor = ["case", ["has", "@size"], ["get", "@size"], 1];
    expect(sizedByWeight(4)).toEqual(["*", 4, factor]);
    expect(sizedByWeight(["interpolate", ["linear"], ["zoom"], 0, 2, 6, 4])).toEqual(
      ["interpolate", ["linear"], ["zoom"], 0, ["*", 2, factor], 6, ["*", 4, factor]],
    );
    const byValue = ["*", 10, ["sqrt", ["get", "population"]]];
    expect(sizedByWeight(byValue)).toBe(byValue);
  });

  it("shows only an isolated layer", () => {
    const { layers } = draw([layer("a"), layer("b")], { isolated: "b", marked: null });
    expect(layers.map((it) => it.layout?.visibility)).toEqual(["none", "visible"]);
  });

  it("shows the part of a layer's time that is looked at, by a filter and without new tiles", () => {
    const style = { ...layer("a").style, time: "at" };
    const timed = layer("a", { style: { ...style, layers: [{ ...style.layers[0]!, filter: ["has", "x"] }] } });
    const time = { layerId: "a", from: 5, to: Infinity };
    const before = draw([timed, layer("b")]);
    const after = draw([timed, layer("b")], { isolated: null, marked: null, time });
    const filter = ["all", ["has", "x"], ["all", ["has", "@time"], [">=", ["get", "@time"], 5]]];
    expect(plan(before, after)).toEqual([{ do: "setFilter", id: "a:0", filter }]);
    expect(plan(after, before)).toEqual([{ do: "setFilter", id: "a:0", filter: ["has", "x"] }]);
    expect(draw([layer("a")], { isolated: null, marked: null, time }).layers[0]).not.toHaveProperty("filter");
  });

  it("draws nothing of a table without geometry", () => {
    expect(draw([layer("a", { geometry_type: "none" })]).layers).toEqual([]);
  });

  it("marks features over all layers", () => {
    const { layers } = draw([layer("a"), layer("b")], { isolated: null, marked: { layerId: "a", ids: [7] } });
    expect(layers.map((it) => it.id)).toEqual(["a:0", "b:0", "a:mark-point-casing", "a:mark-point"]);
  });
});

describe("what a chart points at", () => {
  it("is drawn above the data, in the shape of the layer, and found among many ids at once", () => {
    const hinted = { layerId: "a", ids: [1, 2] };
    const { layers } = drawn([layer("a"), layer("b")], "http://here", { isolated: null, marked: null, hinted });
    expect(layers.map((it) => it.id)).toEqual(["a:0", "b:0", "a:mark-hint-circle"]);
    expect(JSON.stringify(layers[2])).toContain('["match",["to-string",["coalesce",["get","@id"],["id"]]],["1","2"],true,false]');
    const nothing = drawn([layer("a")], "http://here", { isolated: null, marked: null, hinted: { layerId: "a", ids: [] } });
    expect(JSON.stringify(nothing.layers[1])).toContain("false");
  });
});

describe("outlines on a dark map", () => {
  const edge = { type: "line" as const, paint: { "line-color": "#ffffff" }, layout: {}, filter: null, minzoom: null, maxzoom: null, source_layer: "features" as const };
  const styled = (change: Partial<Layer["style"]>) => layer("a", { style: { ...layer("a").style, ...change } });

  it("are dark where nobody chose a colour", () => {
    const points = { ...edge, type: "circle" as const, paint: { "circle-color": "#f00", "circle-stroke-color": "#ffffff" } };
    expect(dimmed(styled({}), points).paint).toEqual({ "circle-color": "#f00", "circle-stroke-color": "#0b0f14" });
    expect(dimmed(styled({ kind: "graduated" }), edge).paint).toEqual({ "line-color": "#0b0f14" });
    expect(draw([styled({ layers: [points] })], { isolated: null, marked: null, isDark: true }).layers[0]?.paint)
      .toMatchObject({ "circle-stroke-color": "#0b0f14" });
  });

  it("have the ramp between them without glare, and the colours that were chosen one by one as they are", () => {
    const fill = { ...edge, type: "fill" as const, paint: { "fill-color": ["step", ["get", "n"], "#ffffff", 5, "#000000"] } };
    const ramped = styled({ kind: "graduated", color: null });
    expect(dimmed(ramped, fill).paint["fill-color"]).toEqual(["step", ["get", "n"], "#dadada", 5, "#2e2e2e"]);
    expect(dimmed(styled({ kind: "graduated", color: "#ff0000" }), fill)).toBe(fill);
    const entries = [{ label: "1", color: "#ffffff", code: "range" }, { label: "", color: "#d9d9d9", code: "no_data" }] as LegendEntry[];
    const { legend } = legendAtNight({ ...ramped, legend: { ...ramped.legend, entries } });
    expect(legend.entries.map(({ color }) => color)).toEqual(["#dadada", "#4b545e"]);
  });

  it("keep the colour that was chosen, and white lines stay white", () => {
    expect(dimmed(styled({ kind: "graduated", stroke_color: "#ffffff" }), edge)).toEqual(edge);
    expect(dimmed(styled({ kind: "single", color: "#ffffff" }), edge)).toBe(edge);
  });
});

it("draws a layer again where its colours combine differently with what is below, but not its labels", () => {
  const plain = layer("a");
  const blended = { ...plain, style: { ...plain.style, blend: "multiply" as const, layers: [...plain.style.layers, { ...(plain.style.layers[0] as DrawLayer), type: "symbol" as const }] } };
  const [before, after] = [draw([plain]), draw([blended])];
  expect(after.layers.map(({ metadata }) => metadata)).toEqual([{ blend: "multiply" }, undefined]);
  expect(plan(before, after).map((operation) => operation.do)).toEqual(["removeLayer", "addLayer", "addLayer"]);
});

it("labels give way to the names of countries, and numbers of clusters to nothing", () => {
  const text = (id: string, layout: object) => ({ id, type: "symbol" as const, source: "a", layout });
  const layers = [text("number", { "text-allow-overlap": true }), text("label", {})];
  const operations = plan(NOTHING, { sources: new Map(), layers }, { shapes: "seas", labels: "names" });
  expect(operations).toMatchObject([
    { do: "addLayer", layer: { id: "number" }, before: undefined },
    { do: "addLayer", layer: { id: "label" }, before: "names" },
  ]);
});
