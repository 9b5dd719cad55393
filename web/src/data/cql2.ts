/**
 * Between CQL2 JSON and the rows of the filter builder. A filter that rows cannot express stays as it is: `toRows`
 * gives null for it, and `describe` still says it in words. Pure.
 */
import { formatDate, isLabel } from "../i18n/format";
import { locale, number, t } from "../i18n/i18n";
import type { Column } from "../protocol/types";
import { position } from "./positions";

export type Cql2 = Record<string, unknown>;
export type Comparison = "=" | "<>" | "<" | "<=" | ">" | ">=" | "between" | "contains" | "in" | "isNull" | "notNull";

export interface Condition {
  column: string;
  comparison: Comparison;
  /** As typed; `in` has one value a line, `between` its two ends. */
  value: string;
}

export interface Rows {
  join: "and" | "or";
  conditions: Condition[];
}

const COMPARISONS: Record<"text" | "number" | "boolean" | "date", Comparison[]> = {
  text: ["=", "<>", "contains", "in", "isNull", "notNull"],
  number: ["between", "=", "<>", "<", "<=", ">", ">=", "in", "isNull", "notNull"],
  boolean: ["=", "isNull", "notNull"],
  date: ["between", "=", "<", "<=", ">", ">=", "isNull", "notNull"],
};

export function comparisonsOf(column: Column): Comparison[] {
  return COMPARISONS[family(column)];
}

export function isFilterable(column: Column): boolean {
  return column.kind !== "geometry" && column.kind !== "json" && column.kind !== "other";
}

/** A range may be open at one end. */
export function isComplete({ comparison, value }: Condition): boolean {
  return comparison === "isNull" || comparison === "notNull" || value.trim() !== "";
}

/** A new condition on the column: numbers and dates are mostly wanted in a range, all else by value. */
export function blank(column: Column, comparison = comparisonsOf(column)[0] ?? "="): Condition {
  return { column: column.name, comparison, value: column.kind === "boolean" && comparison === "=" ? "true" : "" };
}

/** The filter of the rows, all of which must be complete; null without rows. */
export function toCql2(rows: Rows, columns: readonly Column[]): Cql2 | null {
  const parts = rows.conditions.map((condition) => {
    const column = columns.find((it) => it.name === condition.column);
    return expression(condition, column);
  });
  const [first] = parts;
  if (first === undefined) return null;
  return parts.length === 1 ? first : { op: rows.join, args: parts };
}

export function toRows(filter: Cql2 | null): Rows | null {
  if (filter === null) return { join: "and", conditions: [] };
  const { op, args } = filter as { op?: string; args?: Cql2[] };
  const isJoin = (op === "and" || op === "or") && Array.isArray(args);
  const conditions = (isJoin ? args : [filter]).map(condition);
  if (conditions.some((it) => it === null)) return null;
  return { join: isJoin ? (op as "and" | "or") : "and", conditions: conditions as Condition[] };
}

/** The filter in words, in the language of the page. */
export function describe(node: unknown): string {
  return worded(node, {});
}

/** What values are compared with: a column, or the result of an operation (a part of dates). */
interface Subject {
  property?: unknown;
  op?: unknown;
}

function worded(node: unknown, subject: Subject): string {
  if (node === null || typeof node !== "object") return scalar(node, subject);
  if (Array.isArray(node)) return node.map((it) => worded(it, subject)).join(t("listComma"));
  const { op, args, property, date, timestamp } = node as Record<string, unknown>;
  if (typeof property === "string") return property;
  if (typeof date === "string") return formatDate(date) ?? date;
  if (typeof timestamp === "string") return formatDate(timestamp) ?? timestamp;
  if (typeof op !== "string" || !Array.isArray(args)) return JSON.stringify(node);
  const place = position(op, args);
  if (place !== null) return place;
  const compared = (args[0] ?? {}) as Subject;
  const parts = args.map((it) => worded(it, compared));
  if (op === "and" || op === "or") return parts.map((part, i) => (isJoined(args[i]) ? `(${part})` : part)).join(` ${t(op === "and" ? "sayAnd" : "sayOr")} `);
  if (op === "casei" || op === "accenti") return parts[0] ?? "";
  const part = PARTS_OF_DATES[op];
  if (part !== undefined) return t(part, { a: parts[0] ?? "" });
  return sentence(op, args, parts);
}

function sentence(op: string, args: unknown[], parts: string[]): string {
  const [a = "", b = "", c = ""] = parts;
  const inner = args[0] as { op?: unknown; args?: unknown[] } | null;
  if (op === "not" && inner?.op === "isNull") return t("sayNotNull", { a: describe(inner.args?.[0]) });
  if (op === "not") return t("sayNot", { a });
  if (op === "isNull") return t("sayNull", { a });
  if (op === "between") return t("sayBetween", { a, b, c });
  if (op === "in") return t("sayIn", { a, b });
  if (op === "like") {
    const found = contains(args);
    return found === null ? t("sayLike", { a, b }) : t("sayContains", { a, b: scalar(found.value, {}) });
  }
  return parts.length === 2 ? `${a} ${SIGNS[op] ?? op} ${b}` : `${op}(${parts.join(", ")})`;
}

