/** The user's language: strings by key, numbers and dates as that language writes them, and its direction. */
import { batch, computed, signal } from "@preact/signals";
import type { Part } from "../protocol/types";
import { en, type Key } from "./en";
import type { Language, Loaded, Strings, Wording } from "./types";

const strings = signal<Strings>(en);
const wording = signal<Wording | null>(null);
export const language = signal<Language>("en");
export const direction = computed(() => (language.value === "ar" ? "rtl" : "ltr"));

/** The locale for numbers and dates: the browser's variant of the language, such as `en-GB`. */
export const locale = computed(() => navigator.languages.find((it) => it.startsWith(language.value)) ?? language.value);

const plurals = computed(() => new Intl.PluralRules(locale.value));

/** Shows the page in this language from now on. */
export function speak(next: Language, loaded: Loaded): void {
  batch(() => {
    strings.value = loaded.strings;
    wording.value = loaded.wording;
    language.value = next;
  });
}

/**
 * A text of the server in the language of the page, by the codes and values of its parts. English keeps the text.
 * `signs` are its characters where these have marks.
 */
export function inOwnWords(text: string, parts: readonly Part[] | undefined, signs?: readonly string[]): string {
  if (wording.value === null || !parts?.length) return signs?.join("") ?? text;
  return wording.value.worded(signs ?? Array.from(text), parts);
}

/** The requests that a text of the server proposes, by what is sent, each as it is shown. */
export function requestsIn(text: string, parts: readonly Part[] | undefined): ReadonlyMap<string, string> {
  return wording.value === null || !parts?.length ? NONE : wording.value.requests(text, parts);
}

const NONE: ReadonlyMap<string, string> = new Map();

/** The title of a tool in the language of the page; undefined if it has none. */
export const toolWords = (name: string): string | undefined => wording.value?.tool(name);

/**
 * The string of this key. `{name}` is filled from `values`, each in its own direction where the text runs to the left;
 * `{name|one=# row|other=# rows}` chooses by the plural form of the value, which replaces `#`.
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

/** The plural form for a value. A text is a formatted number, such as `115K`, and takes the general plural. */
export function plural(forms: string, value: string | number): string {
  const words = new Map(forms.slice(1).split("|").map((form) => form.split("=") as [string, string]));
  const category = typeof value === "number" ? plurals.value.select(value) : "other";
  return words.get(category) ?? words.get("other") ?? "";
}

/** By language and options, because creating a format takes far longer than using it. */
const formats = new Map<string, Intl.NumberFormat>();

export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  // British English shortens a million to `m`, which reads as metres on a map.
  const tag = options.notation === "compact" && language.value === "en" ? "en-US" : locale.value;
  const key = `${tag} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (format === undefined) formats.set(key, (format = new Intl.NumberFormat(tag, options)));
  return format.format(value);
}

/** A number that is known to three digits only: `10.0 million`. */
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
  if (ms >= 120_000) return number(ms / 60_000, { style: "unit", unit: "minute", unitDisplay: "short", maximumFractionDigits: ms < 600_000 ? 1 : 0 });
  return number(ms / 1000, { style: "unit", unit: "second", unitDisplay: "narrow", maximumFractionDigits: ms < 10_000 ? 1 : 0 });
}
