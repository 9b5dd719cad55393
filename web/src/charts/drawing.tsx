/** A chart as SVG: its axes and its marks, of which each is one element. `plot.tsx` makes it answer, `picture.tsx` saves it. */
import type { VNode } from "preact";
import type { Box } from "../protocol/types";
import { type Colours, MARK, seriesColour } from "./colours";
import type { Marked } from "./hits";
import type { Axis, Layout } from "./layout";
import { keyOf, type Mark, type Shape, type Stop, stopsOf } from "./shape";

interface Props {
  shape: Shape;
  layout: Layout;
  colours: Colours;
}

export const FONT = { "font-family": "system-ui, sans-serif", "font-size": 12 };
/** Of every text: each runs in the direction of its own language, in files as on the page. */
export const OWN_DIRECTION = { "unicode-bidi": "plaintext" } as const;

/** As `FONT` draws it. */
export function textWidth(text: string): number {
  pen ??= new OffscreenCanvas(1, 1).getContext("2d");
  if (pen === null) return 0;
  pen.font = `${FONT["font-size"]}px ${FONT["font-family"]}`;
  return pen.measureText(text).width;
}

let pen: OffscreenCanvasRenderingContext2D | null = null;

const TICK = 4;
/** From here on points are drawn smaller and lighter. */
const MANY_POINTS = 1000;
/** A line of more than these has no dots. */
const MOST_DOTS = 60;

export function Axes({ shape, layout, colours }: Props) {
  const { left, right, top, bottom, value, across } = layout;
  return (
    <g class="chart-axes" aria-hidden="true" fill={colours.text} {...FONT}>
      <path
        stroke={colours.line} fill="none" shape-rendering="crispEdges"
        d={value.ticks.map(({ at }) => (shape.horizontal ? `M${at} ${top}V${bottom}` : `M${left} ${at}H${right}`)).join("")}
      />
      <AxisView axis={across} layout={layout} colours={colours} hasTicks={shape.across !== "category"} />
      <AxisView axis={value} layout={layout} colours={colours} hasTicks />
    </g>
  );
}

function AxisView({ axis: { side, ticks, title }, layout, colours, hasTicks }: {
  axis: Axis;
  layout: Layout;
  colours: Colours;
  hasTicks: boolean;
}) {
  const { left, right, top, bottom, width, height } = layout;
  const isBelow = side === "bottom";
  const [x, out] = side === "right" ? [right, 1] : [left, -1];
  const line = isBelow ? `M${left} ${bottom}H${right}` : `M${x} ${top}V${bottom}`;
  const marks = ticks.map(({ at }) => (isBelow ? `M${at} ${bottom}v${TICK}` : `M${x} ${at}h${out * TICK}`));
  const middle = isBelow ? (left + right) / 2 : (top + bottom) / 2;
  const titleX = side === "right" ? width - 4 : 12;
  return (
    <>
      <path stroke={colours.line} fill="none" shape-rendering="crispEdges" d={line + (hasTicks ? marks.join("") : "")} />
      {ticks.map(({ at, label }) => (isBelow
        ? <text {...OWN_DIRECTION} key={at} x={at} y={bottom + TICK + 4} dy="0.8em" text-anchor="middle">{label}</text>
        : <text {...OWN_DIRECTION} key={at} x={x + out * (TICK + 4)} y={at} dy="0.35em" text-anchor={out === 1 ? "start" : "end"}>{label}</text>
      ))}
      {title !== undefined && (isBelow
        ? <text {...OWN_DIRECTION} x={middle} y={height - 4} text-anchor="middle">{title}</text>
        : <text {...OWN_DIRECTION} x={titleX} y={middle} text-anchor="middle" transform={`rotate(-90 ${titleX} ${middle})`}>{title}</text>)}
    </>
  );
}

/** The lines that lead from mark to mark. */
export function Lines({ shape, layout, colours }: Props) {
  if (shape.kind !== "line") return null;
  const all = [...new Set(shape.marks.map((mark) => mark.series))];
  return (
    <g aria-hidden="true" fill="none" stroke-width="2" stroke-linejoin="round">
      {all.map((series) => {
        const own = shape.marks.filter((mark) => mark.series === series);
        // A bin without rows is a gap, not a way.
        const steps = own.map((mark, index) => `${own[index - 1]?.place === mark.place - 1 ? "L" : "M"}${layout.at(mark.start, mark.high)}`);
        return <path key={series} stroke={colourOf(shape, colours, series)} d={steps.join("")} />;
      })}
    </g>
  );
}

