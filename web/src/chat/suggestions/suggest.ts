/** Suggestions for the next request, from the layers of the map and the columns of its tables. Pure. */
import { spokenColumn } from "../../data/titles";
import { en } from "../../i18n/en";
import { formatNumber, isLabel } from "../../i18n/format";
import { number, requestsIn, t } from "../../i18n/i18n";
import { measures } from "../../layers/columns";
import type { Column, Layer, Part, Table } from "../../protocol/types";

const MOST = 3;

/** Something to say: `message` as the built-in model reads it, `label` in the language of the page. */
export interface Request {
  message: string;
  label: string;
}

/** A request that the server proposes. */
export function asRequest({ message, wording }: { message: string; wording?: Part[] }): Request {
  return { message, label: requestsIn(message, wording).get(message) ?? message };
}

/** The text to send: a provider's model understands the person's language, the built-in one only the command. */
export function spoken({ message, label }: Request, model: string): string {
  // Marks of direction are for the eye only.
  return model === "offline" ? message : label.replace(/[\u2068\u2069]/g, "");
}

/** `tableOf` gives null for a table that is not known yet. */
export function nextSteps(layers: readonly Layer[], tableOf: (id: string) => Table | null, starters: readonly Request[]): Request[] {
  const top = layers.findLast((layer) => layer.visible) ?? layers.at(-1);
  if (top === undefined) return starters.slice(0, MOST);
  const table = tableOf(top.table);
  const name = named(top.name);
  const steps: Request[] = [];
  const all = table === null ? [] : measures(table);
  const measure = all.find((it) => !isYear(it)) ?? all[0];
  const column = spokenColumn(measure?.name ?? "", table?.columns.map((it) => it.name) ?? []);
  if (measure !== undefined && top.style.column !== measure.name) steps.push(request("askColour", { name, column }));
  const limit = measure === undefined ? null : highBound(measure);
  if (top.filter === null && measure !== undefined && limit !== null) {
    steps.push(request("askOver", { column, value: inWords(limit) }, { column, value: shown(measure.name, limit) }));
  }
  if (measure !== undefined) steps.push(request("askHistogram", { column }));
  if (top.filter !== null) steps.push(request("askShowAll", { name }));
  const other = starters.find((starter) => !layers.some((layer) => starter.message.toLowerCase().includes(layer.name.toLowerCase())));
  if (other !== undefined) steps.push(other);
  steps.push(request("askRemove", { name }));
  return steps.slice(0, MOST);
}

type Key = "askColour" | "askOver" | "askHistogram" | "askShowAll" | "askRemove";

/** The command is the English text; `labelled` are the values as the label has them. */
function request(key: Key, values: Record<string, string>, labelled: Record<string, string> = values): Request {
  const message = en[key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
  return { message, label: t(key, labelled) };
}

/** A name of several words is quoted, so that none of them is read as part of the request. */
function named(name: string): string {
  return /[\s,]/.test(name) && !name.includes('"') ? `"${name}"` : name.toLowerCase();
}

const isYear = ({ name, maximum }: Column): boolean => typeof maximum === "number" && isLabel(name, maximum);

function shown(name: string, value: number): string {
  return value >= 1e6 ? number(value, { notation: "compact", compactDisplay: "long" }) : formatNumber(name, value);
}

function inWords(value: number): string {
  return value >= 1e6 ? `${value / 1e6} million` : String(value);
}

/** A round number that only the larger values pass. */
function highBound({ minimum, maximum }: Column): number | null {
  if (typeof minimum !== "number" || typeof maximum !== "number" || maximum <= 0 || maximum <= minimum) return null;
  const third = minimum + (maximum - minimum) / 3;
  const unit = 10 ** Math.floor(Math.log10(Math.max(third, 1)));
  return Math.round(third / unit) * unit;
}
