/**
 * What a person can do on this page, in one place: every button, key and form calls these. The session owns the
 * connection and the map on the screen; views only read signals.
 */
import { computed, effect, signal } from "@preact/signals";
import { io } from "socket.io-client";
import { type Base, baseOf, BUILT_IN } from "./basemap/base";
import { Connection, type Fault, type Outgoing, type Wire } from "./connection/connection";
import { uniqueId } from "./connection/unique";
import { t } from "./i18n/i18n";
import { bounds as viewed, focus, hinted, inspect, marked, withView } from "./map/selection";
import type { Bounds, Camera, MapView } from "./map/view";
import { shownTime } from "./time/state";
import type {
  Chart, CopyAck, Gesture, Layer, LayerUpdate, Place, PlacesAck, RecipeCard, RecipeRun, ShareAck, StyleSpec, UndoAck,
} from "./protocol/types";
import type { MapEvent, Turn } from "./store/state";
import { completed, exhausted, layers, listener, map, mayChange, outbox, status, turns } from "./store/store";
import * as people from "./people/people";
import { conversationAsMarkdown } from "./share/conversation";
import { pictureOf, save } from "./share/picture";
import { local, session as stored } from "./ui/storage";
import { notify } from "./ui/toast";

export interface Config {
  model: string;
  /** Whether the first of these is shown to who has not chosen. */
  basemap: boolean;
  /** Base maps to choose from, beside the built-in one. */
  basemaps: { name: string; url: string; attribution: string | null }[];
  suggestions: string[];
  /** Whether messages of the form `sql: SELECT …` are run. */
  sql: boolean;
  /** Colour ramps by name, as the server draws with them. */
  ramps: Record<"sequential" | "diverging" | "qualitative", Record<string, string[]>>;
}

export const config = signal<Config>({
  model: "",
  basemap: false,
  basemaps: [],
  suggestions: [],
  sql: false,
  ramps: { sequential: {}, diverging: {}, qualitative: {} },
});
export const base = signal<Base>(BUILT_IN);
/** The name of the base map that is shown: this person's choice, for all their maps. Empty: the built-in one. */
export const baseName = signal("");
/** The map may be made: it is known which base map is wanted. */
export const ready = signal(false);
export const isolated = signal<string | null>(null);
/** A moment of the history that this page looks at instead of now. */
export const past = signal<{ seq: number; at: string; layers: readonly Layer[]; charts: readonly Chart[] } | null>(null);
/** Now is shown, and may be changed. */
export const mayChangeNow = computed(() => mayChange.value && past.value === null);
/** A place that the conversation of somebody else points to. */
export const elsewhere = signal<Bounds | null>(null);

/** Where this browser keeps which base map was chosen. */
const BASE = "geoagent.basemap";

/** Messages of this tab begin with this, also after a reload. */
const tab = tabName();
let connection: Connection | null = null;
let view: MapView | null = null;
let viewTimer: ReturnType<typeof setTimeout> | undefined;

export async function start(): Promise<void> {
  const wanted = /^\/m\/([A-Za-z0-9_-]+)/.exec(location.pathname)?.[1] ?? null;
  const socket = io({ transports: ["websocket", "polling"], tryAllTransports: true, reconnectionDelayMax: 4000 });
  connection = new Connection(socket as unknown as Wire, listener((event) => {
    if (event.event === "view_requested") moveCamera(event.data.bounds, event.data.turn_id);
    if (event.event === "gestures") people.moved(event.data);
    if (event.event === "presence") people.present(event.data.people);
  }, (answer) => {
    people.joined(answer);
    introduce();
  }), wanted);
  effect(() => {
    const mapId = map.value?.mapId;
    if (mapId !== undefined && !location.pathname.startsWith(`/m/${mapId}`)) {
      history.replaceState(null, "", `/m/${mapId}${location.search}`);
    }
  });
  effect(() => {
    // Whoever joins says what part of the map is seen: from then on the server counts on receipts.
    const seen = viewed.peek();
    if (status.value === "online" && mayChange.value && seen !== null) void connection?.request("view", seen);
  });
  keepOutbox(wanted);
  await loadConfig();
}

