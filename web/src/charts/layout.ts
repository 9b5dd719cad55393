/**
 * Where the parts of a chart lie, in pixels: its axes with their ticks, and the way from data to pixels and back. Pure:
 * `drawing.tsx` draws it.
 */
import { scaleLinear, scaleUtc } from "d3-scale";
import { shortNumber } from "../i18n/format";
import { moment, type Shape } from "./shape";

export interface Tick {
  /** Pixels along the axis. */
  at: number;
  label: string;
}

export interface Axis {
  side: "left" | "right" | "bottom";
  ticks: Tick[];
  title: string | undefined;
}

export interface Layout {
  width: number;
  height: number;
  /** The area of the marks. */
  left: number;
  right: number;
  top: number;
  bottom: number;
  across: Axis;
  value: Axis;
  /** The pixels of a place across and a value. */
  at(across: number, value: number): [x: number, y: number];
  /** The place across and the value at these pixels. */
  dataAt(x: number, y: number): [across: number, value: number];
}

const BAR = 26;
const [TOP, SIDE] = [10, 20];
/** Room for the ticks of the axis below, and for the title of an axis. */
const [BELOW, TITLE] = [28, 18];
/** Between the names or numbers beside the marks and what is next to them. */
const GAP = 20;
const LONGEST_NAME = 116;
const MAX_TICKS = 8;
/** Least pixels between ticks beside the marks, and between what is written at those below. */
const [SIDE_SPACE, BELOW_GAP] = [34, 14];

export function layoutOf(shape: Shape, width: number, isRtl: boolean, textWidth: (text: string) => number): Layout {
  const { horizontal, range, axes, columns } = shape;
  const height = horizontal ? Math.max(shape.names.length, 1) * BAR + BELOW + TOP : 208;
  const bottom = height - BELOW - (horizontal || axes === null ? 0 : TITLE);
  const down = horizontal ? scaleLinear(range.across, [TOP, bottom]) : scaleLinear(range.value, [bottom, TOP]);
  const beside = shape.across === "category" && horizontal
    ? shape.names.map((name, place) => ({ at: down(place), label: fitted(name, LONGEST_NAME, textWidth) }))
    : ticks(down, false, horizontal ? columns.across : columns.value, () => SIDE_SPACE);
  const room = Math.max(0, ...beside.map(({ label }) => textWidth(label))) + GAP + (axes === null ? 0 : TITLE);
  const isMirrored = horizontal && isRtl;
  const [left, right] = isMirrored ? [SIDE, width - room] : [room, width - SIDE];
  const along = scaleLinear(horizontal ? range.value : range.across, isMirrored ? [right, left] : [left, right]);
  const isTime = shape.across === "time" && !horizontal;
  const side: Axis = { side: isMirrored ? "right" : "left", ticks: beside, title: axes?.value };
  const widthBelow = (label: string) => textWidth(label) + BELOW_GAP;
  const below: Axis = { side: "bottom", ticks: ticks(along, isTime, horizontal ? columns.value : columns.across, widthBelow), title: axes?.across };
  return {
    width, height, left, right, top: TOP, bottom,
    across: horizontal ? side : below,
    value: horizontal ? below : side,
    at: (across, value) => (horizontal ? [along(value), down(across)] : [along(across), down(value)]),
    dataAt: (x, y) => (horizontal ? [down.invert(y), along.invert(x)] : [along.invert(x), down.invert(y)]),
  };
}

/** Round numbers of a column or moments, as many as there is room for; `spaceOf` is what a tick needs for its label. */
function ticks(scale: ReturnType<typeof scaleLinear<number>>, isTime: boolean, column: string | null, spaceOf: (label: string) => number): Tick[] {
  const [from, to] = scale.domain() as [number, number];
  const times = scaleUtc([from * 1000, to * 1000], [0, 1]);
  const length = Math.abs(scale(to) - scale(from));
  for (let wanted = MAX_TICKS; wanted > 0; wanted--) {
    const values = isTime ? times.ticks(wanted).map((date) => date.valueOf() / 1000) : scale.ticks(wanted);
    const step = (values[1] ?? to) - (values[0] ?? from);
    const found = values.map((value) => ({ at: scale(value), label: isTime ? moment(value, step) : shortNumber(column, value) }));
    const space = Math.max(0, ...found.map(({ label }) => spaceOf(label)));
    if (found.length > 1 && (step / (to - from)) * length < space) continue;
    return found;
  }
  return [];
}

/** As much of a text as there is room for. */
export function fitted(text: string, room: number, textWidth: (text: string) => number): string {
  if (textWidth(text) <= room) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && textWidth(`${letters.join("")}…`) > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
