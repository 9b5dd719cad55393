/** The map on the screen: what it shows, where it looks, and the way to results. It moves only when it is asked to. */
import { effect } from "@preact/signals";
import { layersOf } from "../instance/sides";
import { asPreviewed, previewedShapes } from "../instance/preview";
import { tableOf } from "../data/tables";
import { areaShape, bounds as viewed, hinted, inspect, marked, type Selection } from "../instance/selection";
import { around, isInSight } from "../geometry/sight";
import type { MapView } from "../map/view";
import type { Bounds, Camera, Projection } from "../geometry/types";
import * as people from "../people/people";
import type { Bookmark, Viewpoint } from "../protocol/types";
import type { Layer } from "../store/state";
import type { MapEvent } from "../protocol/messages";
import { layers, map, mayChange, status, turns } from "../store/store";
import { readBounds } from "../data/rows";
import { shownTime, timed } from "../instance/time";
import { session as stored } from "../browser/storage";
import { notify } from "../ui/toast";
import { cameraOf, hashOf } from "./camera-link";
import { addLayer, describeMap } from "./commands";
import { connection, isMine } from "./line";
import { compared, drawnLast, elsewhere, isDark, isolated, isShown, past, savedView } from "../instance/state";
import { type Stop, together } from "../ui/stops";

export let view: MapView | null = null;

/** The camera of the link by which this page was opened; it counts once, not after a reload. */
const linked = takeLinkedCamera();

let viewTimer: ReturnType<typeof setTimeout> | undefined;

/** The map on the screen is ready to be moved. */
export function showOn(next: MapView): Stop {
  view = next;
  let first = true;
  const stop = effect(() => {
    if (map.value === null) return;
    const looking = {
      isolated: isolated.value, marked: marked.value, hinted: hinted.value, others: people.othersMarks.value, time: shownTime.value,
      timed: timed.value,
      isPast: past.value !== null,
      isDark: isDark.value,
      area: areaShape.value, preview: previewedShapes.value,
    };
    const now = layers.value.map(asShown);
    const pair = compared.value;
    next.show(past.value?.layers ?? (pair === null || pair === "now" ? now : layersOf(now, pair, "left")), looking);
    if (first && storedCamera() === null) lookAtAll(next);
    first = false;
  });
  return together(stop, () => (view = null));
}

function asShown(known: Layer): Layer {
  const layer = asPreviewed(known);
  const visible = isShown(layer);
  return visible === layer.visible ? layer : { ...layer, visible };
}

/** Adds a layer of all rows, and moves the camera to them as soon as their bounds are known. */
export async function addAndZoom(table: string): Promise<void> {
  const before = new Set(layers.value.map(({ id }) => id));
  if (!(await addLayer(table))) return;
  const stop = effect(() => {
    const added = layers.value.find((layer) => layer.table === table && !before.has(layer.id));
    if (added === undefined) return;
    queueMicrotask(() => stop());
    zoomTo(added.bounds);
  });
}

export function zoomTo(bounds: Bounds | null): void {
  if (bounds !== null) view?.look(bounds);
  elsewhere.value = null;
}

/** What this page shows now, to be saved; null before the map is drawn. */
export function viewpoint(): Viewpoint | null {
  return view === null ? null : { ...view.camera(), layers: layers.value.filter(isShown).map(({ id }) => id) };
}

/** Shows a saved view on this page; the others see what they saw. */
export function goToBookmark({ id, name, view: { center, zoom, bearing = 0, pitch = 0, layers: shown = [] } }: Bookmark): void {
  savedView.value = { id, name, visible: new Map(layers.value.map((layer) => [layer.id, shown.includes(layer.id)])) };
  isolated.value = null;
  view?.go({ center, zoom, bearing, pitch });
}

const TILT = 50;

/** Looks at the map from the side, so that what rises in 3D is seen. */
export function tilt(): void {
  const camera = view?.camera();
  if (camera !== undefined && (camera.pitch ?? 0) < 20) view?.go({ ...camera, pitch: TILT });
}

/** Moves to a place unless it is in view already. */
export function goToPlace([longitude, latitude]: [number, number]): void {
  const seen = viewed.peek()?.bounds;
  if (view === null || (seen !== undefined && isInSight([longitude, latitude, longitude, latitude], seen))) return;
  view.go({ center: [longitude, latitude], zoom: view.camera().zoom });
}

