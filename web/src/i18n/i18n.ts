/** The user's language: strings by key, numbers and dates as that language writes them, and its direction. */
import { batch, computed, signal } from "@preact/signals";
import { local } from "../browser/storage";
import { en, type Key } from "./en";

export type { Key };
export type Strings = Record<Key, string>;

/** How the server's own sentences and tools are called in a language. Text that is not the server's stays as it is. */
export interface Wording {
  sentences(text: string): string;
  tool(name: string): string | undefined;
}

interface Loaded {
  strings: Strings;
  wording: Wording | null;
}

/** English is part of the page, and of the server; any other language is loaded when it is chosen. */
export const LANGUAGES = {
  en: { name: "English", load: async (): Promise<Loaded> => ({ strings: en, wording: null }) },
  ar: { name: "العربية", load: loadArabic },
};
export type Language = keyof typeof LANGUAGES;

const STORED = "geoagent.language";

const strings = signal<Strings>(en);
const wording = signal<Wording | null>(null);
export const language = signal<Language>("en");
export const direction = computed(() => (language.value === "ar" ? "rtl" : "ltr"));

/** The language as this person writes numbers and dates in it: `en-GB` where the browser says so. */
export const locale = computed(() => navigator.languages.find((it) => it.startsWith(language.value)) ?? language.value);

const plurals = computed(() => new Intl.PluralRules(locale.value));

/** Loads the language that this person chose, or that the browser prefers; English where it cannot be loaded. */
export async function startLanguage(): Promise<void> {
  await show(preferred()).catch(() => undefined);
}

/** Rejects when the language cannot be loaded, and leaves the page as it is. */
export async function setLanguage(next: Language): Promise<void> {
  await show(next);
  local.setItem(STORED, next);
}

async function show(next: Language): Promise<void> {
  const loaded = await LANGUAGES[next].load();
  batch(() => {
    strings.value = loaded.strings;
    wording.value = loaded.wording;
    language.value = next;
  });
}

async function loadArabic(): Promise<Loaded> {
  const [{ ar }, { wording: words }] = await Promise.all([import("./ar"), import("./ar/wording")]);
  return { strings: ar, wording: words };
}

/** A text of the server, such as an answer of the built-in model, in the language of the page where it has words for it. */
export const inOwnWords = (text: string): string => wording.value?.sentences(text) ?? text;

/** What a tool is called; undefined where only its own name is known. */
export const toolWords = (name: string): string | undefined => wording.value?.tool(name);

/**
 * The string of this key. `{name}` is filled from `values`, each in its own direction where the text runs to the left;
 * `{name|one=# row|other=# rows}` chooses by the plural form of the value, which stands where `#` is.
 */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  return filled(strings.value[key], values);
}

/** A text with its values, as `t` writes them. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)((?:\|\w+=[^|}]*)*)\}/g, (whole, name: string, forms: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    const text = typeof value === "number" ? number(value) : direction.value === "rtl" ? `\u2068${value}\u2069` : value;
    return forms === "" ? text : plural(forms, value).replaceAll("#", text);
  });
}

/** Texts are numbers already written out, as in `115K`; there are many of those. */
function plural(forms: string, value: string | number): string {
  const words = new Map(forms.slice(1).split("|").map((form) => form.split("=") as [string, string]));
  const category = typeof value === "number" ? plurals.value.select(value) : "other";
  return words.get(category) ?? words.get("other") ?? "";
}

export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(locale.value, options).format(value);
}

/** What is known to three digits only: `10.0 million`. */
export function rounded(value: number): string {
  const digits = { minimumSignificantDigits: 3, maximumSignificantDigits: 3 };
  return number(value, value < 1e6 ? { maximumSignificantDigits: 3 } : { notation: "compact", compactDisplay: "long", ...digits });
}

/** The time of day, and the date unless it is today's. */
export function time(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.valueOf())) return "";
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(locale.value, { ...(!isToday && { dateStyle: "medium" }), timeStyle: "short" });
}

export function duration(ms: number): string {
  if (ms < 1000) return number(Math.max(1, Math.round(ms)), { style: "unit", unit: "millisecond", unitDisplay: "narrow" });
  return number(ms / 1000, { style: "unit", unit: "second", unitDisplay: "narrow", maximumFractionDigits: ms < 10_000 ? 1 : 0 });
}

function preferred(): Language {
  const stored = local.getItem(STORED);
  if (stored !== null && stored in LANGUAGES) return stored as Language;
  const short = navigator.language.slice(0, 2);
  return short in LANGUAGES ? (short as Language) : "en";
}
