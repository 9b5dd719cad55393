/** The comments on this page: which thread is open, which is being begun, and whether pins are shown. */
import { effect, signal } from "@preact/signals";
import { titleOf } from "../data/titles";
import type { Position } from "../geometry/types";
import { type Found, inspect, tool } from "./selection";
import type { CommentPlace } from "../protocol/types";
import { layers } from "../store/store";
import { local } from "../browser/storage";
import { openSide } from "../ui/page/side";

const HIDDEN = "geoagent.comments-hidden";
const LONGEST_ID = 40;
const LONGEST_LABEL = 200;

/** The id of the thread that is read. */
export const openThread = signal<string | null>(null);
/** Where a thread is being begun. */
export const beginning = signal<CommentPlace | null>(null);
export const pinsHidden = signal(local.getItem(HIDDEN) === "true");

effect(() => local.setItem(HIDDEN, String(pinsHidden.value)));

/** Begins a thread at a place of the map, about the feature there if there is one. */
export function beginThread(position: Position, found?: Found): void {
  const id = found?.id ?? null;
  const isNamed = found !== undefined && id !== null && (typeof id === "number" || id.length <= LONGEST_ID);
  beginning.value = {
    position,
    ...(isNamed && { layer_id: found.layerId, feature_id: id, label: titleOf(found.properties)?.text.slice(0, LONGEST_LABEL) ?? "" }),
  };
  openThread.value = null;
  pinsHidden.value = false;
  inspect.value = null;
  tool.value = "look";
  openSide("comments");
}

export function showThread(id: string): void {
  openThread.value = id;
  beginning.value = null;
  openSide("comments");
}

/** The name of the feature, else of its layer; empty for a place without either. */
export function nameOf({ label, layer_id }: CommentPlace): string {
  return label || (layers.value.find(({ id }) => id === layer_id)?.name ?? "");
}
