/**
 * A chart on the page. Every mark is an option of a list: the keyboard goes from one to the next, and screen readers read
 * what each represents. The pointer finds what is near it, and draws a brush over what is to be chosen together.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { direction, t } from "../i18n/i18n";
import { OF_PAGE } from "./colours";
import { Axes, Highlights, Lines, marksOf, textWidth } from "./drawing";
import { type Chosen, hits, isChosen, type Marked, partsWithin } from "./hits";
import { type Layout, layoutOf } from "./layout";
import { type Shape, type Stop, stopsOf } from "./shape";

interface Props {
  shape: Shape;
  label: string;
  /** What a mark or point represents, as text. */
  describeStop: (stop: Stop) => string;
  chosen: Chosen;
  marked: Marked;
  hover: (stop: Stop | null) => void;
  /** A click, or what the brush was drawn over. */
  choose: (chosen: Chosen) => void;
}

/** Pixels that the pointer moves before it draws a brush. */
const BRUSH = 6;

type Point = [x: number, y: number];

export function Plot({ shape, label, describeStop, chosen, marked, hover, choose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const isRtl = direction.value === "rtl";
  const layout = useMemo(() => (width === 0 ? null : layoutOf(shape, width, isRtl, textWidth)), [shape, width, isRtl]);
  const stops = useMemo(() => stopsOf(shape), [shape]);
  const names = useMemo(() => stops.map(describeStop), [stops]);
  const focus = useRovingFocus(stops, hover, choose);
  // Thousands of marks are not compared again while the pointer moves over them.
  const marks = useMemo(() => layout && (
    <>
      <Axes shape={shape} layout={layout} colours={OF_PAGE} />
      <Lines shape={shape} layout={layout} colours={OF_PAGE} />
      <g class="chart-marks" role="listbox" aria-multiselectable="true" aria-roledescription={t("chart")} aria-label={label}>
        {marksOf({ shape, layout, colours: OF_PAGE }, (stop, index) => ({
          role: "option", "aria-label": names[index], "aria-selected": isChosen(shape, chosen, stop), tabindex: index === 0 ? 0 : -1,
        }))}
      </g>
    </>
  ), [layout, chosen, label]);
  return (
    <div class="chart-plot" ref={box} dir="ltr" style={{ touchAction: scrolling(shape) }} {...focus}>
      {layout !== null && (
        <Pointing shape={shape} layout={layout} hover={hover} choose={choose}>
          {marks}
          <Highlights shape={shape} layout={layout} marked={marked} />
        </Pointing>
      )}
    </div>
  );
}

/** How a finger on the chart scrolls: only across the brush. */
function scrolling({ points, horizontal }: Shape): "none" | "pan-x" | "pan-y" {
  if (points !== null) return "none";
  return horizontal ? "pan-x" : "pan-y";
}

interface PointingProps extends Pick<Props, "shape" | "hover" | "choose"> {
  layout: Layout;
  children: ComponentChildren;
}

/** The drawing with its pointer: over a mark, a click, and the brush. */
function Pointing({ shape, layout, hover, choose, children }: PointingProps) {
  const drawing = useRef<SVGSVGElement>(null);
  const start = useRef<Point | null>(null);
  const brush = useSignal<Brush | null>(null);
  const wasBrushed = useRef(false);
  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = drawing.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    return [clientX - left, clientY - top];
  };
  const found = (event: MouseEvent) => stopAt(shape, layout, pointOf(event));
  const move = (event: PointerEvent) => {
    const [from, to] = [start.current, pointOf(event)];
    if (from === null) return hover(found(event));
    if (brush.value === null && Math.hypot(to[0] - from[0], to[1] - from[1]) < BRUSH) return;
    drawing.current?.setPointerCapture(event.pointerId);
    wasBrushed.current = true;
    brush.value = brushOf(shape, layout, from, to);
  };
  const end = () => {
    if (brush.value !== null) choose(brushed(shape, layout, brush.value));
    start.current = brush.value = null;
  };
  return (
    <svg
      ref={drawing} width={layout.width} height={layout.height}
      onPointerDown={(event) => {
        wasBrushed.current = false;
        start.current = event.button === 0 && isInside(layout, pointOf(event)) ? pointOf(event) : null;
      }}
      onPointerMove={move} onPointerUp={end} onPointerCancel={() => (start.current = brush.value = null)}
      onPointerLeave={() => hover(null)} onClick={(event) => wasBrushed.current || choose(found(event))}
    >
      {children}
      {brush.value !== null && <rect class="chart-brush" {...brush.value} />}
    </svg>
  );
}

