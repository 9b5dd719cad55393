/** Whether the command palette is open. */
import { signal } from "@preact/signals";

export const paletteOpen = signal(false);
