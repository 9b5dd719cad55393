/**
 * Where tiles were thinned because too much lies in them (they say so in a layer `_meta`): how many features of the
 * layer are drawn in view, and how many are there.
 */
import { signal } from "@preact/signals";
import type { Map as MapLibre } from "maplibre-gl";
import { layers, map as state } from "../store/store";
import { shownTime } from "../time/state";
import { countWithin } from "../table/rows";
import { drawnFeatures } from "./receipts";
import type { Bounds } from "./view";

/** By layer; `total` is null while it is counted, or cannot be. */
export const thinned = signal<ReadonlyMap<string, { shown: number; total: number | null }>>(new Map());

/** Milliseconds of rest before anything is counted. */
const REST = 500;

export function installThinned(map: MapLibre, bounds: () => Bounds): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let counting: AbortController | undefined;
  map.on("movestart", () => clearTimeout(timer));
  map.on("idle", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      counting?.abort();
      counting = new AbortController();
      void count(map, bounds(), counting.signal);
    }, REST);
  });
}

async function count(map: MapLibre, bounds: Bounds, signal: AbortSignal): Promise<void> {
  const mapId = state.value?.mapId;
  const full = layers.value.filter((layer) => layer.visible && layer.id !== shownTime.value?.layerId && isThinned(map, layer.id));
  if (mapId === undefined || (full.length === 0 && thinned.value.size === 0)) return;
  const before = thinned.value;
  thinned.value = new Map(full.map(({ id }) => [id, { shown: drawnFeatures(map, id), total: before.get(id)?.total ?? null }]));
  for (const { id } of full) {
    const total = await countWithin(mapId, id, bounds, signal).catch(() => null);
    const shown = thinned.value.get(id)?.shown;
    if (signal.aborted || shown === undefined) return;
    thinned.value = new Map(thinned.value).set(id, { shown, total });
  }
}

function isThinned(map: MapLibre, layerId: string): boolean {
  return map.getSource(layerId) !== undefined && map.querySourceFeatures(layerId, { sourceLayer: "_meta" }).length > 0;
}
