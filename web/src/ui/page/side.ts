/** What the panel beside the map shows: the conversation, or for a while something else. */
import { signal } from "@preact/signals";
import { height } from "./sheet";

type Panel = "chat" | "history" | "catalogue" | "charts" | "views" | "comments" | "layer" | "upload";

export const side = signal<Panel>("chat");

/** Shows a panel, also where the sheet of a phone is too low for it. */
export function openSide(panel: Panel): void {
  side.value = panel;
  if (height.value === "low") height.value = "half";
}
