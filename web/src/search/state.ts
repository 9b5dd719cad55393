/** What was searched for on this page. */
import { signal } from "@preact/signals";

/** The place that was found, marked on the map until the search is cleared. */
export const pin = signal<{ name: string; longitude: number; latitude: number } | null>(null);
