/** Whether the panel of layers is unfolded: not initially on phones, to leave room for the map. */
import { signal } from "@preact/signals";
import { narrow } from "../browser/narrow";

export const open = signal(innerWidth > 700);

/** On a phone the panel gives way to what was opened from it. */
export function makeRoom(): void {
  if (narrow.peek()) open.value = false;
}
