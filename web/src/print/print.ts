/** Makes a sheet of what this page shows, and saves it. */
import { view } from "../session/camera";
import { fileName, shownLayers, sourceOfBase } from "../share/files";
import { save } from "../browser/save";
import { encoded } from "../ui/canvas";
import { type Content, drawSheet } from "./draw";
import { withResolution } from "./png";
import { DPI, type Paper, type Sheet, sheetOf } from "./sheet";

const POINTS = 72 / 25.4;
const JPEG_QUALITY = 0.92;

/** Rejects with words for people. */
export async function printSheet(paper: Paper, isLandscape: boolean, format: "pdf" | "png", content: Omit<Content, "attribution">): Promise<void> {
  if (view === null) return;
  const sheet = sheetOf(paper, isLandscape, content.title !== "");
  const attribution = `${sourceOfBase()} · GeoAgent · ${new Date().toISOString().slice(0, 10)}`;
  const canvas = await drawSheet(sheet, { ...content, attribution }, view, shownLayers());
  const file = format === "png" ? await withResolution(await encoded(canvas, "image/png"), DPI) : await pdfOf(canvas, sheet, content.title);
  save(file, `${fileName("map", content.title || undefined)}.${format}`);
}

async function pdfOf(canvas: HTMLCanvasElement, sheet: Sheet, title: string): Promise<Blob> {
  const { PDFDocument } = await import("pdf-lib");
  const pdf = await PDFDocument.create();
  const [width, height] = [sheet.width * POINTS, sheet.height * POINTS];
  const picture = await pdf.embedJpg(await (await encoded(canvas, "image/jpeg", JPEG_QUALITY)).arrayBuffer());
  pdf.addPage([width, height]).drawImage(picture, { x: 0, y: 0, width, height });
  pdf.setTitle(title || "GeoAgent");
  return new Blob([(await pdf.save({ useObjectStreams: false })) as Uint8Array<ArrayBuffer>], { type: "application/pdf" });
}