/** The address of this map with the camera of this page. */
export function linkToView(): string {
  const page = location.href.split(/[?#]/)[0] ?? "";
  return view === null ? page : `${page}#${hashOf(view.camera())}`;
}

/** Keeps a place of the map visible beside a card that was opened on it. */
export const uncover = (at: readonly [number, number], card: Element): void => view?.uncover(at, card);

export const reloadTiles = (layerId: string): void => view?.reload(layerId);

export function clearSelection(): void {
  inspect.value = null;
}

/** For `MapView`: what the map reports goes to the server, quietly. */
export const reports = {
  receipt: (receipt: { layer_id: string; version: number; features: number; error?: string }): void =>
    void (mayChange.value && connection?.request("receipt", receipt)),
  projected: (projection: Projection): void => void (mayChange.value && describeMap({ projection })),
  moved: (bounds: Bounds, zoom: number, camera: Camera): void => {
    viewed.value = { bounds, zoom };
    clearTimeout(viewTimer);
    viewTimer = setTimeout(() => {
      const quiet = !mayChange.value || people.following.value !== null;
      if (status.value === "online" && !quiet) void connection?.request("view", { bounds, zoom });
      if (map.value !== null) stored.setItem(cameraKey(map.value.mapId), JSON.stringify(camera));
    }, 300);
  },
};

export function storedCamera(): Camera | null {
  if (linked !== null) return linked;
  const mapId = /^\/m\/([A-Za-z0-9_-]+)/.exec(location.pathname)?.[1];
  const kept = mapId === undefined ? null : stored.getItem(cameraKey(mapId));
  return kept === null ? null : (JSON.parse(kept) as Camera);
}

function takeLinkedCamera(): Camera | null {
  const camera = cameraOf(location.hash);
  if (camera !== null) history.replaceState(null, "", location.pathname + location.search);
  return camera;
}

const cameraKey = (mapId: string) => `geoagent.camera.${mapId}`;

/** Moves the camera of the person who asked; others are offered to follow. */
export function moveCamera(bounds: Bounds, turnId: string | null): void {
  const turn = turns.value.find((it) => it.id === turnId);
  if (turn === undefined || turn.clientId === null || isMine(turn)) view?.look(bounds);
  else elsewhere.value = bounds;
}

function lookAtAll(target: MapView): void {
  const all = around(layers.value.filter((layer) => layer.visible).flatMap((layer) => (layer.bounds ? [layer.bounds] : [])));
  if (all !== null) target.look(all, { instantly: true });
}

/** Moves the camera of the person who asked to the first result on an empty map; later results are only offered. The map is tilted for extruded layers. */
export function noticeResult({ event, data }: MapEvent): void {
  if ((event !== "layer_added" && event !== "layer_updated") || data.undo_of != null) return;
  if (data.turn_id !== null) drawnLast.value = new Map(drawnLast.value).set(data.turn_id, data.layer.id);
  const turn = turns.value.find((it) => it.id === data.turn_id);
  const rises = data.layer.style.extrude !== null && turn !== undefined && isMine(turn);
  if (event !== "layer_added" || data.layer.bounds == null) return rises ? tilt() : undefined;
  const isOnly = layers.value.every(({ id, bounds }) => id === data.layer.id || bounds === null);
  const seen = viewed.value?.bounds;
  if (isOnly && turn !== undefined && isMine(turn) && seen !== undefined && !isInSight(data.layer.bounds, seen)) view?.look(data.layer.bounds, rises ? { pitch: TILT } : {});
  else if (rises) tilt();
}

/** Where these features of a layer are, and the way there. */
export async function zoomToFeatures({ layerId, ids }: Selection): Promise<void> {
  const layer = layers.value.find((it) => it.id === layerId);
  const [key] = (layer === undefined ? null : tableOf(layer.table)?.key) ?? [];
  if (map.value === null || key === undefined) return;
  try {
    zoomTo(await readBounds(map.value.mapId, layerId, { op: "in", args: [{ property: key }, ids] }));
  } catch (error) {
    notify((error as Error).message, "error");
  }
}
