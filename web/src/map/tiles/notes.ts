/** What tiles say of themselves, in a layer `_meta` beside their features. */
import type { Map as MapLibre } from "maplibre-gl";

/** Whether not all features of the layer in view are drawn. */
export function isThinned(map: MapLibre, layerId: string): boolean {
  return notes(map, layerId).some(({ properties }) => "total" in properties);
}

/** Whether the server cannot draw the layer at this zoom. */
export function isTooComplex(map: MapLibre, layerId: string): boolean {
  return notes(map, layerId).some(({ properties }) => properties["too_complex"] === true);
}

/** Whether some tiles of the layer in view are drawn from a sample of its table. */
export function isSample(map: MapLibre, layerId: string): boolean {
  return notes(map, layerId).some(({ properties }) => properties["sample"] === true);
}

/** Whether tiles of the layer in view draw representatives, each for as many features as its weight says. */
export function isOverview(map: MapLibre, layerId: string): boolean {
  return notes(map, layerId).some(({ properties }) => properties["overview"] === true);
}

/** The moment, in ISO 8601, that tiles in view are of, where their table has changed since. */
export function asOf(map: MapLibre, layerId: string): string | null {
  const found = notes(map, layerId).map(({ properties }) => properties["as_of"]).find((it) => typeof it === "number");
  return found === undefined ? null : new Date((found as number) * 1000).toISOString();
}

/** Whether tiles of the layer in view say anything of themselves: others draw each of its features. */
export function hasNotes(map: MapLibre, layerId: string): boolean {
  return notes(map, layerId).length > 0;
}

function notes(map: MapLibre, layerId: string) {
  return map.getSource(layerId) === undefined ? [] : map.querySourceFeatures(layerId, { sourceLayer: "_meta" });
}
