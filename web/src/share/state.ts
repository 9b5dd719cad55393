/** Which dialogs of sharing are open. */
import { signal } from "@preact/signals";

export const sharing = signal(false);

/** The layers, or results without geometry, that are ticked when the dialog of exports opens; null while it is closed. */
export const exporting = signal<readonly string[] | null>(null);
