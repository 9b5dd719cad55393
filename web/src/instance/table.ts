/** The table that is open on this page. */
import { signal } from "@preact/signals";
import type { Subject } from "../data/rows";
import { makeRoom } from "./open";

/** A layer whose rows are shown, or a table without geometry, with the heading above its rows. */
export type Open = { layer: string } | { table: string; name: string; count: number; estimated: boolean };

export const tableOpen = signal<Open | null>(null);

export const subjectOf = (open: Open): Subject =>
  "layer" in open ? { kind: "layers", id: open.layer } : { kind: "tables", id: open.table };

/** Open the table, or close it if it is open. */
export function openTable(wanted: Open): void {
  const now = tableOpen.value;
  tableOpen.value = now !== null && subjectOf(now).id === subjectOf(wanted).id ? null : wanted;
  if (tableOpen.value !== null) makeRoom();
}
