/** What this page writes itself: pictures of the map, and the conversation. */
import type { Layer } from "../protocol/types";
import { conversationAsMarkdown } from "./conversation";
import { pictureOf } from "./picture";
import { save } from "../browser/save";
import { description, layers, turns } from "../store/store";
import { notifyFailure } from "../ui/canvas";
import { legendAtNight } from "../ui/night";
import { view } from "../session/camera";
import { baseName, config, isDark, isolated, isShown, past } from "../instance/state";

export async function savePicture(): Promise<void> {
  if (view === null) return;
  const drawn = isDark.value ? shownLayers().map(legendAtNight) : shownLayers();
  const picture = pictureOf(view.map, drawn, `${sourceOfBase()} · GeoAgent`);
  await notifyFailure(picture.then((file) => save(file, `${fileName("map")}.png`)));
}

/** What this page draws, bottom first. */
export function shownLayers(): Layer[] {
  const shown = past.value?.layers ?? layers.value.filter(isShown).map((layer) => ({ ...layer, visible: true }));
  return shown.filter(({ id, visible }) => visible && (isolated.value === null || id === isolated.value));
}

/** The name of the map, or a title, as a file's; this word where there is none. */
export function fileName(otherwise: string, title = description.value?.name ?? ""): string {
  return title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || otherwise;
}

export function sourceOfBase(): string {
  const shown = config.value.basemaps.find(({ name }) => name === baseName.value);
  return shown === undefined ? "Natural Earth" : shown.attribution ?? new URL(shown.url).host;
}

export function saveConversation(): void {
  save(new Blob([conversationAsMarkdown(turns.value, location.href)], { type: "text/markdown" }), `${fileName("conversation")}.md`);
}

