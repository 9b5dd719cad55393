/**
 * A window on the values of a column: where its ends may stand, and how it moves. Dates and times are seconds since
 * 1970. Pure; what slides (time, the filter's histogram) draws it.
 */
import type { Column } from "../protocol/types";

export interface Histogram {
  minimum: number | null;
  maximum: number | null;
  from: number | null;
  to: number | null;
  counts: number[];
  nulls: number;
  /** Of which sample the counts are estimated. */
  sampled_from?: string;
}

/** Positions are whole steps from `start`: 0 to `steps`. */
export interface Scale {
  kind: Column["kind"];
  /** Times without a zone are shown as they are written. */
  zone: "UTC" | undefined;
  start: number;
  step: number;
  steps: number;
  /** The greatest value, where the last step leads. */
  end: number;
}

export interface Span {
  first: number;
  last: number;
}

const DAY = 86_400;
const STEPS = 200;

/** Null when there is no value to slide over. */
export function scaleOf(column: Column, { minimum, maximum }: Histogram): Scale | null {
  if (minimum === null || maximum === null) return null;
  const unit = column.kind === "date" ? DAY : column.kind === "integer" ? 1 : null;
  const step = unit ?? (maximum - minimum || 1) / STEPS;
  const zone = column.kind === "date" || column.sql_type.includes("without time zone") ? "UTC" : undefined;
  const steps = Math.max(1, Math.round((maximum - minimum) / step));
  return { kind: column.kind, zone, start: minimum, step, steps, end: maximum };
}

export function valueAt({ start, step, steps, end }: Scale, position: number): number {
  return position >= steps ? end : start + position * step;
}

/** What the window shows; where it reaches an end of the scale nothing bounds it. */
export function rangeOf(scale: Scale, { first, last }: Span): { from: number; to: number } {
  return { from: first <= 0 ? -Infinity : valueAt(scale, first), to: last >= scale.steps ? Infinity : valueAt(scale, last) };
}

/** The nearest position to a value, within the scale. */
export function positionOf({ start, step, steps }: Scale, value: number): number {
  return Math.min(steps, Math.max(0, Math.round((value - start) / step)));
}

export function isWhole({ steps }: Scale, { first, last }: Span): boolean {
  return first <= 0 && last >= steps;
}

/** One end somewhere else; the ends never pass each other. */
export function withEnd(span: Span, end: keyof Span, position: number): Span {
  return end === "first"
    ? { ...span, first: Math.min(position, span.last) }
    : { ...span, last: Math.max(position, span.first) };
}

/** The whole window moved, as far as the scale goes. */
export function shifted({ steps }: Scale, { first, last }: Span, by: number): Span {
  const move = Math.min(steps - last, Math.max(-first, by));
  return { first: first + move, last: last + move };
}

/** What play shows first: a tenth of all, where the window shows everything. */
export function playable(scale: Scale, span: Span): Span {
  return isWhole(scale, span) ? { first: 0, last: Math.max(0, Math.round(scale.steps / 10) - 1) } : span;
}

/** The next picture: a share of the window's width further, and from the end back to the beginning. */
export function advanced(scale: Scale, span: Span, share: number): Span {
  const width = span.last - span.first;
  if (span.last >= scale.steps) return { first: 0, last: width };
  return shifted(scale, span, Math.max(1, Math.round((width + 1) * share)));
}