/** The map on the screen is ready to be told what to show. */
export function showOn(next: MapView): void {
  view = next;
  let first = true;
  effect(() => {
    if (map.value === null) return;
    const looking = {
      isolated: isolated.value, marked: marked.value, hinted: hinted.value, others: people.othersMarks.value, time: shownTime.value,
      isPast: past.value !== null,
    };
    next.show(past.value?.layers ?? layers.value, looking);
    if (first && storedCamera() === null) lookAtAll(next);
    first = false;
  });
}

export const say = (text: string): void => {
  const clean = text.trim();
  if (clean === "" || connection === null || !allowed()) return;
  connection.say(clean, focus.value && { ...focus.value, seq: map.value?.seq ?? null }, `${tab}.${uniqueId()}`);
  withView.value = true;
};

export const retry = (clientId: string): void => connection?.retry(clientId);
export const discard = (clientId: string): void => connection?.discard(clientId);
export const stop = (turnId: string): void => void asked("cancel", { turn_id: turnId });
/** The answer to a question of the agent; false when somebody else was first, or the server is away. */
export const approve = (turnId: string, callId: string, approved: boolean): Promise<boolean> =>
  asked("approve", { turn_id: turnId, call_id: callId, approved });
export const updateLayer = (id: string, change: Omit<LayerUpdate, "map_id" | "layer_id">): Promise<boolean> =>
  asked("layer_update", { layer_id: id, ...change });
export const removeLayer = (id: string): Promise<boolean> => asked("layer_remove", { layer_id: id });
/** Deletes the result of an analysis for good. */
export const dropResult = (table: string): Promise<boolean> => asked("result_drop", { table });
export const saveRecipe = (analysis_id: string, name: string, parameters: string[]): Promise<boolean> =>
  asked("recipe_save", { analysis_id, name, parameters });
/** Runs it as if somebody had written it; false when it cannot be. */
export const runRecipe = (name: string, values: RecipeRun["values"]): Promise<boolean> =>
  asked("recipe_run", { name, values, client_id: `${tab}.${uniqueId()}` });
export const renameRecipe = (name: string, new_name: string): Promise<boolean> => asked("recipe_rename", { name, new_name });
export const removeRecipe = (name: string): Promise<boolean> => asked("recipe_remove", { name });
export const reorderLayers = (order: string[]): Promise<boolean> => asked("layer_reorder", { order });

/** Every event of this map, or why they cannot be had. */
export const readHistory = async (): Promise<MapEvent[] | Fault> =>
  (await connection?.history()) ?? { code: "offline", message: t("offline") };

export function addLayer(table: string, style?: StyleSpec, filter?: Record<string, unknown> | null): Promise<boolean> {
  return asked("layer_add", { table, ...(style && { style }), ...(filter && { filter }) });
}

export function duplicateLayer(id: string): void {
  const layer = layers.value.find((it) => it.id === id);
  if (layer === undefined) return;
  const { layers: _, ...style } = layer.style;
  void asked("layer_add", { table: layer.table, name: `${layer.name} 2`, filter: layer.filter, style });
}

/** The layer's features as a file, written by the server. */
export function download(layerId: string, format: string): void {
  fetchFile(`layers/${encodeURIComponent(layerId)}/export.${format}`);
}

/** Places of that name in the tables of the server; none when it cannot be asked. */
export async function findPlaces(text: string, limit: number): Promise<Place[]> {
  const answer = await connection?.request("find_place", { text, limit });
  return answer?.ok ? (answer as unknown as PlacesAck).places : [];
}

/** What an analysis did, as a file: all of it as JSON, or as a script for psql. */
export function downloadReceipt(analysisId: string, format: string): void {
  fetchFile(`analyses/${encodeURIComponent(analysisId)}/receipt.${format}`);
}

