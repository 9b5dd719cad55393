/** Texts as the server makes them of its templates, for tests. */
import ENGLISH from "../protocol/wordings.json";
import type { Code } from "../protocol/messages";
import type { Part, Slot } from "../protocol/types";

export interface Made {
  text: string;
  wording: Part[];
}

type Value = string | number | Made;

/** The English text of a template with these values, and its parts. */
export function made(code: Code, values: Record<string, Value> = {}): Made {
  const slots: Record<string, Slot> = {};
  let text = "";
  let at = 0;
  const english: string = ENGLISH[code];
  for (const { 0: whole, 1: name = "", 2: forms = "", index } of english.matchAll(/\{(\w+)((?:\|\w+=[^|}]*)*)\}/g)) {
    text += english.slice(at, index);
    at = index + whole.length;
    const value = values[name] ?? "";
    const shown = typeof value === "object" ? value.text : typeof value === "number" ? value.toLocaleString("en") : value;
    const form = new Map(forms.slice(1).split("|").map((each) => each.split("=") as [string, string])).get(value === 1 ? "one" : "other") ?? "#";
    const start = text.length + Math.max(form.indexOf("#"), 0);
    text += form.replace("#", shown);
    slots[name] = {
      start, end: form.includes("#") ? start + shown.length : text.length, number: typeof value === "number" ? value : null,
      wording: typeof value === "object" ? value.wording : [],
    };
  }
  text += english.slice(at);
  return { text, wording: [{ code, start: 0, end: text.length, values: slots }] };
}

/** Texts one after the other. */
export function joined(separator: string, ...texts: (Made | string)[]): Made {
  const whole: Made = { text: "", wording: [] };
  texts.forEach((each, index) => {
    if (index > 0) whole.text += separator;
    const at = whole.text.length;
    whole.text += typeof each === "string" ? each : each.text;
    if (typeof each === "string") return;
    whole.wording.push(...each.wording.map((part) => ({ ...part, start: part.start + at, end: part.end + at })));
  });
  return whole;
}
