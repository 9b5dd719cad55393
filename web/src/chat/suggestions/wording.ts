/** Suggested requests in the language of the page. They are commands that the built-in model knows in English. Pure. */
import { language, number, t } from "../../i18n/i18n";
import type { Key } from "../../i18n/en";

const COLOURS: Record<string, Key> = { red: "colourRed", blue: "colourBlue", green: "colourGreen", orange: "colourOrange", purple: "colourPurple" };

/** The first that fits counts. */
const PATTERNS: [RegExp, Key][] = [
  [/^show (?<name>.+) in (?<colour>red|blue|green|orange|purple)$/, "askShowIn"],
  [/^show (?<name>.+) as circles sized by (?<column>.+)$/, "askCircles"],
  [/^top (?<n>\d+) (?<name>.+) by (?<column>.+)$/, "askTop"],
  [/^label the (?<name>.+)$/, "askLabel"],
  [/^zoom to (?:the )?(?<name>.+)$/, "askZoom"],
  [/^how many (?<name>.+) are there\?$/, "askCount"],
  [/^undo$/, "undo"],
  [/^show the (?<n>\d+) largest (?<name>.+)$/, "askLargest"],
  [/^show all (?<name>.+)$/, "askShowAll"],
  [/^show (?<name>.+)$/, "askShow"],
  [/^colou?r (?<name>.+) by (?<column>.+)$/, "askColour"],
  [/^only the (?:ones|.+) with (?<column>.+) (?:over|above) (?<value>.+)$/, "askOver"],
  [/^histogram of (?<column>.+)$/, "askHistogram"],
  [/^remove (?<name>.+)$/, "askRemove"],
  [/^which tables are there\?$/, "askTables"],
];

/** What stands on the button; the request itself where no pattern fits. */
export function labelOf(request: string): string {
  if (language.value === "en") return request;
  for (const [pattern, key] of PATTERNS) {
    const found = pattern.exec(request);
    if (found === null) continue;
    const values = { ...found.groups };
    const colour = COLOURS[values["colour"] ?? ""];
    const value = values["value"];
    return t(key, { ...values, ...(colour !== undefined && { colour: t(colour) }), ...(value !== undefined && { value: amount(value) }) });
  }
  return request;
}

/** `7 million` as people of this language write it. */
function amount(text: string): string {
  const [, digits, isMillions] = /^([\d.]+)( million)?$/.exec(text) ?? [];
  if (digits === undefined) return text;
  return isMillions ? number(Number(digits) * 1e6, { notation: "compact", compactDisplay: "long" }) : number(Number(digits));
}

/** What is sent: a model of a provider understands the person's own language, the built-in one only the command. */
export function requestOf(request: string, model: string): string {
  // Marks of direction are for the eye only.
  return model === "offline" ? request : labelOf(request).replace(/[\u2068\u2069]/g, "");
}