interface Brush {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Between these corners; where places are brushed, over all their values. */
function brushOf(shape: Shape, { left, right, top, bottom }: Layout, [x1, y1]: Point, [x2, y2]: Point): Brush {
  const all = shape.points === null;
  const [fromX, toX] = all && shape.horizontal ? [left, right] : [x1, x2].map((x) => Math.max(left, Math.min(right, x))) as Point;
  const [fromY, toY] = all && !shape.horizontal ? [top, bottom] : [y1, y2].map((y) => Math.max(top, Math.min(bottom, y))) as Point;
  return { x: Math.min(fromX, toX), y: Math.min(fromY, toY), width: Math.abs(toX - fromX), height: Math.abs(toY - fromY) };
}

function brushed(shape: Shape, layout: Layout, { x, y, width, height }: Brush): Chosen {
  const [[a, v], [b, w]] = [layout.dataAt(x, y), layout.dataAt(x + width, y + height)];
  const [from, to] = [Math.min(a, b), Math.max(a, b)];
  return shape.points === null ? partsWithin(shape, from, to) : [from, to, Math.min(v, w), Math.max(v, w)];
}

const isInside = ({ left, right, top, bottom }: Layout, [x, y]: Point): boolean => x >= left && x <= right && y >= top && y <= bottom;

function stopAt(shape: Shape, layout: Layout, [x, y]: Point): Stop | null {
  if (!isInside(layout, [x, y])) return null;
  const [[across, value], [nextAcross, nextValue]] = [layout.dataAt(x, y), layout.dataAt(x + 1, y + 1)];
  return hits(shape, across, value, Math.abs(nextAcross - across), Math.abs(nextValue - value));
}

/**
 * One mark of the list is in the order of Tab; the keys go on to others. For the element around the drawing: Chromium
 * takes elements of SVG that listen to focus into the order themselves.
 */
function useRovingFocus(stops: readonly Stop[], hover: Props["hover"], choose: Props["choose"]) {
  const current = useRef(0);
  const onFocusIn = ({ target, currentTarget }: FocusEvent) => {
    const marks = marksIn(currentTarget);
    const at = Array.prototype.indexOf.call(marks, target);
    const stop = stops[at];
    if (stop === undefined) return;
    marks[current.current]?.setAttribute("tabindex", "-1");
    marks[at]?.setAttribute("tabindex", "0");
    current.current = at;
    if ((target as Element).matches(":focus-visible")) hover(stop);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, currentTarget } = event;
    const [at, count] = [current.current, stops.length];
    const next: Record<string, number> = {
      ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1,
    };
    const to = next[key];
    if (to !== undefined) (marksIn(currentTarget)[(to + count) % count] as SVGElement).focus();
    else if (key === "Enter" || key === " ") choose(stops[at] ?? null);
    else if (key === "Escape") {
      hover(null);
      choose(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { onFocusIn, onKeyDown, onFocusOut: () => hover(null) };
}

const marksIn = (box: EventTarget | null) => (box as Element).getElementsByClassName("chart-marks")[0]?.children ?? [];

/** As wide as its box, also when that changes; what is hidden keeps its width. */
function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setWidth((before) => element.clientWidth || before);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return width;
}
