/** Whose table is open on this page. */
import { signal } from "@preact/signals";

/** The layer whose table is open. */
export const tableOpen = signal<string | null>(null);

export function openTable(layerId: string): void {
  tableOpen.value = tableOpen.value === layerId ? null : layerId;
}
