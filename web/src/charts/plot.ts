/**
 * A chart on the screen: uPlot gives scales, axes, the cursor and the brush, and the marks are drawn in its hooks. The
 * canvas is an image; what it shows stands beside it as text and as a table.
 */
import uPlot from "uplot";
import { compact } from "../i18n/format";
import { hits, type Parts, partsWithin, type Window } from "./hits";
import { keyOf, type Mark, moment, type Shape } from "./shape";

export interface Colours {
  text: string;
  line: string;
  accent: string;
  surface: string;
  mark: string;
  series: readonly string[];
}

export interface Hooks {
  /** What is under the pointer: a part, or a point by its index. */
  hover(found: Mark | number | null): void;
  /** A click; or the parts or the window that the brush was drawn over. */
  choose(chosen: Mark | number | Parts | Window | null): void;
}

/** What is made conspicuous: parts by `keyOf`, and points. */
export interface Marked {
  keys: ReadonlySet<string>;
  points: readonly (readonly [number, number])[];
}

const NOTHING: Marked = { keys: new Set(), points: [] };
const BAR = 26;
const AXIS = 28;
/** Of the name of an axis. */
const LABEL = 18;
const LONGEST_NAME = 116;

export class Plot {
  private readonly chart: uPlot;
  private marked = NOTHING;

  constructor(
    box: HTMLElement,
    private readonly shape: Shape,
    private readonly colours: Colours,
    private readonly rtl: boolean,
    private readonly hooks: Hooks,
  ) {
    const { range } = shape;
    this.chart = new uPlot(this.options(box.clientWidth), [range.across, range.value], box);
    this.chart.over.addEventListener("click", () => this.clicked());
    this.chart.over.addEventListener("mouseleave", () => this.hooks.hover(null));
  }

  mark(marked: Marked): void {
    this.marked = marked;
    this.chart.redraw(false, false);
  }

  resize(width: number): void {
    if (width > 0 && width !== this.chart.width) this.chart.setSize({ width, height: heightOf(this.shape) });
  }

  get canvas(): HTMLCanvasElement {
    return this.chart.ctx.canvas;
  }

  destroy(): void {
    this.chart.destroy();
  }

  private options(width: number): uPlot.Options {
    const { shape, colours } = this;
    const { horizontal, range } = shape;
    const scale = { auto: false, time: false };
    const common = {
      stroke: colours.text, font: "12px system-ui, sans-serif", ticks: { stroke: colours.line, width: 1, size: 4 },
      border: { show: true, stroke: colours.line, width: 1 },
    };
    const category = shape.across === "category";
    const named = (label: string | undefined) => (label === undefined ? {} : { label, labelSize: LABEL, labelGap: 2, labelFont: common.font });
    const across: uPlot.Axis = {
      ...common, ...named(shape.axes?.across), scale: "x", side: horizontal ? (this.rtl ? 1 : 3) : 2, grid: { show: false },
      ...(category && {
        splits: () => shape.names.map((_, place) => place), values: () => shape.names.map(cut),
        size: (plot) => widest(plot.ctx, shape.names.map(cut)), ticks: { show: false },
      }),
      ...(!category && { size: AXIS, space: shape.across === "time" ? 76 : 56, values: (_, splits, __, ___, step) => splits.map((it) => (shape.across === "time" ? moment(it, step) : compact(it))) }),
    };
    const value: uPlot.Axis = {
      ...common, ...named(shape.axes?.value), scale: "y", side: horizontal ? 2 : 3, grid: { stroke: colours.line, width: 1 },
      values: (_, splits) => splits.map((it) => compact(it)), size: horizontal ? AXIS : (plot, values) => widest(plot.ctx, values ?? []), space: horizontal ? 64 : 36,
    };
    const points = shape.points !== null;
    return {
      width: Math.max(width, 120), height: heightOf(shape), padding: [10, 20, 0, 6], legend: { show: false },
      // Times are shown in UTC, as the server counts them.
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      scales: {
        x: { ...scale, time: shape.across === "time", range: () => range.across, ori: horizontal ? 1 : 0, dir: horizontal ? -1 : 1 },
        y: { ...scale, range: () => range.value, ori: horizontal ? 0 : 1, dir: horizontal && this.rtl ? -1 : 1 },
      },
      axes: [across, value],
      series: [{}, { paths: () => null, points: { show: false } }],
      cursor: {
        x: !horizontal && !points, y: false, points: { show: false },
        drag: { x: points || !horizontal, y: points || horizontal, setScale: false, dist: 6 },
      },
      hooks: {
        draw: [() => this.draw()],
        setCursor: [() => this.hooks.hover(this.found())],
        setSelect: [() => this.brushed()],
      },
    };
  }

