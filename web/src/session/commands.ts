/** What a person can do to the map and the conversation: every button, key and form calls these, and they ask the server. */
import { uniqueId } from "../connection/unique";
import { inOwnWords, t } from "../i18n/i18n";
import { focus, withView } from "../instance/selection";
import type { Bounds } from "../geometry/types";
import * as people from "../people/people";
import type { CommentPlace, Gesture, LayerGroup, LayerUpdate, MapDescribe, Place, RecipeCard, RecipeRun, StyleSpec, Viewpoint } from "../protocol/types";
import { arrived, exhausted, layers, map } from "../store/store";
import { notify } from "../ui/toast";
import { allowed, answered, asked, connection, tab } from "./line";
import { past } from "../instance/state";

export const say = (text: string): void => {
  const clean = text.trim();
  if (clean === "" || connection === null || !allowed()) return;
  connection.say(clean, focus.value && { ...focus.value, seq: map.value?.seq ?? null }, `${tab}.${uniqueId()}`);
  withView.value = true;
};

export const retry = (clientId: string): void => connection?.retry(clientId);

export const discard = (clientId: string): void => connection?.discard(clientId);

export const stop = (turnId: string): void => void asked("cancel", { turn_id: turnId });

/** Answers a question of the agent; false if another person was first or the server is not available. */
export const approve = (turnId: string, callId: string, approved: boolean): Promise<boolean> =>
  asked("approve", { turn_id: turnId, call_id: callId, approved });

/** Changes a layer for everyone, and waits until the change is here as well; false where it was refused. */
export async function updateLayer(id: string, change: Omit<LayerUpdate, "map_id" | "layer_id">): Promise<boolean> {
  const answer = await answered("layer_update", { layer_id: id, ...change });
  if (answer === null) return false;
  await arrived(answer.seq);
  return true;
}

/** A new filter in place of the one that the person saw; false where others have changed it since. */
export const changeFilter = (id: string, filter: LayerUpdate["filter"], seen_version: number): Promise<boolean> =>
  asked("layer_update", { layer_id: id, filter, seen_version });

export const removeLayer = (id: string): Promise<boolean> => asked("layer_remove", { layer_id: id });

/** Deletes the result of an analysis for good. */
export const dropResult = (table: string): Promise<boolean> => asked("result_drop", { table });

export const saveRecipe = (analysis_id: string, name: string, parameters: string[]): Promise<boolean> =>
  asked("recipe_save", { analysis_id, name, parameters });

/** Runs it as if it had been typed; false if that is not possible. */
export const runRecipe = (name: string, values: RecipeRun["values"]): Promise<boolean> =>
  asked("recipe_run", { name, values, client_id: `${tab}.${uniqueId()}` });

export const renameRecipe = (name: string, new_name: string): Promise<boolean> => asked("recipe_rename", { name, new_name });

export const removeRecipe = (name: string): Promise<boolean> => asked("recipe_remove", { name });

/** Changes name, base map or projection of the map for everyone. */
export const describeMap = (change: Omit<MapDescribe, "map_id">): Promise<boolean> => asked("map_describe", change);

/** Saves a view of the map; with `bookmark_id` in place of that one. */
export const saveBookmark = (name: string, view: Viewpoint, bookmark_id?: string): Promise<boolean> =>
  asked("bookmark_save", { name, view, ...(bookmark_id !== undefined && { bookmark_id }) });

export const removeBookmark = (bookmark_id: string): Promise<boolean> => asked("bookmark_remove", { bookmark_id });

/** Pins a first comment; the id of its thread, null when it could not be stored. */
export async function startThread(place: CommentPlace, text: string): Promise<string | null> {
  const answer = await answered("thread_start", { place, text });
  return answer === null ? null : answer.thread_id;
}

export const reply = (thread_id: string, text: string): Promise<boolean> => asked("comment_add", { thread_id, text });

export const removeComment = (thread_id: string, comment_id: string): Promise<boolean> =>
  asked("comment_remove", { thread_id, comment_id });

export const resolveThread = (thread_id: string, resolved: boolean): Promise<boolean> =>
  asked("thread_resolve", { thread_id, resolved });

export const removeThread = (thread_id: string): Promise<boolean> => asked("thread_remove", { thread_id });

export const reorderLayers = (order: string[]): Promise<boolean> => asked("layer_reorder", { order });

/** Changes several layers in one step: their group, whether they are shown, and the order of all. */
export const changeGroup = (change: Omit<LayerGroup, "map_id">): Promise<boolean> => asked("layer_group", change);

export function addLayer(table: string, style?: StyleSpec, filter?: Record<string, unknown> | null): Promise<boolean> {
  return asked("layer_add", { table, ...(style && { style }), ...(filter && { filter }) });
}

export function duplicateLayer(id: string): void {
  const layer = layers.value.find((it) => it.id === id);
  if (layer === undefined) return;
  const { layers: _, ...style } = layer.style;
  void asked("layer_add", { table: layer.table, name: `${layer.name} 2`, filter: layer.filter, style });
}

/** Places of that name in the tables of the server, and the tables that were not searched; none when it cannot be asked. */
export async function findPlaces(text: string, limit: number): Promise<{ places: Place[]; notSearched: string[] }> {
  const answer = await connection?.request("find_place", { text, limit });
  if (!answer?.ok) return { places: [], notSearched: [] };
  const { places, not_searched } = answer;
  return { places, notSearched: not_searched ?? [] };
}

export async function undo(): Promise<void> {
  await step("undo");
}

export async function redo(): Promise<void> {
  await step("redo");
}

/** Makes layers and charts as they were, by one change that one undo takes back. */
export async function restore(seq: number): Promise<void> {
  past.value = null;
  await asked("restore", { seq });
}

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
  if (answer?.ok) return answer.view_key;
  notify(t("couldNot", { reason: answer?.error.message ?? t("offline") }), "error");
  return undefined;
}

/** Opens a new map with the same layers. */
export async function copyMap(): Promise<void> {
  const answer = await connection?.request("copy", {});
  if (answer?.ok) return location.assign(`/m/${answer.map_id}`);
  notify(t("couldNot", { reason: answer?.error.message ?? t("offline") }), "error");
}

async function step(kind: "undo" | "redo"): Promise<void> {
  if (!allowed()) return;
  const answer = await connection?.request(kind, {});
  if (answer === undefined) return;
  if (answer.ok) {
    const what = inOwnWords(answer.what, answer.wording);
    return notify(`${kind === "undo" ? t("undone") : t("redone")}: ${what}`);
  }
  exhausted(kind, answer.error);
  const nothing = kind === "undo" ? t("nothingToUndo") : t("nothingToRedo");
  notify(answer.error.code === "nothing_to_undo" ? nothing : t("couldNot", { reason: answer.error.message }), "note");
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
