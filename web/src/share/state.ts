/** Whether the dialog of links is open. */
import { signal } from "@preact/signals";

export const sharing = signal(false);
