/**
 * The text of labels: a column, or a text with columns in braces, as `server/gis/styles/labels.py` reads it. Pure.
 */
import { formatValue } from "../../../i18n/format";
import type { Row } from "../../../data/rows";

const IN_BRACES = /\{([^{}]*)\}/g;

/** The columns that a label reads. */
export function columnsOf(text: string, columns: readonly string[]): string[] {
  return columns.includes(text) ? [text] : [...text.matchAll(IN_BRACES)].map(([, name = ""]) => name);
}

/** What the text may become: with an open brace one of the columns in place of what follows it. */
export function completions(text: string, columns: readonly string[]): string[] {
  const open = text.lastIndexOf("{");
  if (open === -1) return [...columns];
  if (text.includes("}", open)) return [];
  return columns.map((name) => `${text.slice(0, open)}{${name}}`);
}

/** The text with one more column. */
export function withColumn(text: string, name: string, columns: readonly string[]): string {
  if (text === "") return name;
  return `${columns.includes(text) ? `{${text}}` : text} {${name}}`;
}

/** The label of a row that has all its columns. */
export function example(text: string, columns: readonly string[], rows: readonly Row[]): string {
  const read = columnsOf(text, columns);
  const row = rows.find((it) => read.every((name) => it[name] != null));
  if (row === undefined) return "";
  if (columns.includes(text)) return formatValue(text, row[text]);
  return text.replace(IN_BRACES, (_, name: string) => formatValue(name, row[name]));
}