/** What a recipe of this analysis could have for parameters; null when the server cannot say. */
export async function suggestedRecipe(analysisId: string): Promise<RecipeCard | null> {
  try {
    const answer = await fetch(`/api/maps/${map.value?.mapId}/analyses/${encodeURIComponent(analysisId)}/recipe`);
    return answer.ok ? ((await answer.json()) as RecipeCard) : null;
  } catch {
    return null;
  }
}

export async function undo(): Promise<void> {
  await step("undo");
}

export async function redo(): Promise<void> {
  await step("redo");
}

/** Fetches the part of the conversation that the snapshot left out. */
export async function loadEarlier(): Promise<void> {
  const events = await readHistory();
  if (Array.isArray(events)) completed(events);
}

/** Makes layers and charts as they were, by one change that one undo takes back. */
export async function restore(seq: number): Promise<void> {
  past.value = null;
  await asked("restore", { seq });
}

export async function savePicture(): Promise<void> {
  if (view === null) return;
  const shown = (past.value?.layers ?? layers.value).filter(({ id }) => isolated.value === null || id === isolated.value);
  try {
    save(await pictureOf(view.map, shown, `${sourceOfBase()} · GeoAgent`), "map.png");
  } catch (error) {
    notify(t("pictureFailed", { reason: error instanceof Error ? error.message : String(error) }), "error");
  }
}

function sourceOfBase(): string {
  const shown = config.value.basemaps.find(({ name }) => name === baseName.value);
  return shown === undefined ? "Natural Earth" : shown.attribution ?? new URL(shown.url).host;
}

/** Draws another base map under the layers, and remembers it; the built-in one where it cannot be read. */
export async function chooseBase(name: string): Promise<void> {
  local.setItem(BASE, name);
  await loadBase(name);
}

async function loadBase(wanted: string): Promise<void> {
  const found = config.value.basemaps.find(({ name }) => name === wanted);
  try {
    [base.value, baseName.value] = [found === undefined ? BUILT_IN : await baseOf(found.url, found.attribution), found?.name ?? ""];
  } catch (error) {
    [base.value, baseName.value] = [BUILT_IN, ""];
    notify(t("basemapFailed", { reason: error instanceof Error ? error.message : String(error) }), "error");
  }
}

/** The map as one file that needs nothing else; the server writes it. */
export function saveFile(): void {
  if (map.value === null) return;
  const link = document.createElement("a");
  link.href = `/api/maps/${map.value.mapId}/map.html`;
  link.download = "";
  link.click();
}

export function saveConversation(): void {
  save(new Blob([conversationAsMarkdown(turns.value, location.href)], { type: "text/markdown" }), "conversation.md");
}

export function zoomTo(bounds: Bounds | null): void {
  if (bounds !== null) view?.look(bounds);
  elsewhere.value = null;
}

export function clearSelection(): void {
  inspect.value = null;
}

/** Whether a message was sent from this tab. */
export const isMine = (turn: Turn): boolean => turn.clientId?.startsWith(tab) ?? false;

/** Tells the others on the map by what name they may call me. */
export function introduce(): void {
  if (people.myName.value !== "" || people.wasNamed()) connection?.introduce(people.myName.value);
}

/** For `installPeople`: what I point at and see goes to the others, quietly. */
export const gestures = {
  gesture: (gesture: Omit<Gesture, "map_id">): void => void connection?.request("gesture", gesture),
  seen: (bounds: Bounds, zoom: number): void => void connection?.request("view", { bounds, zoom }),
};

/** The map's view key (null: it has none) after making (true), withdrawing (false) or only asking for it. */
export async function shareView(view?: boolean): Promise<string | null | undefined> {
  const answer = await connection?.request("share", view === undefined ? {} : { view });
  if (answer?.ok) return (answer as unknown as ShareAck).view_key;
  notify(t("couldNot", { reason: answer?.error.message ?? t("offline") }), "error");
  return undefined;
}

/** Opens a new map with the same layers. */
export async function copyMap(): Promise<void> {
  const answer = await connection?.request("copy", {});
  if (answer?.ok) return location.assign(`/m/${(answer as unknown as CopyAck).map_id}`);
  notify(t("couldNot", { reason: answer?.error.message ?? t("offline") }), "error");
}

