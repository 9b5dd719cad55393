/** A chart as a PNG: on white, whatever the theme, with its title, its legend and what it says of itself. */
import type { Chart } from "../protocol/types";
import { save } from "../browser/save";
import { encoded, penOf } from "../ui/canvas";
import { MARK, SERIES } from "./colours";
import { Plot } from "./plot";
import { noteOf } from "./note";
import { type Shape, titleOf } from "./shape";
import { direction } from "../i18n/i18n";

const WIDTH = 720;
const PAD = 16;
const ROW = 20;

export async function saveChartPicture(chart: Chart, shape: Shape): Promise<void> {
  const box = document.createElement("div");
  box.className = "chart-print";
  document.body.append(box);
  const colours = { text: "#3c474e", line: "#dfe3e4", accent: "#0f6e63", surface: "#ffffff", mark: MARK, series: SERIES };
  const nothing = { hover: () => undefined, choose: () => undefined };
  const plot = new Plot(box, shape, colours, direction.value === "rtl", nothing);
  try {
    // uPlot draws in a microtask of its own.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    save(await composed(chart, shape, plot.canvas), `${titleOf(chart).replace(/[^\p{L}\p{N}._ -]+/gu, "_").slice(0, 80)}.png`);
  } finally {
    plot.destroy();
    box.remove();
  }
}

function composed(chart: Chart, shape: Shape, drawn: HTMLCanvasElement): Promise<Blob> {
  const note = noteOf(chart);
  const scale = drawn.width / WIDTH;
  const top = PAD + 24 + (shape.series.length > 0 ? ROW : 0);
  const canvas = document.createElement("canvas");
  canvas.width = drawn.width + 2 * PAD * scale;
  canvas.height = drawn.height + (top + PAD + (note === "" ? 0 : ROW)) * scale;
  const pen = penOf(canvas);
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(drawn, PAD * scale, top * scale);
  pen.scale(scale, scale);
  pen.textBaseline = "middle";
  pen.fillStyle = "#182026";
  pen.font = "600 15px system-ui, sans-serif";
  pen.fillText(titleOf(chart), PAD, PAD + 8, WIDTH);
  pen.font = "12px system-ui, sans-serif";
  let x = PAD;
  shape.series.forEach((name, index) => {
    pen.fillStyle = SERIES[Math.min(index, SERIES.length - 1)] ?? "";
    pen.fillRect(x, PAD + 24, 10, 10);
    pen.fillStyle = "#3c474e";
    pen.fillText(name, x + 14, PAD + 30);
    x += 14 + pen.measureText(name).width + 14;
  });
  pen.fillStyle = "#56626a";
  if (note !== "") pen.fillText(note, PAD, canvas.height / scale - PAD, WIDTH);
  return encoded(canvas, "image/png");
}
