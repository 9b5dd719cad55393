/** The user's language: strings by key, numbers and dates as that language writes them, and its direction. */
import { local } from "../ui/storage";
import { computed, signal } from "@preact/signals";
import { ar } from "./ar";
import { en, type Key } from "./en";

export const LANGUAGES = { en: { name: "English", strings: en }, ar: { name: "العربية", strings: ar } };
export type Language = keyof typeof LANGUAGES;

const STORED = "geoagent.language";

export const language = signal<Language>(preferred());
export const direction = computed(() => (language.value === "ar" ? "rtl" : "ltr"));

/** The language as this person writes numbers and dates in it: `en-GB` where the browser says so. */
export const locale = computed(() => navigator.languages.find((it) => it.startsWith(language.value)) ?? language.value);

export function setLanguage(next: Language): void {
  local.setItem(STORED, next);
  language.value = next;
}

/**
 * The string of this key; `{name}` parts are filled from `values`, each in its own direction where the text runs to the
 * left, and `{name|one|more}` says the one or the other.
 */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text = LANGUAGES[language.value].strings[key];
  return text.replace(/\{(\w+)(?:\|(.*?)\|(.*?))?\}/g, (whole, name: string, one?: string, more?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one !== undefined) return String(value) === "1" ? one : (more ?? "");
    if (typeof value === "number") return number(value);
    return direction.value === "rtl" ? `\u2068${value}\u2069` : value;
  });
}

export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(locale.value, options).format(value);
}

/** The time of day, and the date unless it is today's. */
export function time(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.valueOf())) return "";
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(locale.value, { ...(!isToday && { dateStyle: "medium" }), timeStyle: "short" });
}

export function duration(ms: number): string {
  if (ms < 1000) return number(Math.max(1, Math.round(ms)), { style: "unit", unit: "millisecond" });
  return number(ms / 1000, { style: "unit", unit: "second", maximumFractionDigits: ms < 10_000 ? 1 : 0 });
}

function preferred(): Language {
  const stored = local.getItem(STORED);
  if (stored !== null && stored in LANGUAGES) return stored as Language;
  const short = navigator.language.slice(0, 2);
  return short in LANGUAGES ? (short as Language) : "en";
}