  private draw(): void {
    const { ctx, bbox } = this.chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    if (this.shape.points !== null) this.drawPoints(ctx);
    else if (this.shape.kind === "line") this.drawLines(ctx);
    else for (const mark of this.shape.marks) mark.box === null ? this.drawBar(ctx, mark) : this.drawBox(ctx, mark);
    ctx.strokeStyle = this.colours.mark;
    ctx.lineWidth = 2.5 * uPlot.pxRatio;
    for (const mark of this.shape.marks) if (this.marked.keys.has(keyOf(mark))) this.outline(ctx, mark);
    for (const [x, y] of this.marked.points) this.ring(ctx, x, y, 7);
    ctx.restore();
  }

  private drawBar(ctx: CanvasRenderingContext2D, mark: Mark): void {
    const [x, y, width, height] = this.rect(mark.start, mark.end, mark.low, mark.high);
    const gap = this.shape.kind === "histogram" && (this.shape.horizontal ? height : width) > 4 ? uPlot.pxRatio : 0;
    ctx.fillStyle = this.colour(mark.series ?? 0);
    ctx.fillRect(x, y, Math.max(width - gap, 1), Math.max(height, 1));
  }

  private drawBox(ctx: CanvasRenderingContext2D, { start, end, box }: Mark): void {
    if (box === null) return;
    const middle = (start + end) / 2;
    const line = (from: number, to: number, low: number, high: number) => {
      const [a, b, c, d] = [this.at(from, low), this.at(to, high)].flat() as [number, number, number, number];
      ctx.beginPath();
      ctx.moveTo(a, b);
      ctx.lineTo(c, d);
      ctx.stroke();
    };
    ctx.strokeStyle = this.colours.text;
    ctx.lineWidth = uPlot.pxRatio;
    line(middle, middle, box.low, box.first);
    line(middle, middle, box.third, box.high);
    for (const whisker of [box.low, box.high]) line(middle - 0.15, middle + 0.15, whisker, whisker);
    ctx.fillStyle = this.colours.accent;
    ctx.globalAlpha = 0.7;
    ctx.fillRect(...this.rect(start, end, box.first, box.third));
    ctx.globalAlpha = 1;
    ctx.lineWidth = 2.5 * uPlot.pxRatio;
    line(start, end, box.median, box.median);
    ctx.lineWidth = uPlot.pxRatio;
    for (const value of box.farthest ?? []) this.ring(ctx, middle, value, 2.5);
  }

  private drawLines(ctx: CanvasRenderingContext2D): void {
    ctx.lineWidth = 2 * uPlot.pxRatio;
    ctx.lineJoin = "round";
    for (const series of new Set(this.shape.marks.map((mark) => mark.series))) {
      const own = this.shape.marks.filter((mark) => mark.series === series);
      ctx.strokeStyle = ctx.fillStyle = this.colour(series ?? 0);
      ctx.beginPath();
      own.forEach((mark, index) => {
        const [x, y] = this.at(mark.start, mark.high);
        // A bin without rows is a gap, not a way.
        if (own[index - 1]?.place === mark.place - 1) ctx.lineTo(x, y);
        else ctx.moveTo(x, y);
      });
      ctx.stroke();
      if (own.length <= 60) for (const mark of own) this.dot(ctx, mark.start, mark.high, 2.5);
    }
  }

  private drawPoints(ctx: CanvasRenderingContext2D): void {
    const { points } = this.shape;
    if (points === null) return;
    const many = points.x.length > 1000;
    ctx.globalAlpha = many ? 0.45 : 0.75;
    points.x.forEach((x, index) => {
      ctx.fillStyle = this.colour(points.series[index] ?? 0);
      this.dot(ctx, x, points.y[index] ?? 0, many ? 2 : 3);
    });
    ctx.globalAlpha = 1;
  }

