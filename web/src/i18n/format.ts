/** How numbers and values of tables are written everywhere on the page, by the language of the page. */
import { locale, number, t } from "./i18n";

/** From here on a number takes too much room where there is little of it. */
const LARGE = 1e6;

/** All digits that matter, in groups: for tables, pop-ups, tooltips and sentences. */
export function exact(value: number): string {
  return number(value, { maximumFractionDigits: Math.abs(value) < 1 ? 6 : 3 });
}

/** Short from a million on: for legends, axes and lists. At most `digits` significant digits there. */
export function compact(value: number, digits = 4): string {
  if (Math.abs(value) >= LARGE) return number(value, { notation: "compact", maximumSignificantDigits: digits });
  const magnitude = Math.abs(value);
  return number(value, magnitude < 1 ? { maximumSignificantDigits: digits } : { maximumFractionDigits: magnitude < 100 ? 2 : 0 });
}

const YEAR_WORDS = new Set(["year", "years", "built", "founded", "established", "opened", "started", "planted", "constructed"]);
const KEY_WORDS = new Set(["id", "oid", "gid", "fid", "objectid", "key", "code", "zip", "postcode", "fips", "no", "nr"]);
const [MIN_YEAR, MAX_YEAR] = [1500, 2100];

/** Years, keys and codes are not written in groups. The same rules as `is_label` of agents/geo/wording/phrases.py has for answers. */
export function isLabel(name: string, value: number): boolean {
  const words = (name.match(/[A-Z]+(?![a-z])|[A-Za-z][a-z]*/g) ?? []).map((word) => word.toLowerCase());
  if (words.some((word) => YEAR_WORDS.has(word))) return true;
  if (value >= MIN_YEAR && value <= MAX_YEAR && words.some((word) => word === "yr" || word.endsWith("ed"))) return true;
  return Number.isInteger(value) && KEY_WORDS.has(words.at(-1) ?? "");
}

/** The value of a column. A longer whole number than JavaScript has, such as the ids of some, is said to be rounded. */
export function formatNumber(name: string, value: number): string {
  const text = isLabel(name, value) ? number(value, { useGrouping: false }) : exact(value);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? `≈ ${text}` : text;
}

/** The value of a column where there is little room. */
export function shortNumber(name: string | null, value: number): string {
  return name !== null && isLabel(name, value) ? formatNumber(name, value) : compact(value);
}

/** Any value of a table as text for people, by its type and by what its column is called. */
export function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value === "number") return formatNumber(name, value);
  if (typeof value === "object") return JSON.stringify(value);
  return formatDate(String(value)) ?? String(value);
}

export function formatDate(text: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}|$)/.test(text)) return null;
  const hasTime = text.length > 10;
  const date = new Date(hasTime ? text.replace(" ", "T") : `${text}T00:00:00`);
  if (Number.isNaN(date.valueOf())) return null;
  return date.toLocaleString(locale.value, hasTime ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" });
}
