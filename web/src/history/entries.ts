/** The event log as a readable list, and the map as it was after any of it. Pure. */
import { titleOf } from "../charts/shape";
import { apply } from "../store/apply";
import type { Chart } from "../protocol/types";
import { emptyState, type Layer, type MapState } from "../store/state";
import type { MapEvent } from "../protocol/messages";

export type Deed =
  | { did: "asked"; text: string }
  | { did: "added" | "removed" | "named"; name: string }
  | { did: "changed"; name: string; what: Change[] }
  | { did: "commented" | "resolved" | "reopened"; text: string }
  | { did: "reordered" }
  | { did: "reset" };

export type Change = "name" | "filter" | "style" | "visible" | "hidden" | "opacity" | "group" | "data";

export interface HistoryEntry {
  seq: number;
  at: string;
  deed: Deed;
  /** Whether it took something back, or did it again. */
  way: "done" | "undone" | "redone";
  layers: readonly Layer[];
  charts: readonly Chart[];
}

/** Newest first: what was asked, and every change to layers and charts. */
export function entries(events: readonly MapEvent[]): HistoryEntry[] {
  let state = emptyState("");
  const found: HistoryEntry[] = [];
  for (const event of events) {
    const deed = deedOf(event, state);
    state = apply(state, event);
    if (deed === null) continue;
    const { seq, at } = event.data;
    const undo = "undo_of" in event.data && event.data.undo_of != null;
    const redo = "redo" in event.data && event.data.redo;
    found.push({ seq, at, deed, way: undo ? (redo ? "redone" : "undone") : "done", layers: state.layers, charts: state.charts });
  }
  return found.reverse();
}

function deedOf(event: MapEvent, { layers: before, charts, document, threads }: MapState): Deed | null {
  switch (event.event) {
    case "user_message":
      return { did: "asked", text: event.data.text };
    case "layer_added":
      return { did: "added", name: event.data.layer.name };
    case "layer_updated": {
      const { layer } = event.data;
      const old = before.find((it) => it.id === layer.id);
      if (event.data.cause === "data") return { did: "changed", name: layer.name, what: ["data"] };
      return { did: "changed", name: old?.name ?? layer.name, what: old === undefined ? [] : changes(old, layer) };
    }
    case "layer_removed": {
      const id = event.data.layer_id;
      return { did: "removed", name: before.find((layer) => layer.id === id)?.name ?? id };
    }
    case "map_described":
      return event.data.name === document.name ? null : { did: "named", name: event.data.name };
    case "layers_reordered":
      return { did: "reordered" };
    case "map_reset":
      return { did: "reset" };
    case "chart_added":
      return { did: "added", name: titleOf(event.data.chart) };
    case "chart_removed": {
      const chart = charts.find(({ id }) => id === event.data.chart_id);
      return { did: "removed", name: chart === undefined ? event.data.chart_id : titleOf(chart) };
    }
    case "chart_updated":
      return { did: "changed", name: titleOf(event.data.chart), what: ["data"] };
    case "thread_started":
      return { did: "commented", text: event.data.thread.comments[0]?.text ?? "" };
    case "comment_added":
      return { did: "commented", text: event.data.comment.text };
    case "thread_resolved": {
      const thread = threads.find(({ id }) => id === event.data.thread_id);
      return { did: event.data.resolved ? "resolved" : "reopened", text: thread?.comments[0]?.text ?? "" };
    }
    default:
      return null;
  }
}

function changes(old: Layer, now: Layer): Change[] {
  const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  const found: Change[] = [];
  if (old.name !== now.name) found.push("name");
  if (differs(old.filter, now.filter)) found.push("filter");
  if (differs(old.style, now.style)) found.push("style");
  if (old.visible !== now.visible) found.push(now.visible ? "visible" : "hidden");
  if (old.opacity !== now.opacity) found.push("opacity");
  if ((old.group ?? null) !== (now.group ?? null)) found.push("group");
  return found.length === 0 ? ["data"] : found;
}
