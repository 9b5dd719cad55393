/**
 * What a chart is drawn from: rectangles, points and labels in the units of its data. Pure; `layout.ts` says where they
 * lie in pixels, `drawing.tsx` draws them, `table.tsx` writes them as a table.
 */
import { columnTitle } from "../data/titles";
import { shortNumber } from "../i18n/format";
import { language, locale, t } from "../i18n/i18n";
import type { Axis, Box, Chart, ChartData, ChartDraft } from "../protocol/types";

/** A place of the chart, in one series or in all. */
export interface Part {
  place: number;
  series: number | null;
}

/** A bar, a bin, a point of a line, or a box. `low` and `high` are its extent along the value axis. */
export interface Mark extends Part {
  start: number;
  end: number;
  low: number;
  high: number;
  value: number | null;
  count: number;
  box: Box | null;
}

/** A mark, or a point by its index. */
export type Stop = Mark | number;

export interface Shape {
  kind: Chart["kind"];
  /** Groups run down the page, so that their names can be read. */
  horizontal: boolean;
  /** What is along the axes, where the title alone leaves open which is which. */
  axes: { across: string; value: string } | null;
  /** Whose numbers are along the axes; null for counts. */
  columns: { across: string | null; value: string | null };
  across: "category" | "number" | "time";
  /** Names of the places of a category. */
  names: string[];
  series: string[];
  range: { across: [number, number]; value: [number, number] };
  marks: Mark[];
  points: { x: number[]; y: number[]; series: number[]; ids: (number | string)[] } | null;
}

const HALF = 0.38;

export function shapeOf(chart: Chart, data: ChartData): Shape {
  const { kind } = chart;
  const points = data.points === null ? null : { ...data.points, series: data.points.series ?? [], ids: data.points.ids ?? [] };
  const marks = kind === "box" ? boxes(data) : points === null ? bars(chart, data) : [];
  const horizontal = kind === "bar" || kind === "box";
  return {
    kind, horizontal, points, marks,
    axes: points === null ? null : { across: columnTitle(chart.x ?? ""), value: columnTitle(chart.y ?? "") },
    columns: { across: points === null ? (data.x?.column ?? null) : chart.x, value: chart.aggregate === "count" || kind === "histogram" ? null : chart.y },
    across: points !== null ? (data.time ? "time" : "number") : (data.x?.kind ?? "category"),
    names: namesOf(data.x),
    series: namesOf(data.series),
    range: points !== null
      ? { across: extent(points.x, 0.04), value: extent(points.y, 0.06) }
      : { across: acrossRange(data, horizontal), value: valueRange(chart, marks) },
  };
}

export function namesOf(axis: Axis | null): string[] {
  if (axis === null || axis.edges.length > 0) return [];
  const names = axis.keys.map((key) => (key === null ? t("chartEmpty") : key === "" ? t("chartBlank") : key));
  return axis.others > 0 ? [...names, t("chartOthers", { n: axis.others })] : names;
}

/** What a place is called: a value, or what a bin holds. */
export function nameOf(chart: Chart, axis: Axis | null, place: number): string {
  if (axis === null) return chart.y ?? "";
  const { edges } = axis;
  const [from, to] = [edges[place], edges[place + 1]];
  if (from === undefined || to === undefined) return namesOf(axis)[place] ?? "";
  if (axis.kind === "time") return moment(from, to - from);
  const [first, end] = [shortNumber(axis.column, from), shortNumber(axis.column, to)];
  return Number.isInteger(from) && to - from === 1 ? first : t("chartFromTo", { from: first, to: end });
}

/** A moment in UTC, as exactly as a step of so many seconds needs. */
export function moment(seconds: number, step: number): string {
  const day = 86_400;
  const date: Intl.DateTimeFormatOptions =
    step >= 364 * day ? { year: "numeric" }
    : step >= 28 * day ? { year: "numeric", month: "short" }
    : step >= day ? { year: "numeric", month: "short", day: "numeric" }
    : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
  return new Intl.DateTimeFormat(locale.value, { ...date, timeZone: "UTC" }).format(seconds * 1000);
}

/** Marks in their order, points from left to right: as the arrow keys and screen readers come by them. */
export function stopsOf({ marks, points }: Shape): Stop[] {
  if (points === null) return marks;
  const { x, y } = points;
  return x.map((_, index) => index).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0) || (y[a] ?? 0) - (y[b] ?? 0));
}

