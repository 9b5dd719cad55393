/**
 * What tiles say of themselves in a layer `_meta`: that they were thinned because too much lies in them (then it is
 * given how many features of the layer are drawn in view, and how many are there), or that the server cannot draw them.
 */
import { signal } from "@preact/signals";
import type { Map as MapLibre } from "maplibre-gl";
import { layers, map as state } from "../../store/store";
import { shownTime } from "../../instance/time";
import { countWithin } from "../../data/rows";
import { asOf, isOverview, isSample, isThinned, isTooComplex } from "./notes";
import { drawnFeatures, drawnWeight, drawsCells } from "./receipts";
import type { Layer } from "../../protocol/types";
import type { Bounds } from "../../geometry/types";
import type { Stop } from "../../ui/stops";

/** By layer; `total` is null while it is counted, or cannot be. What weights add up to may be more than the layer has. */
export const thinned = signal<ReadonlyMap<string, Thinning>>(new Map());

export interface Thinning {
  shown: number;
  total: number | null;
  /** `sample`: what is drawn was drawn by lot; `overview`: it represents `total` features, summed up from its weights. */
  kind?: "sample" | "overview";
  /** What is drawn are cells that count features. */
  cells?: boolean;
  /** The area of a circle shows how many features it represents. */
  circles?: boolean;
  /** When the overview was made, where the table has changed since. */
  asOf?: string | null;
}

/** Layers in view of which tiles are too complex to be drawn at this zoom. */
export const tooComplex = signal<ReadonlySet<string>>(new Set());

/** Milliseconds of rest before anything is counted. */
const REST = 500;

export function installThinned(map: MapLibre, bounds: () => Bounds): Stop {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let counting: AbortController | undefined;
  /** The view and the layers that were counted last: the map also comes to rest where nothing of these has changed. */
  let counted = "";
  map.on("movestart", () => clearTimeout(timer));
  map.on("idle", () => {
    clearTimeout(timer);
    const found = layers.value.filter(({ id, visible }) => visible && isTooComplex(map, id)).map(({ id }) => id);
    if (found.length > 0 || tooComplex.value.size > 0) tooComplex.value = new Set(found);
    timer = setTimeout(() => {
      // Something has changed since, which is not drawn yet; the map comes to rest again.
      if (!map.loaded()) return;
      const key = keyOf(map, bounds());
      if (key === counted) return;
      counted = key;
      counting?.abort();
      counting = new AbortController();
      void count(map, bounds(), counting.signal);
    }, REST);
  });
  return () => {
    clearTimeout(timer);
    counting?.abort();
  };
}

/** Tiles of one version may change from a sample to an overview. */
function keyOf(map: MapLibre, bounds: Bounds): string {
  const seen = layers.value
    .filter(({ visible }) => visible)
    .map(({ id, version }) => `${id} ${version} ${isSample(map, id)} ${isOverview(map, id)}`);
  return [bounds.join(), JSON.stringify(shownTime.value), ...seen].join("|");
}

function thinning(map: MapLibre, layer: Layer, before: number | null): Thinning {
  const { id, geometry_type: family, style } = layer;
  const [isPoint, sample] = [family === "point", isSample(map, id)];
  if (drawsCells(map, id)) {
    const { features, weight } = drawnWeight(map, id);
    return { shown: features, total: weight, kind: sample ? "sample" : "overview", cells: true, asOf: asOf(map, id) };
  }
  // Where the representatives of all rows are filtered, as by the browser for the time that is shown, the points that
  // pass still stand for their share, being chosen by lot. Shapes do not: the largest were chosen.
  const isPart = sample || (isOverview(map, id) && (id === shownTime.value?.layerId || style.hidden.length > 0));
  if (isPart && !(isOverview(map, id) && isPoint)) return { shown: drawnFeatures(map, id), total: null, kind: "sample" };
  if (!isOverview(map, id)) return { shown: drawnFeatures(map, id), total: before };
  const { features, weight: total } = drawnWeight(map, id);
  if (isPart) return { shown: features, total, kind: "sample" };
  const circles = isPoint && style.kind !== "heatmap" && style.kind !== "proportional";
  return { shown: features, total, kind: "overview", circles, asOf: asOf(map, id) };
}

async function count(map: MapLibre, bounds: Bounds, signal: AbortSignal): Promise<void> {
  const mapId = state.value?.mapId;
  // What is there in the time that is shown only representatives tell.
  const counts = (id: string) => isThinned(map, id) && (id !== shownTime.value?.layerId || isOverview(map, id));
  const full = layers.value.filter((layer) => layer.visible && counts(layer.id));
  if (mapId === undefined || (full.length === 0 && thinned.value.size === 0)) return;
  const before = thinned.value;
  thinned.value = new Map(full.map((layer) => [layer.id, thinning(map, layer, before.get(layer.id)?.total ?? null)]));
  // Representatives know how many they stand for; counting millions of rows for each view would take seconds.
  for (const { id } of full.filter(({ id }) => thinned.value.get(id)?.kind === undefined)) {
    const total = await countWithin(mapId, id, bounds, signal).catch(() => null);
    const shown = thinned.value.get(id)?.shown;
    if (signal.aborted || shown === undefined) return;
    thinned.value = new Map(thinned.value).set(id, { shown, total });
  }
}
