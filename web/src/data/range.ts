/** The range of one column within a CQL2 filter: read from it, taken out of it, put into it. Pure. */
import type { Column } from "../protocol/types";
import type { Cql2 } from "./cql2";

export interface Range {
  from: number;
  to: number;
}

type Node = { op?: string; args?: unknown[] };

/** The filter without what it says of how large the column's values are; null when nothing is left. */
export function withoutRange(filter: Cql2 | null | undefined, column: string): Cql2 | null {
  const rest = parts(filter).filter((part) => bound(part, column) === null);
  return joined(rest);
}

/** The filter, with the column's values between the two, ends included; an infinite end, or no range, bounds nothing. */
export function withRange(filter: Cql2 | null | undefined, column: Column, range: Range | null): Cql2 | null {
  const rest = parts(filter).filter((part) => bound(part, column.name) === null);
  if (range === null) return joined(rest);
  const property = { property: column.name };
  const end = (op: string, value: number): Cql2[] => (Number.isFinite(value) ? [{ op, args: [property, literal(value, column)] }] : []);
  return joined([...rest, ...end(">=", range.from), ...end("<=", range.to)]);
}

/** What the filter says of how large the column's values are; an end that it leaves open is infinite. */
export function rangeIn(filter: Cql2 | null | undefined, column: string): Range | null {
  const bounds = parts(filter).flatMap((part) => bound(part, column) ?? []);
  if (bounds.length === 0) return null;
  return { from: Math.max(...bounds.map((it) => it.from)), to: Math.min(...bounds.map((it) => it.to)) };
}

/** What all has to hold. */
function parts(filter: Cql2 | null | undefined): Cql2[] {
  if (filter == null) return [];
  const { op, args } = filter as Node;
  return op === "and" && Array.isArray(args) ? args.flatMap((part) => parts(part as Cql2)) : [filter];
}

function joined(parts: Cql2[]): Cql2 | null {
  return parts.length > 1 ? { op: "and", args: parts } : parts[0] ?? null;
}

function bound(node: Cql2, column: string): Range | null {
  const { op, args } = node as Node;
  if (!Array.isArray(args) || (args[0] as { property?: string } | null)?.property !== column) return null;
  const [first, second] = [numberIn(args[1]), numberIn(args[2])];
  if (first === null) return null;
  if (op === ">=" || op === ">") return { from: first, to: Infinity };
  if (op === "<=" || op === "<") return { from: -Infinity, to: first };
  return op === "between" && second !== null ? { from: first, to: second } : null;
}

/** A number as it is, a date or time as seconds since 1970, from its text; null for other texts. */
export function valueOf(text: string): number | null {
  if (text.trim() === "") return null;
  const value = /^\d{4}-\d/.test(text.trim()) ? Date.parse(text.trim()) / 1000 : Number(text);
  return Number.isNaN(value) ? null : value;
}

/** The opposite of `valueOf`, as a column of this kind writes it. */
export function textOf(value: number, { kind }: Column): string {
  if (kind !== "date" && kind !== "timestamp") return String(value);
  const text = new Date(value * 1000).toISOString();
  return kind === "date" ? text.slice(0, 10) : text;
}

function numberIn(node: unknown): number | null {
  if (typeof node === "number") return node;
  const { date, timestamp } = (node ?? {}) as { date?: string; timestamp?: string };
  return valueOf(timestamp ?? date ?? "");
}

function literal(value: number, column: Column): unknown {
  if (column.kind === "date") return { date: textOf(value, column) };
  return column.kind === "timestamp" ? { timestamp: textOf(value, column) } : value;
}
