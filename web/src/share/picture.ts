/** The map as a PNG, as it is on the screen, with its legend and the attribution below. */
import type { Map as MapLibre } from "maplibre-gl";
import { describe } from "../data/cql2";
import { type Ink, inkOf } from "../layers/style/ink";
import { legendEntries, legendLabel, legendTitle } from "../layers/style/words";
import { thinnedWords } from "../layers/thinned-words";
import { direction, inOwnWords, t } from "../i18n/i18n";
import type { Layer, LegendEntry } from "../protocol/types";
import { directionOf, encoded, penOf } from "../ui/canvas";

const ROW = 20;
const PAD = 16;
const MOST_RADIUS = 28;
/** Characters of a line of the legend. */
const LONGEST_LINE = 60;

interface Line {
  text: string;
  bold: boolean;
  swatch: LegendEntry | null;
  shape: Layer["legend"]["shape"];
  ink: Ink;
}

export async function pictureOf(map: MapLibre, layers: readonly Layer[], attribution: string): Promise<Blob> {
  const shot = await photograph(map);
  const scale = shot.width / map.getContainer().clientWidth;
  const lines = layers.filter((layer) => layer.visible).toReversed().flatMap(legendLines);
  const canvas = document.createElement("canvas");
  canvas.width = shot.width;
  canvas.height = shot.height;
  const pen = penOf(canvas);
  pen.drawImage(shot, 0, 0);
  pen.scale(scale, scale);
  if (lines.length > 0) drawLegend(pen, lines);
  drawAttribution(pen, attribution, shot.width / scale, shot.height / scale);
  return await encoded(canvas, "image/png");
}

/** What the map shows, without what floats over it. WebGL forgets what it drew, so the copy is made within the frame. */
export function photograph(map: MapLibre): Promise<ImageBitmap> {
  return new Promise((resolve, reject) => {
    map.once("render", () => void createImageBitmap(map.getCanvas()).then(resolve, reject));
    map.triggerRepaint();
  });
}

const cut = (text: string): string => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text);

/** Exported for its test: what the legend of a picture says of a layer, line by line. */
export function legendLines(layer: Layer): Line[] {
  const { legend } = layer;
  const single = legend.kind === "single";
  const ink = inkOf(layer);
  const title: Line = { text: layer.name, bold: true, swatch: single ? (legend.entries[0] ?? null) : null, shape: legend.shape, ink };
  const note = (text: string): Line => ({ text: cut(text), bold: false, swatch: null, shape: legend.shape, ink });
  const filter = layer.filter == null ? [] : [note(describe(layer.filter))];
  const notes = [
    ...(legend.note === null ? [] : [inOwnWords(legend.note, legend.wording)]),
    ...(layer.estimated && !single ? [t("estimatedLegend")] : []),
    ...[thinnedWords(layer)].flatMap((found) => found?.text ?? []),
  ].map(note);
  if (single) return [title, ...filter, ...notes];
  const heading = legendTitle(layer);
  const column = heading === "" ? [] : [note(heading)];
  const rows = legendEntries(legend).map((entry): Line => ({ text: legendLabel(entry), bold: false, swatch: entry, shape: legend.shape, ink }));
  return [title, ...filter, ...column, ...rows, ...notes];
}

/** In the corner of the map that is on the left, in CSS pixels; its lines begin where those of the page do. */
export function drawLegend(pen: CanvasRenderingContext2D, lines: Line[]): void {
  const font = (bold: boolean) => `${bold ? 600 : 400} 12px system-ui, sans-serif`;
  const swatches = Math.max(20, ...lines.map((line) => 2 * radius(line)));
  const indent = (line: Line) => (line.swatch === null ? 0 : swatches + 8);
  const width = Math.max(...lines.map((line) => {
    pen.font = font(line.bold);
    return pen.measureText(line.text).width + indent(line);
  })) + 2 * PAD;
  const high = (line: Line) => Math.max(ROW, 2 * radius(line) + 4);
  const height = lines.reduce((sum, line) => sum + high(line), PAD);
  pen.fillStyle = "rgb(255 255 255 / 0.92)";
  pen.beginPath();
  pen.roundRect(PAD, PAD, width, height, 8);
  pen.fill();
  pen.textBaseline = "middle";
  const isTurned = direction.value === "rtl";
  pen.textAlign = isTurned ? "right" : "left";
  const at = (inside: number) => (isTurned ? width - inside : 2 * PAD + inside);
  let top = PAD + PAD / 2;
  for (const line of lines) {
    const y = top + high(line) / 2;
    top += high(line);
    if (line.swatch !== null) drawSwatch(pen, line, line.swatch.color, at(swatches / 2), y);
    pen.fillStyle = "#182026";
    pen.font = font(line.bold);
    pen.direction = directionOf(line.text);
    pen.fillText(line.text, at(indent(line)), y);
  }
  pen.textAlign = "left";
}

/** Pixels of a circle of the legend, as large as on the map within reason; 0 for other shapes. */
function radius({ shape, swatch }: Line): number {
  return shape === "circle" ? Math.max(4, Math.min(swatch?.size ?? 5, MOST_RADIUS)) : 0;
}

function drawSwatch(pen: CanvasRenderingContext2D, line: Line, color: string, x: number, y: number): void {
  pen.fillStyle = color;
  pen.beginPath();
  if (line.shape === "circle") pen.arc(x, y, radius(line), 0, 2 * Math.PI);
  else if (line.shape === "line") pen.rect(x - 10, y - 1.5, 20, 3);
  else pen.roundRect(x - 10, y - 7, 20, 14, 3);
  pen.globalAlpha = line.ink.opacity;
  pen.fill();
  if (line.ink.edge !== null) {
    pen.globalAlpha = line.ink.edge.opacity;
    pen.strokeStyle = line.ink.edge.color;
    pen.lineWidth = 1;
    pen.stroke();
  }
  pen.globalAlpha = 1;
  if (line.shape !== "fill") return;
  // Pale areas would be lost on the white of the legend.
  pen.strokeStyle = "rgb(24 32 38 / 0.25)";
  pen.lineWidth = 0.5;
  pen.stroke();
}

function drawAttribution(pen: CanvasRenderingContext2D, text: string, width: number, height: number): void {
  pen.font = "400 11px system-ui, sans-serif";
  const long = pen.measureText(text).width + 16;
  pen.fillStyle = "rgb(255 255 255 / 0.85)";
  pen.fillRect(width - long, height - 20, long, 20);
  pen.fillStyle = "#444";
  pen.textBaseline = "middle";
  pen.fillText(text, width - long + 8, height - 10);
}
