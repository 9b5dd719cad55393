/** What could be asked next, from what is on the map and what its tables hold. Pure. */
import { spokenColumn } from "../../data/titles";
import { measures } from "../../layers/columns";
import type { Column, Layer, Table } from "../../protocol/types";

const MOST = 3;

/** `tableOf` gives null for a table that is not known yet. */
export function nextSteps(layers: readonly Layer[], tableOf: (id: string) => Table | null, starters: readonly string[]): string[] {
  const top = layers.findLast((layer) => layer.visible) ?? layers.at(-1);
  if (top === undefined) return starters.slice(0, MOST);
  const table = tableOf(top.table);
  const name = named(top.name);
  const steps: string[] = [];
  const measure = table === null ? undefined : measures(table)[0];
  const column = spokenColumn(measure?.name ?? "", table?.columns.map((it) => it.name) ?? []);
  if (measure !== undefined && top.style.column !== measure.name) steps.push(`colour ${name} by ${column}`);
  const limit = measure === undefined ? null : highBound(measure);
  if (top.filter === null && measure !== undefined && limit !== null) steps.push(`only the ones with ${column} over ${inWords(limit)}`);
  if (measure !== undefined) steps.push(`histogram of ${column}`);
  if (top.filter !== null) steps.push(`show all ${name}`);
  const other = starters.find((starter) => !layers.some((layer) => starter.toLowerCase().includes(layer.name.toLowerCase())));
  if (other !== undefined) steps.push(other);
  steps.push(`remove ${name}`);
  return steps.slice(0, MOST);
}

/** A name of several words is quoted, so that none of them is read as part of the request. */
function named(name: string): string {
  return /[\s,]/.test(name) && !name.includes('"') ? `"${name}"` : name.toLowerCase();
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