export const keyOf = ({ place, series }: Part): string => `${place}.${series ?? 0}`;

function bars({ kind, aggregate }: Chart, data: ChartData): Mark[] {
  const places = data.values[0]?.length ?? 0;
  const lines = data.values.length;
  const stacked = kind === "histogram" || aggregate === "count" || aggregate === "sum";
  const marks: Mark[] = [];
  for (let place = 0; place < places; place++) {
    let [above, below] = [0, 0];
    for (let series = 0; series < lines; series++) {
      const value = data.values[series]?.[place] ?? null;
      if (value === null) continue;
      const [start, end] = sides(data.x, place, kind, stacked ? 0 : series, stacked ? 1 : lines);
      const base = kind === "line" || !stacked ? 0 : value < 0 ? below : above;
      if (stacked && value < 0) below += value;
      else if (stacked) above += value;
      const [low, high] = kind === "line" ? [value, value] : [Math.min(base, base + value), Math.max(base, base + value)];
      marks.push({ place, series, start, end, low, high, value, count: data.counts[series]?.[place] ?? 0, box: null });
    }
  }
  return marks;
}

/** Where a bar lies along the places: bins fill their width, groups leave room, series stand side by side in it. */
function sides(axis: Axis | null, place: number, kind: Chart["kind"], series: number, lines: number): [number, number] {
  const [from, to] = [axis?.edges[place], axis?.edges[place + 1]];
  if (from !== undefined && to !== undefined) return kind === "line" ? [(from + to) / 2, (from + to) / 2] : [from, to];
  const width = (2 * HALF) / lines;
  return [place - HALF + series * width, place - HALF + (series + 1) * width];
}

function boxes(data: ChartData): Mark[] {
  return data.boxes.flatMap((box, place) =>
    box === null ? [] : [{
      place, series: 0, start: place - HALF, end: place + HALF, value: box.median, count: box.count, box,
      low: Math.min(box.low, ...(box.farthest ?? [])), high: Math.max(box.high, ...(box.farthest ?? [])),
    }],
  );
}

function acrossRange({ x, boxes }: ChartData, horizontal: boolean): [number, number] {
  const edges = x?.edges ?? [];
  const [first, last] = [edges[0], edges.at(-1)];
  if (first !== undefined && last !== undefined) return [first, last];
  const places = x === null ? Math.max(boxes.length, 1) : x.keys.length + (x.others > 0 ? 1 : 0);
  return horizontal ? [-0.5, Math.max(places, 1) - 0.5] : [0, 1];
}

/** Amounts begin at nothing; means and boxes are seen better near. */
function valueRange({ kind, aggregate }: Chart, marks: Mark[]): [number, number] {
  const [low, high] = extent(marks.flatMap((mark) => [mark.low, mark.high]), 0.06);
  const near = kind === "box" || (kind === "line" && aggregate !== "count" && aggregate !== "sum");
  if (near) return [low, high];
  return [marks.some((mark) => mark.low < 0) ? low : 0, marks.some((mark) => mark.high > 0) ? high : 0];
}

/** From the least to the greatest, and a share of that more on both sides. */
function extent(values: number[], margin: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  const room = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * margin;
  return [low - room, high + room];
}

export type Aggregate = NonNullable<ChartDraft["aggregate"]>;

/** The title that somebody gave, else what is drawn: in the language of the page, columns by their names. */
export function titleOf({ title, titled, kind, aggregate, table, x, y, color }: Chart): string {
  if (titled !== false || language.value === "en") return title;
  const counts = kind === "histogram" || ((kind === "bar" || kind === "line") && (aggregate ?? "count") === "count");
  const [columnX, columnY, columnColour] = [x, y, color].map((it) => (it === null ? null : columnTitle(it)));
  const measure = counts ? `${t("chartCount")} (${table.replace(/^.*\./, "").replaceAll("_", " ")})`
    : aggregate === null ? columnY : `${aggregateWords(aggregate)}: ${columnY}`;
  return [measure, columnX, columnColour].filter((it) => it !== null).join(" · ");
}

export function aggregateWords(aggregate: Aggregate): string {
  return {
    count: t("chartCount"), mean: t("chartMean"), sum: t("chartSum"), median: t("chartMedian"), minimum: t("chartMinimum"),
    maximum: t("chartMaximum"),
  }[aggregate];
}