const PARTS_OF_DATES: Record<string, Parameters<typeof t>[0]> = {
  year: "sayYear", month: "sayMonth", weekday: "sayWeekday", hour: "sayHour",
};
const SIGNS: Record<string, string> = { "<>": "≠", "<=": "≤", ">=": "≥" };

function scalar(value: unknown, { property, op }: Subject): string {
  if (typeof value === "string") return isLongInteger(value) ? value : `“${value}”`;
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value !== "number") return String(value);
  if ((op === "month" || op === "weekday") && isNamed(op, value)) return nameOf(op, value);
  return number(value, { maximumSignificantDigits: 15, useGrouping: !isLabel(String(property ?? op ?? ""), value) });
}

function isNamed(part: "month" | "weekday", value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= (part === "month" ? 12 : 7);
}

/** Months are counted from January, weekdays from Monday; the first of January 2024 was one. */
function nameOf(part: "month" | "weekday", value: number): string {
  const day = part === "month" ? new Date(2024, value - 1, 1) : new Date(2024, 0, value);
  return day.toLocaleString(locale.value, { [part]: "long" });
}

function isJoined(node: unknown): boolean {
  const op = (node as { op?: unknown } | null)?.op;
  return op === "and" || op === "or";
}

function family(column: Column): keyof typeof COMPARISONS {
  if (column.kind === "integer" || column.kind === "number") return "number";
  if (column.kind === "date" || column.kind === "timestamp") return "date";
  return column.kind === "boolean" ? "boolean" : "text";
}

function expression({ column: name, comparison, value }: Condition, column: Column | undefined): Cql2 {
  const property = { property: name };
  if (comparison === "isNull") return { op: "isNull", args: [property] };
  if (comparison === "notNull") return { op: "not", args: [{ op: "isNull", args: [property] }] };
  if (comparison === "contains") {
    const pattern = `%${value.trim().replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
    return { op: "like", args: [{ op: "casei", args: [property] }, { op: "casei", args: [pattern] }] };
  }
  if (comparison === "between") {
    const [from = "", to = ""] = value.split("\n").map((it) => it.trim());
    if (from === "" || to === "") return { op: from === "" ? "<=" : ">=", args: [property, literal(from || to, column)] };
    return { op: "between", args: [property, literal(from, column), literal(to, column)] };
  }
  if (comparison === "in") {
    const values = value.split("\n").map((it) => it.trim()).filter((it) => it !== "");
    return { op: "in", args: [property, values.map((it) => literal(it, column))] };
  }
  return { op: comparison, args: [property, literal(value.trim(), column)] };
}

/** A whole number that would be another one in JavaScript; the server reads it from its text. */
const isLongInteger = (text: string) => /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(Number(text));

function literal(text: string, column: Column | undefined): unknown {
  const kind = column?.kind;
  if (kind === "integer" || kind === "number") return Number.isNaN(Number(text)) || isLongInteger(text) ? text : Number(text);
  if (kind === "boolean") return text === "true";
  if (kind === "date") return { date: text };
  if (kind === "timestamp") return { timestamp: /Z|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.length === 10 ? `${text}T00:00:00` : text}Z` };
  return text;
}

function condition(node: Cql2): Condition | null {
  const { op, args } = node as { op?: string; args?: unknown[] };
  if (op === undefined || !Array.isArray(args)) return null;
  if (op === "isNull") return row(args[0], "isNull", "");
  if (op === "not") {
    const inner = args[0] as { op?: string; args?: unknown[] };
    return inner?.op === "isNull" ? row(inner.args?.[0], "notNull", "") : null;
  }
  if (op === "like") return contains(args);
  if (op === "between" && isScalar(args[1]) && isScalar(args[2])) return row(args[0], "between", `${written(args[1])}\n${written(args[2])}`);
  if (op === "in" && Array.isArray(args[1]) && args[1].every(isScalar)) return row(args[0], "in", args[1].map(written).join("\n"));
  if (!["=", "<>", "<", "<=", ">", ">="].includes(op) || !isScalar(args[1])) return null;
  return row(args[0], op as Comparison, written(args[1]));
}

function contains([subject, pattern]: unknown[]): Condition | null {
  const bare = (node: unknown) => {
    const { op, args } = (node ?? {}) as { op?: string; args?: unknown[] };
    return op === "casei" && Array.isArray(args) ? args[0] : null;
  };
  const text = bare(pattern);
  if (typeof text !== "string" || !/^%(?:[^%_\\]|\\.)*%$/s.test(text)) return null;
  return row(bare(subject), "contains", text.slice(1, -1).replace(/\\(.)/gs, "$1"));
}

function row(subject: unknown, comparison: Comparison, value: string): Condition | null {
  const column = (subject as { property?: unknown } | null)?.property;
  return typeof column === "string" ? { column, comparison, value } : null;
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || (value !== null && ("date" in value || "timestamp" in value));
}

function written(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return String((value as { date?: string }).date ?? (value as { timestamp?: string }).timestamp);
}