/** What a mark only needs where it can be reached. */
interface Reached {
  role?: "option";
  "aria-label"?: string | undefined;
  "aria-selected"?: boolean;
  tabindex?: number;
}

/** One element for every mark or point, in the order of `stopsOf`. */
export function marksOf({ shape, layout, colours }: Props, reached: (stop: Stop, index: number) => Reached = () => ({})): VNode[] {
  const { points, marks, kind } = shape;
  const stops = stopsOf(shape);
  const hasDots = marks.length <= MOST_DOTS * Math.max(shape.series.length, 1);
  const [radius, opacity] = stops.length > MANY_POINTS ? [2, 0.45] : [3, 0.75];
  return stops.map((stop, index) => {
    const own = reached(stop, index);
    if (typeof stop === "number") {
      const [x, y] = layout.at(points?.x[stop] ?? 0, points?.y[stop] ?? 0);
      return <circle key={stop} cx={x} cy={y} r={radius} fill={colourOf(shape, colours, points?.series[stop] ?? 0)} fill-opacity={opacity} {...own} />;
    }
    const fill = colourOf(shape, colours, stop.series);
    if (kind === "line") {
      const [x, y] = layout.at(stop.start, stop.high);
      return <circle key={keyOf(stop)} cx={x} cy={y} r="2.5" fill={hasDots ? fill : "transparent"} {...own} />;
    }
    if (stop.box !== null) return <g key={keyOf(stop)} {...own}><BoxView mark={stop} box={stop.box} layout={layout} colours={colours} /></g>;
    const { x, y, width, height } = rectOf(layout, stop, stop.low, stop.high);
    const gap = kind === "histogram" && width > 4 ? 1 : 0;
    return <rect key={keyOf(stop)} x={x} y={y} width={Math.max(width - gap, 1)} height={Math.max(height, 1)} fill={fill} {...own} />;
  });
}

function BoxView({ mark: { start, end }, box, layout, colours }: { mark: Mark; box: Box; layout: Layout; colours: Colours }) {
  const middle = (start + end) / 2;
  const line = (from: number, to: number, low: number, high: number) => `M${layout.at(from, low)}L${layout.at(to, high)}`;
  const whiskers = [box.low, box.high].map((value) => line(middle - 0.15, middle + 0.15, value, value));
  return (
    <>
      <path stroke={colours.text} d={[line(middle, middle, box.low, box.first), line(middle, middle, box.third, box.high), ...whiskers].join("")} />
      <rect {...rectOf(layout, { start, end }, box.first, box.third)} fill={colours.accent} fill-opacity="0.7" />
      <path stroke={colours.text} stroke-width="2.5" d={line(start, end, box.median, box.median)} />
      {box.farthest?.map((value, index) => {
        const [x, y] = layout.at(middle, value);
        return <circle key={index} cx={x} cy={y} r="2.5" fill="none" stroke={colours.text} />;
      })}
    </>
  );
}

export function Highlights({ shape, layout, marked: { keys, points } }: { shape: Shape; layout: Layout; marked: Marked }) {
  const ring = (key: string, across: number, value: number, radius: number) => {
    const [x, y] = layout.at(across, value);
    return <circle key={key} cx={x} cy={y} r={radius} />;
  };
  return (
    <g class="chart-marked" aria-hidden="true" fill="none" stroke={MARK} stroke-width="2.5">
      {shape.marks.filter((mark) => keys.has(keyOf(mark))).map((mark) => {
        if (shape.kind === "line") return ring(keyOf(mark), mark.start, mark.high, 6);
        const { x, y, width, height } = rectOf(layout, mark, mark.box?.first ?? mark.low, mark.box?.third ?? mark.high);
        return <rect key={keyOf(mark)} x={x + 1.25} y={y + 1.25} width={Math.max(width - 2.5, 1)} height={Math.max(height - 2.5, 1)} />;
      })}
      {points.map(([x, y], index) => ring(String(index), x, y, 7))}
    </g>
  );
}

function rectOf(layout: Layout, { start, end }: Pick<Mark, "start" | "end">, low: number, high: number) {
  const [[x1, y1], [x2, y2]] = [layout.at(start, low), layout.at(end, high)];
  return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
}

const colourOf = (shape: Shape, colours: Colours, series: number | null): string =>
  shape.series.length === 0 ? colours.accent : seriesColour(series ?? 0);