/** For `MapView`: what the map reports goes to the server, quietly. */
export const reports = {
  receipt: (receipt: { layer_id: string; version: number; features: number; error?: string }): void =>
    void (mayChange.value && connection?.request("receipt", receipt)),
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
  const mapId = /^\/m\/([A-Za-z0-9_-]+)/.exec(location.pathname)?.[1];
  const kept = mapId === undefined ? null : stored.getItem(cameraKey(mapId));
  return kept === null ? null : (JSON.parse(kept) as Camera);
}

const cameraKey = (mapId: string) => `geoagent.camera.${mapId}`;

function fetchFile(path: string): void {
  if (map.value === null) return;
  const link = document.createElement("a");
  link.href = `/api/maps/${map.value.mapId}/${path}`;
  link.download = "";
  link.click();
}

/** Asks the server, and says so where it does not want to. */
export async function asked<Name extends Parameters<Connection["request"]>[0]>(
  name: Name,
  wish: Parameters<typeof Connection.prototype.request<Name>>[1],
): Promise<boolean> {
  if (!allowed()) return false;
  const answer = await connection?.request(name, wish);
  if (answer !== undefined && !answer.ok) notify(t("couldNot", { reason: answer.error.message }), "error");
  return answer?.ok ?? false;
}

/** Who only looks is told so, instead of asking the server for what it would refuse. */
function allowed(): boolean {
  if (!mayChange.value) notify(t("viewOnlyNote"));
  return mayChange.value;
}

async function step(kind: "undo" | "redo"): Promise<void> {
  if (!allowed()) return;
  const answer = await connection?.request(kind, {});
  if (answer === undefined) return;
  if (answer.ok) {
    const { what } = answer as unknown as UndoAck;
    return notify(`${kind === "undo" ? t("undone") : t("redone")}: ${what}`);
  }
  exhausted(kind, answer.error);
  const nothing = kind === "undo" ? t("nothingToUndo") : t("nothingToRedo");
  notify(answer.error.code === "nothing_to_undo" ? nothing : t("couldNot", { reason: answer.error.message }), "note");
}

/** Moves for who asked; others are offered to follow, for their map is theirs. */
function moveCamera(bounds: Bounds, turnId: string | null): void {
  const turn = turns.value.find((it) => it.id === turnId);
  if (turn === undefined || turn.clientId === null || isMine(turn)) view?.look(bounds);
  else elsewhere.value = bounds;
}

function lookAtAll(target: MapView): void {
  const boxes = layers.value.filter((layer) => layer.visible).flatMap((layer) => (layer.bounds ? [layer.bounds] : []));
  if (boxes.length === 0 || boxes.some(([west, , east]) => west > east)) return;
  const column = (index: 0 | 1 | 2 | 3) => boxes.map((box) => box[index]);
  target.look(
    [Math.min(...column(0)), Math.min(...column(1)), Math.max(...column(2)), Math.max(...column(3))],
    { instantly: true },
  );
}

/** Messages that were typed offline survive a reload of the page. */
function keepOutbox(mapId: string | null): void {
  const key = (id: string) => `geoagent.outbox.${id}`;
  const kept = mapId === null ? null : stored.getItem(key(mapId));
  if (kept !== null) connection?.restore(JSON.parse(kept) as Outgoing[]);
  effect(() => {
    if (map.value !== null) stored.setItem(key(map.value.mapId), JSON.stringify(outbox.value));
  });
}

async function loadConfig(): Promise<void> {
  try {
    const answer = await fetch("/api/config");
    if (answer.ok) config.value = { ...config.value, ...((await answer.json()) as Partial<Config>) };
  } catch {
    // Without it there are no suggestions and the built-in base map is shown; the connection tells the user.
  }
  await loadBase(local.getItem(BASE) ?? (config.value.basemap ? config.value.basemaps[0]?.name ?? "" : ""));
  ready.value = true;
}

function tabName(): string {
  const name = stored.getItem("geoagent.tab") ?? uniqueId().slice(0, 8);
  stored.setItem("geoagent.tab", name);
  return name;
}
