/**
 * Which layer's time is slid through on this page, by which column, and which part of it is shown. All of that is this
 * page's own until the window is applied as the layer's filter; `style.time`, which the agent may set, is where it starts.
 */
import { computed, effect, signal } from "@preact/signals";
import type { Column, Layer, Table } from "../protocol/types";
import { layers, map } from "../store/store";
import { makeRoom } from "./open";

/** The layer whose slider the user opened. */
const chosen = signal<string | null>(null);
/** The columns that were chosen here, by layer. */
const columns = signal<ReadonlyMap<string, string>>(new Map());
/** Layers whose slider was closed on this page. */
const closed = signal<ReadonlySet<string>>(new Set());
/** What is shown of the layer's time, in numbers as tiles carry them; null is everything, also what has no time. */
export const shownTime = signal<{ layerId: string; from: number; to: number } | null>(null);

/** Cells count rows of all times, so they cannot be slid through. */
const CELLS: ReadonlySet<string> = new Set(["hexbin", "grid", "cluster"]);
export const mayBeSlid = (layer: Layer): boolean => !CELLS.has(layer.style.kind ?? "single");

/** The layer whose slider is open: the one that was asked for, else the topmost visible that has a time. */
export const timeLayer = computed<Layer | null>(() => {
  const asked = layers.value.find((layer) => layer.id === chosen.value && mayBeSlid(layer));
  if (asked !== undefined) return asked;
  const isOpen = (layer: Layer) => layer.visible && mayBeSlid(layer) && layer.style.time != null && !closed.value.has(layer.id);
  return layers.value.findLast(isOpen) ?? null;
});

/** By which column the layer's time is slid through; null until one is chosen. */
export function timeColumnOf(layer: Layer): string | null {
  return columns.value.get(layer.id) ?? layer.style.time ?? null;
}

export function chooseTimeColumn(layerId: string, column: string): void {
  columns.value = new Map(columns.value).set(layerId, column);
}

/** For the map: the layer whose slider is open, and its column. */
export const timed = computed(() => {
  const layer = timeLayer.value;
  const column = layer === null ? null : timeColumnOf(layer);
  return layer === null || column === null ? null : { layerId: layer.id, column };
});

export function openTime(layerId: string): void {
  chosen.value = layerId;
  makeRoom();
}

export function closeTime(): void {
  if (timeLayer.value !== null) closed.value = new Set(closed.value).add(timeLayer.value.id);
  chosen.value = null;
}

const YEAR = /(^|[_\s])(years?|yr|ann[eé]e|jahr|a[nñ]o)([_\s]|$)/i;

/** Columns that can be slid through: dates and times first, then years. */
export function timeColumns(table: Table | null): Column[] {
  const columns = table?.columns ?? [];
  const moments = columns.filter((it) => it.kind === "date" || it.kind === "timestamp");
  const years = columns.filter((it) => (it.kind === "integer" || it.kind === "number") && YEAR.test(it.name));
  return [...moments, ...years];
}

effect(() => {
  // What was closed or chosen on one map means nothing on another.
  if (map.value === null) return;
  if (shownTime.value !== null && timeLayer.value?.id !== shownTime.value.layerId) shownTime.value = null;
});
