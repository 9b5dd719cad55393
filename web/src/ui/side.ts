/** What the panel beside the map shows: the conversation, or for a while something else. */
import { signal } from "@preact/signals";

export const side = signal<"chat" | "history" | "catalogue" | "charts">("chat");
