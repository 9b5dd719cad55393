/** Draws a sheet: the map at 300 dpi in its frame, title, legend, scale, north arrow and sources. */
import type { Map as MapLibre } from "maplibre-gl";
import { direction, number, t } from "../i18n/i18n";
import { MapView } from "../map/view";
import type { Layer } from "../protocol/types";
import { drawLegend, legendLines, photograph } from "../share/picture";
import { base } from "../instance/state";
import { directionOf, penOf } from "../ui/canvas";
import { type Box, CSS_PIXELS, DPI, PIXELS, roundLength, type Sheet, zoomFor } from "./sheet";

const QUIET = { receipt: () => undefined, moved: () => undefined, clicked: () => undefined, projected: () => undefined, hovered: () => undefined };
const LONGEST_WAIT = 90_000;
const INK = "#182026";

export interface Content {
  title: string;
  legend: boolean;
  scale: boolean;
  north: boolean;
  attribution: string;
}

/** The sheet as a picture. Rejects with words for people. */
export async function drawSheet(sheet: Sheet, content: Content, main: MapView, layers: readonly Layer[]): Promise<HTMLCanvasElement> {
  const [width, height] = [Math.round(sheet.map.width * CSS_PIXELS), Math.round(sheet.map.height * CSS_PIXELS)];
  const box = document.createElement("div");
  box.style.cssText = `position:fixed;left:-99999px;top:0;width:${width}px;height:${height}px`;
  document.body.append(box);
  const camera = main.camera();
  const screen = main.map.getContainer();
  const zoom = zoomFor(camera.zoom, { width: screen.clientWidth, height: screen.clientHeight }, { width, height });
  // Paper is white, whatever the screen is.
  const view = new MapView(box, { palette: "light", base: base.peek(), camera: { ...camera, zoom }, isBare: true, dpi: DPI }, QUIET);
  try {
    view.project(main.map.getProjection()?.type === "globe" ? "globe" : "mercator");
    view.show(layers, { isolated: null, marked: null, isPast: true });
    await drawnWhole(view.map);
    const shot = await photograph(view.map);
    if (shot.width < width * 3) throw new Error(t("printTooLarge"));
    return compose(sheet, content, view.map, shot, layers);
  } finally {
    view.map.remove();
    box.remove();
  }
}

/** All tiles have come, and have been drawn. */
function drawnWhole(map: MapLibre): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(t("printSlow"))), LONGEST_WAIT);
    const look = () => {
      if (!map.loaded() || !map.areTilesLoaded()) return;
      clearTimeout(timer);
      map.off("idle", look);
      resolve();
    };
    map.on("idle", look);
  });
}

function compose(sheet: Sheet, content: Content, map: MapLibre, shot: ImageBitmap, layers: readonly Layer[]): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(sheet.width * PIXELS), Math.round(sheet.height * PIXELS)];
  const pen = penOf(canvas);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.scale(PIXELS, PIXELS);
  const { map: frame } = sheet;
  pen.drawImage(shot, frame.x, frame.y, frame.width, frame.height);
  pen.strokeStyle = INK;
  pen.lineWidth = 0.25;
  pen.strokeRect(frame.x, frame.y, frame.width, frame.height);
  if (content.title !== "") drawTitle(pen, content.title, frame);
  const lines = layers.filter((layer) => layer.visible).toReversed().flatMap(legendLines);
  if (content.legend && lines.length > 0) {
    pen.save();
    pen.translate(frame.x, frame.y);
    pen.scale(1 / CSS_PIXELS, 1 / CSS_PIXELS);
    drawLegend(pen, lines);
    pen.restore();
  }
  if (content.north) drawNorth(pen, frame, map.getBearing());
  const foot = frame.y + frame.height + 6;
  if (content.scale) drawScale(pen, map, frame, foot);
  text(pen, content.attribution, frame.x + frame.width, foot + 1, 2.6, "right");
  return canvas;
}

function text(pen: CanvasRenderingContext2D, words: string, x: number, y: number, size: number, align: CanvasTextAlign, weight = 400): void {
  // Fonts below one pixel are not drawn, so letters are set in tenths of a millimetre.
  pen.save();
  pen.translate(x, y);
  pen.scale(0.1, 0.1);
  pen.font = `${weight} ${size * 10}px system-ui, sans-serif`;
  pen.fillStyle = INK;
  pen.textAlign = align;
  pen.direction = directionOf(words);
  pen.textBaseline = "middle";
  pen.fillText(words, 0, 0);
  pen.restore();
}

function drawTitle(pen: CanvasRenderingContext2D, title: string, frame: Box): void {
  const isRight = direction.value === "rtl";
  text(pen, title, isRight ? frame.x + frame.width : frame.x, frame.y - 7, 6.5, isRight ? "right" : "left", 650);
}

/** An arrow to the north of the map's middle. */
function drawNorth(pen: CanvasRenderingContext2D, frame: Box, bearing: number): void {
  pen.save();
  pen.translate(frame.x + frame.width - 10, frame.y + 11);
  pen.fillStyle = "rgb(255 255 255 / 0.92)";
  pen.beginPath();
  pen.arc(0, 0, 7.5, 0, 2 * Math.PI);
  pen.fill();
  pen.rotate((-bearing * Math.PI) / 180);
  pen.fillStyle = INK;
  pen.beginPath();
  pen.moveTo(0, -3);
  pen.lineTo(2.6, 5.5);
  pen.lineTo(0, 3.8);
  pen.lineTo(-2.6, 5.5);
  pen.fill();
  text(pen, "N", 0, -4.8, 3, "center", 650);
  pen.restore();
}

/** A bar of a round length, as long as that is in the middle of the map, and the ratio there. */
function drawScale(pen: CanvasRenderingContext2D, map: MapLibre, frame: Box, y: number): void {
  const { width, height } = { width: frame.width * CSS_PIXELS, height: frame.height * CSS_PIXELS };
  const metres = map.unproject([width / 2 - 50, height / 2]).distanceTo(map.unproject([width / 2 + 50, height / 2]));
  const perMillimetre = (metres / 100) * CSS_PIXELS;
  const length = roundLength(perMillimetre * 50);
  const long = length / perMillimetre;
  pen.fillStyle = INK;
  pen.fillRect(frame.x, y, long, 1.2);
  pen.fillStyle = "#fff";
  pen.fillRect(frame.x + long / 2, y + 0.25, long / 2 - 0.25, 0.7);
  const words = length < 1000 ? number(length, { style: "unit", unit: "meter" }) : number(length / 1000, { style: "unit", unit: "kilometer" });
  const ratio = t("printScale", { n: number(Number((perMillimetre * 1000).toPrecision(3))) });
  text(pen, `${words}  ·  ${ratio}`, frame.x + long + 3, y + 0.6, 2.8, "left");
}
