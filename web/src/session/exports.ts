/** Files that the server writes: exports, evidence, the map as one file. */
import { t } from "../i18n/i18n";
import type { Export, ExportReport } from "../protocol/types";
import { writtenRows } from "../store/presence";
import { map } from "../store/store";
import { connection } from "./line";

/** The layer's features as a file, written by the server. */
export function download(layerId: string, format: string): void {
  fetchFile(`layers/${encodeURIComponent(layerId)}/export.${format}`);
}

/** What an analysis did, as a file: all of it as JSON, or as a script for psql. */
export function downloadReceipt(analysisId: string, format: string): void {
  fetchFile(`analyses/${encodeURIComponent(analysisId)}/receipt.${format}`);
}

/** The map as one file that needs nothing else; the server writes it. */
export function saveFile(): void {
  if (map.value === null) return;
  const link = document.createElement("a");
  link.href = `/api/maps/${map.value.mapId}/map.html`;
  link.download = "";
  link.click();
}

/** A large file takes minutes; its progress is shown. */
const EXPORT_TIMEOUT_MS = 900_000;

/** Have the server write a file, and fetch it. Rejects with a message for people. */
export async function exportFile(request: Omit<Export, "map_id">): Promise<ExportReport> {
  writtenRows.value = null;
  const answer = await connection?.request("export", request, EXPORT_TIMEOUT_MS);
  if (!answer?.ok) throw new Error(answer?.error.message ?? t("offline"));
  const { file } = answer;
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
