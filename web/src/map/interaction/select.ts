/** Selecting what a ring on the map touches: features of the topmost layer that has any there. */
import type { Map as MapLibre } from "maplibre-gl";
import { number, t } from "../../i18n/i18n";
import { notify } from "../../ui/toast";
import type { Position } from "../../geometry/types";
import { touches } from "../../geometry/lasso";
import { idOf } from "../identity";
import { styleLayers } from "../tiles/receipts";
import { boxed, inspect } from "../../instance/selection";

const MOST_SELECTED = 500;

/** `layerIds` are the layers on the map, bottom first. */
export function selectWithin(map: MapLibre, layerIds: string[], ring: Position[]): void {
  inspect.value = null;
  boxed.value = null;
  const corners = ring.map((position) => map.project(position));
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  const box: [[number, number], [number, number]] = [[Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)]];
  for (const layerId of layerIds.toReversed()) {
    const layers = styleLayers(map, layerId);
    const found = layers.length === 0 ? [] : map.queryRenderedFeatures(box, { layers });
    const ids = [...new Set(found.filter(({ geometry }) => touches(geometry, ring)).flatMap((feature) => idOf(feature) ?? []))];
    if (ids.length === 0) continue;
    boxed.value = { layerId, ids: ids.slice(0, MOST_SELECTED) };
    if (ids.length > MOST_SELECTED) {
      notify(t("selectedPart", { n: number(MOST_SELECTED), total: number(ids.length) }), "error");
    }
    return;
  }
}