  private outline(ctx: CanvasRenderingContext2D, mark: Mark): void {
    if (this.shape.kind === "line") return this.ring(ctx, mark.start, mark.high, 6);
    const [low, high] = mark.box === null ? [mark.low, mark.high] : [mark.box.first, mark.box.third];
    const [x, y, width, height] = this.rect(mark.start, mark.end, low, high);
    const inset = ctx.lineWidth / 2;
    ctx.strokeRect(x + inset, y + inset, Math.max(width - 2 * inset, 1), Math.max(height - 2 * inset, 1));
  }

  private dot(ctx: CanvasRenderingContext2D, across: number, value: number, radius: number): void {
    const [x, y] = this.at(across, value);
    ctx.beginPath();
    ctx.arc(x, y, radius * uPlot.pxRatio, 0, 2 * Math.PI);
    ctx.fill();
  }

  private ring(ctx: CanvasRenderingContext2D, across: number, value: number, radius: number): void {
    const [x, y] = this.at(across, value);
    ctx.beginPath();
    ctx.arc(x, y, radius * uPlot.pxRatio, 0, 2 * Math.PI);
    ctx.stroke();
  }

  /** Canvas pixels. */
  private at(across: number, value: number): [number, number] {
    const a = this.chart.valToPos(across, "x", true);
    const v = this.chart.valToPos(value, "y", true);
    return this.shape.horizontal ? [v, a] : [a, v];
  }

  private rect(start: number, end: number, low: number, high: number): [number, number, number, number] {
    const [x1, y1] = this.at(start, low);
    const [x2, y2] = this.at(end, high);
    return [Math.min(x1, x2), Math.min(y1, y2), Math.abs(x2 - x1), Math.abs(y2 - y1)];
  }

  private colour(series: number): string {
    const { series: palette, accent } = this.colours;
    return this.shape.series.length === 0 ? accent : (palette[Math.min(series, palette.length - 1)] ?? accent);
  }

  private found(): Mark | number | null {
    const { left = -1, top = -1 } = this.chart.cursor;
    if (left < 0 || top < 0) return null;
    const [a, v] = this.shape.horizontal ? [top, left] : [left, top];
    const scale = (axis: "x" | "y", at: number) => Math.abs(this.chart.posToVal(at + 1, axis) - this.chart.posToVal(at, axis));
    return hits(this.shape, this.chart.posToVal(a, "x"), this.chart.posToVal(v, "y"), scale("x", a), scale("y", v));
  }

  private clicked(): void {
    if (this.chart.select.width < 6 && this.chart.select.height < 6) this.hooks.choose(this.found());
  }

  private brushed(): void {
    const { left, top, width, height } = this.chart.select;
    if (width < 6 && height < 6) return;
    const { horizontal, points } = this.shape;
    const ends = (axis: "x" | "y", from: number, length: number): [number, number] => {
      const [one, other] = [this.chart.posToVal(from, axis), this.chart.posToVal(from + length, axis)];
      return [Math.min(one, other), Math.max(one, other)];
    };
    const across = horizontal ? ends("x", top, height) : ends("x", left, width);
    this.hooks.choose(points === null ? partsWithin(this.shape, ...across) : [...across, ...ends("y", top, height)]);
    this.chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }
}

/** Room for the widest of the labels of an axis. */
function widest(ctx: CanvasRenderingContext2D, labels: readonly string[]): number {
  ctx.save();
  ctx.font = `${12 * uPlot.pxRatio}px system-ui, sans-serif`;
  const width = Math.max(0, ...labels.map((label) => ctx.measureText(label).width / uPlot.pxRatio));
  ctx.restore();
  return Math.min(width, LONGEST_NAME) + 14;
}

/** As much of a name as there is room for. */
function cut(name: string): string {
  return name.length <= 17 ? name : `${name.slice(0, 16)}…`;
}

export function heightOf({ horizontal, names }: Shape): number {
  return horizontal ? Math.max(names.length, 1) * BAR + AXIS + 10 : 208;
}
