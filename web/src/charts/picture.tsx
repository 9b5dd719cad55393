/** A chart as a file: on white in every theme, with its title, legend and notes. */
import { render } from "preact";
import { save } from "../browser/save";
import { direction } from "../i18n/i18n";
import type { Chart } from "../protocol/types";
import { encoded, penOf } from "../ui/canvas";
import { ON_WHITE, seriesColour } from "./colours";
import { Axes, FONT, Lines, marksOf, OWN_DIRECTION, textWidth } from "./drawing";
import { fitted, layoutOf } from "./layout";
import { type Shape, titleOf } from "./shape";
import { noteOf } from "./words";

const WIDTH = 720;
const PAD = 16;
const ROW = 20;
/** Pixels of the file in each pixel of the chart. */
const SHARPNESS = 2;

export async function saveChartPicture(chart: Chart, shape: Shape, format: "PNG" | "SVG"): Promise<void> {
  const box = document.createElement("div");
  render(<Picture chart={chart} shape={shape} />, box);
  const drawing = box.firstElementChild as SVGSVGElement;
  const file = new Blob([new XMLSerializer().serializeToString(drawing)], { type: "image/svg+xml" });
  const name = titleOf(chart).replace(/[^\p{L}\p{N}._ -]+/gu, "_").slice(0, 80);
  save(format === "SVG" ? file : await pixels(file), `${name}.${format.toLowerCase()}`);
}

function Picture({ chart, shape }: { chart: Chart; shape: Shape }) {
  const layout = layoutOf(shape, WIDTH, direction.value === "rtl", textWidth);
  const parts = { shape, layout, colours: ON_WHITE };
  const note = noteOf(chart);
  const top = PAD + 24 + (shape.series.length > 0 ? ROW : 0);
  const [width, height] = [WIDTH + 2 * PAD, layout.height + top + PAD + (note === "" ? 0 : ROW)];
  return (
    <svg xmlns="http://www.w3.org/2000/svg" width={width} height={height} viewBox={`0 0 ${width} ${height}`} {...FONT} fill={ON_WHITE.text}>
      <rect width={width} height={height} fill="#ffffff" />
      <text {...OWN_DIRECTION} x={PAD} y={PAD + 13} font-size="15" font-weight="600" fill="#182026">{fitted(titleOf(chart), WIDTH * 0.75, textWidth)}</text>
      {legendOf(shape.series).map(({ name, x, colour }) => (
        <g key={x} transform={`translate(${x} ${PAD + 24})`}>
          <rect width="10" height="10" rx="3" fill={colour} />
          <text {...OWN_DIRECTION} x="14" y="9">{name}</text>
        </g>
      ))}
      <g transform={`translate(${PAD} ${top})`}>
        <Axes {...parts} />
        <Lines {...parts} />
        {marksOf(parts)}
      </g>
      {note !== "" && <text {...OWN_DIRECTION} x={PAD} y={height - PAD + 4} fill="#56626a">{note}</text>}
    </svg>
  );
}

function legendOf(names: readonly string[]) {
  let x = PAD;
  return names.map((name, index) => {
    const entry = { name, x, colour: seriesColour(index) };
    x += textWidth(name) + 28;
    return entry;
  });
}

async function pixels(file: Blob): Promise<Blob> {
  const image = new Image();
  const address = URL.createObjectURL(file);
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width * SHARPNESS, image.height * SHARPNESS];
    penOf(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
    return await encoded(canvas, "image/png");
  } finally {
    URL.revokeObjectURL(address);
  }
}
