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

function notes(map: MapLibre, layerId: string) {
  return map.getSource(layerId) === undefined ? [] : map.querySourceFeatures(layerId, { sourceLayer: "_meta" });
}
