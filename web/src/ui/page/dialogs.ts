/** Which dialogs of the page are open. */
import { signal } from "@preact/signals";

export const sharing = signal(false);

/** The dialog that makes a sheet to print. */
export const printing = signal(false);

/** The layers, or results without geometry, that are ticked when the dialog of exports opens; null while it is closed. */
export const exporting = signal<readonly string[] | null>(null);

/** The command palette. */
export const paletteOpen = signal(false);

/** What was typed while the palette was loading: its field begins with that. */
export const paletteText = signal("");

export function openPalette() {
  if (paletteOpen.value) return;
  paletteText.value = "";
  paletteOpen.value = true;
}
