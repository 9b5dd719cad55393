/**
 * Which layer's time is slid through on this page, and which part of it is shown. The column is the layer's for all
 * (`style.time`, so that tiles carry it); the window is this page's own until it is applied as the layer's filter.
 */
import { computed, effect, signal } from "@preact/signals";
import type { Column, Layer, Table } from "../protocol/types";
import { layers, map } from "../store/store";

/** The layer whose slider was asked for by hand. */
const chosen = signal<string | null>(null);
/** Layers whose slider was closed on this page. */
const closed = signal<ReadonlySet<string>>(new Set());
/** What is shown of the layer's time, in numbers as tiles carry them; null is everything, also what has no time. */
export const shownTime = signal<{ layerId: string; from: number; to: number } | null>(null);

/** The layer whose slider is open: the one that was asked for, else the topmost visible that has a time. */
export const timeLayer = computed<Layer | null>(() => {
  const asked = layers.value.find((layer) => layer.id === chosen.value);
  if (asked !== undefined) return asked;
  const isOpen = (layer: Layer) => layer.visible && layer.style.time != null && !closed.value.has(layer.id);
  return layers.value.findLast(isOpen) ?? null;
});

export function openTime(layerId: string): void {
  chosen.value = layerId;
}

export function closeTime(): void {
  if (timeLayer.value !== null) closed.value = new Set(closed.value).add(timeLayer.value.id);
  chosen.value = null;
}

/** Columns that can be slid through: dates and times first, then numbers that are no keys. */
export function timeColumns(table: Table | null): Column[] {
  const columns = table?.columns ?? [];
  const moments = columns.filter((it) => it.kind === "date" || it.kind === "timestamp");
  const numbers = columns.filter((it) => (it.kind === "integer" || it.kind === "number") && !table?.key?.includes(it.name));
  return [...moments, ...numbers];
}

effect(() => {
  // What was closed or chosen on one map means nothing on another.
  if (map.value === null) return;
  if (shownTime.value !== null && timeLayer.value?.id !== shownTime.value.layerId) shownTime.value = null;
});
