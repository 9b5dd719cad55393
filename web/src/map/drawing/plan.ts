/**
 * The smallest list of MapLibre operations that leads from one drawn map to the next. Pure: the style is never
 * reloaded, and what did not change is not touched, so nothing blinks.
 */
import type { FilterSpecification, GeoJSONSourceSpecification, SymbolLayerSpecification } from "maplibre-gl";
import type { Drawn, SpecLayer, SpecSource } from "./spec";

export type Operation =
  | { do: "addSource"; id: string; source: SpecSource }
  | { do: "removeSource"; id: string }
  | { do: "setTiles"; id: string; tiles: string[] }
  | { do: "setData"; id: string; data: GeoJSONSourceSpecification["data"] }
  | { do: "addLayer"; layer: SpecLayer; before: string | undefined }
  | { do: "removeLayer"; id: string }
  | { do: "moveLayer"; id: string; before: string | undefined }
  | { do: "setPaint"; id: string; name: string; value: unknown }
  | { do: "setLayout"; id: string; name: string; value: unknown }
  | { do: "setFilter"; id: string; filter: FilterSpecification | null }
  | { do: "setZoomRange"; id: string; minzoom: number; maxzoom: number };

export const NOTHING: Drawn = { sources: new Map(), layers: [] };

/** What a style layer is for its place in the stack; each place has a layer of the base map or of a tool above it. */
export type Place = "shapes" | "labels" | "numbers";
export type Ceilings = Partial<Record<Place, string | undefined>>;

/** MapLibre places what is above first: labels give way to the names of countries, the numbers of clusters to nothing. */
export function placeOf(layer: { type: string; layout?: object | undefined }): Place {
  if (layer.type !== "symbol") return "shapes";
  return (layer.layout as SymbolLayerSpecification["layout"])?.["text-allow-overlap"] === true ? "numbers" : "labels";
}

const FROM_THE_TOP: readonly Place[] = ["numbers", "labels", "shapes"];

export function plan(before: Drawn, after: Drawn, ceilings: Ceilings = {}): Operation[] {
  const old = new Map(before.layers.map((layer) => [layer.id, layer]));
  const kept = (layer: SpecLayer) => {
    const was = old.get(layer.id);
    return was !== undefined && sameKind(was, layer) ? was : undefined;
  };
  const stays = new Set(after.layers.filter((layer) => kept(layer) !== undefined).map((layer) => layer.id));
  const gone = before.layers.filter((layer) => !stays.has(layer.id));
  return [
    ...gone.map((layer): Operation => ({ do: "removeLayer", id: layer.id })),
    ...sources(before, after),
    ...FROM_THE_TOP.flatMap((place) => {
      const here = (layer: SpecLayer) => placeOf(layer) === place;
      return order(before.layers.filter((layer) => here(layer) && stays.has(layer.id)).map(({ id }) => id), after.layers.filter(here), ceilings[place]);
    }),
    ...after.layers.flatMap((layer) => {
      const was = kept(layer);
      return was === undefined ? [] : properties(was, layer);
    }),
  ];
}

function sameKind(a: SpecLayer, b: SpecLayer): boolean {
  return placeOf(a) === placeOf(b) && a.type === b.type && a.source === b.source && a["source-layer"] === b["source-layer"] && same(a.metadata, b.metadata);
}

function sources(before: Drawn, after: Drawn): Operation[] {
  const operations: Operation[] = [];
  for (const id of before.sources.keys()) if (!after.sources.has(id)) operations.push({ do: "removeSource", id });
  for (const [id, source] of after.sources) {
    const was = before.sources.get(id);
    if (was === undefined) operations.push({ do: "addSource", id, source });
    else if (source.type === "geojson") {
      if (was.type !== "geojson" || was.data !== source.data) operations.push({ do: "setData", id, data: source.data });
    } else if (was.type === "vector" && !same(was.tiles, source.tiles)) operations.push({ do: "setTiles", id, tiles: source.tiles ?? [] });
  }
  return operations;
}

/** Goes from the top down, so that the layer above is always in its place already. */
function order(present: string[], wanted: SpecLayer[], top: string | undefined): Operation[] {
  const operations: Operation[] = [];
  const stack = [...present];
  let above = top;
  for (const layer of wanted.toReversed()) {
    const position = stack.indexOf(layer.id);
    if (position === -1) {
      operations.push({ do: "addLayer", layer, before: above });
    } else if (position !== stack.length - 1) {
      operations.push({ do: "moveLayer", id: layer.id, before: above });
    }
    if (position !== -1) stack.splice(position, 1);
    above = layer.id;
  }
  return operations;
}

function properties(was: SpecLayer, now: SpecLayer): Operation[] {
  const { id } = now;
  const operations: Operation[] = [];
  for (const [name, value] of changes(was.paint, now.paint)) operations.push({ do: "setPaint", id, name, value });
  for (const [name, value] of changes(was.layout, now.layout)) operations.push({ do: "setLayout", id, name, value });
  const [old, filter] = [filterOf(was), filterOf(now)];
  if (!same(old, filter)) operations.push({ do: "setFilter", id, filter });
  if (was.minzoom !== now.minzoom || was.maxzoom !== now.maxzoom) {
    operations.push({ do: "setZoomRange", id, minzoom: now.minzoom ?? 0, maxzoom: now.maxzoom ?? 24 });
  }
  return operations;
}

function filterOf(layer: SpecLayer): FilterSpecification | null {
  return ("filter" in layer ? layer.filter : null) ?? null;
}

function changes(was: object = {}, now: object = {}): [string, unknown][] {
  const old = was as Record<string, unknown>;
  const next = now as Record<string, unknown>;
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...names].filter((name) => !same(old[name], next[name])).map((name) => [name, next[name]]);
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
