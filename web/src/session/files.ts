/** What can be kept: exports, evidence, pictures, the map as one file, the conversation. */
import { t } from "../i18n/i18n";
import type { Export, ExportAck, ExportReport, Layer } from "../protocol/types";
import { conversationAsMarkdown } from "../share/conversation";
import { pictureOf, save } from "../share/picture";
import { writtenRows } from "../store/presence";
import { description, layers, map, turns } from "../store/store";
import { legendAtNight } from "../ui/night";
import { notify } from "../ui/toast";
import { view } from "./camera";
import { connection } from "./line";
import { baseName, config, isDark, isolated, isShown, past } from "./state";

/** The layer's features as a file, written by the server. */
export function download(layerId: string, format: string): void {
  fetchFile(`layers/${encodeURIComponent(layerId)}/export.${format}`);
}

/** What an analysis did, as a file: all of it as JSON, or as a script for psql. */
export function downloadReceipt(analysisId: string, format: string): void {
  fetchFile(`analyses/${encodeURIComponent(analysisId)}/receipt.${format}`);
}

export async function savePicture(): Promise<void> {
  if (view === null) return;
  try {
    save(await pictureOf(view.map, isDark.value ? shownLayers().map(legendAtNight) : shownLayers(), `${sourceOfBase()} · GeoAgent`), `${fileName("map")}.png`);
  } catch (error) {
    notify(t("pictureFailed", { reason: error instanceof Error ? error.message : String(error) }), "error");
  }
}

/** What this page draws, bottom first. */
export function shownLayers(): Layer[] {
  const shown = past.value?.layers ?? layers.value.filter(isShown).map((layer) => ({ ...layer, visible: true }));
  return shown.filter(({ id, visible }) => visible && (isolated.value === null || id === isolated.value));
}

/** The name of the map as a file's; this word where it has none. */
export function fileName(otherwise: string): string {
  return (description.value?.name ?? "").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || otherwise;
}

export function sourceOfBase(): string {
  const shown = config.value.basemaps.find(({ name }) => name === baseName.value);
  return shown === undefined ? "Natural Earth" : shown.attribution ?? new URL(shown.url).host;
}

/** The map as one file that needs nothing else; the server writes it. */
export function saveFile(): void {
  if (map.value === null) return;
  const link = document.createElement("a");
  link.href = `/api/maps/${map.value.mapId}/map.html`;
  link.download = "";
  link.click();
}

export function saveConversation(): void {
  save(new Blob([conversationAsMarkdown(turns.value, location.href)], { type: "text/markdown" }), `${fileName("conversation")}.md`);
}

/** A large file takes minutes, and tells its progress. */
const EXPORT_PATIENCE_MS = 900_000;

/** Have the server write a file, and fetch it. Rejects with words for people. */
export async function exportFile(request: Omit<Export, "map_id">): Promise<ExportReport> {
  writtenRows.value = null;
  const answer = await connection?.request("export", request, EXPORT_PATIENCE_MS);
  if (!answer?.ok) throw new Error(answer?.error.message ?? t("offline"));
  const { file } = answer as unknown as ExportAck;
  fetchFile(file.link ?? "");
  return file;
}

/** Of a file of this map, as an answer of the server links it. */
export function fileAddress(path: string): string {
  return `/api/maps/${map.value?.mapId ?? ""}/${path}`;
}

function fetchFile(path: string): void {
  if (map.value === null) return;
  const link = document.createElement("a");
  link.href = fileAddress(path);
  link.download = "";
  link.click();
}
