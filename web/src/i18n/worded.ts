/**
 * Texts of the server in another language: what its templates made is worded by code, with the values of the text; all
 * else (names, Markdown, text of a model) stays. Loaded with such a language. Pure.
 */
import type { Part, Slot } from "../protocol/types";
import { number, plural } from "./i18n";

/** What the templates of the server say in a language, with the same slots: `{name}`, `{n|one=# row|other=# rows}`. */
export type Wordings = Readonly<Record<string, string>>;

const SLOT = /\{(\w+)((?:\|\w+=[^|}]*)*)\}/g;
/** A figure of an answer has a mark on either side. */
const MARKED = /^((?:\uE000\d+\uE001)?)(.*?)(\uE002?)$/su;

/** `signs` are the characters of the text, each with marks that stand at it. Requests stay as the server reads them. */
export function wordedIn(wordings: Wordings, signs: readonly string[], parts: readonly Part[], isInside = false): string {
  const made: string[] = [];
  let at = 0;
  for (const part of parts) {
    const own = signs.slice(part.start, part.end);
    made.push(kept(signs.slice(at, part.start).join(""), isInside));
    made.push(isRequest([part]) ? kept(own.join(""), true) : wordedPart(wordings, own, part));
    at = part.end;
  }
  return made.join("") + kept(signs.slice(at).join(""), isInside);
}

/** Requests in a text by what is sent, each as it is shown. */
export function requestsIn(wordings: Wordings, text: string, parts: readonly Part[]): Map<string, string> {
  const signs = Array.from(text);
  const found = new Map<string, string>();
  for (const part of parts) {
    const own = signs.slice(part.start, part.end);
    if (isRequest([part])) found.set(own.join(""), wordedPart(wordings, own, part));
    for (const slot of Object.values(part.values)) {
      const inside = own.slice(slot.start, slot.end).join("");
      for (const [message, label] of requestsIn(wordings, inside, slot.wording ?? [])) found.set(message, label);
    }
  }
  return found;
}

function wordedPart(wordings: Wordings, signs: readonly string[], { code, values }: Part): string {
  const own = wordings[code];
  if (own === undefined) return kept(signs.join(""), true);
  return own.replace(SLOT, (whole: string, name: string, forms: string, at: number) => {
    const slot = values[name];
    if (slot === undefined) return whole;
    const inside = signs.slice(slot.start, slot.end);
    const text = inside.join("");
    if (forms !== "") return plural(forms, slot.number ?? text).replaceAll("#", numeral(text, slot));
    if (slot.number != null) return numeral(text, slot);
    if (slot.wording?.length) return endedOnce(wordedIn(wordings, inside, slot.wording, true), own[at + whole.length]);
    return own[at - 1] === "`" ? text : kept(text, true);
  });
}

/** A sentence within a sentence does not end twice. */
const endedOnce = (text: string, next: string | undefined): string => (next === "." ? text.replace(/\.$/, "") : text);

const isRequest = (parts: readonly Part[] | undefined): boolean => parts?.length === 1 && parts[0]?.code.startsWith("ask_") === true;

/** `), Berlin (` between two figures: the brackets belong to the text around. */
const BETWEEN = /^([\s),;:]*)(.*?)([\s(]*)$/su;

/** What stays is in its own direction as a whole: `elevation > 5` must not be read from the right. */
function kept(text: string, isInside: boolean): string {
  const [, before = "", own = "", after = ""] = BETWEEN.exec(text) ?? [];
  return isInside && own !== "" ? `${before}\u2068${own}\u2069${after}` : text;
}

/** The number as people of this language write it, with its mark, and as exact as in the text. */
function numeral(text: string, { number: value }: Slot): string {
  const [, before = "", shown = text, after = ""] = MARKED.exec(text) ?? [];
  if (value == null || shown.includes("×")) return text;
  const decimals = shown.split(".")[1]?.length ?? 0;
  const options: Intl.NumberFormatOptions = /\p{L}$/u.test(shown)
    ? { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 3 }
    : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return before + number(value, options) + after;
}
