/** Values of a table as text for people, by their type and by what their column is called. */
import { locale, number, t } from "../i18n/i18n";

export function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value === "number") return formatNumber(name, value);
  if (typeof value === "object") return JSON.stringify(value);
  return formatDate(String(value)) ?? String(value);
}

/** Years and identifiers are not counted in thousands. */
export function formatNumber(name: string, value: number): string {
  const isLabel = Number.isInteger(value) && /(^|_)(id|gid|fid|year|code|zip|postcode|fips)$/i.test(name);
  return number(value, { useGrouping: !isLabel, maximumFractionDigits: Math.abs(value) < 1 ? 6 : 3 });
}

export function formatDate(text: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}|$)/.test(text)) return null;
  const hasTime = text.length > 10;
  const date = new Date(hasTime ? text.replace(" ", "T") : `${text}T00:00:00`);
  if (Number.isNaN(date.valueOf())) return null;
  return date.toLocaleString(locale.value, hasTime ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" });
}
