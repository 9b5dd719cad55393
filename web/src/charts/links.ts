/**
 * A chart and the map point at the same things: a part of a chart represents features, which the map highlights;
 * features that are pointed at or selected belong to parts of the chart. The server is asked which, because tiles carry
 * only some attributes where the map shows many features.
 */
import { computed } from "@preact/signals";
import { read } from "../connection/read";
import { marked, pointed } from "../instance/selection";
import type { Chart, Layer } from "../protocol/types";
import { layers } from "../store/store";
import type { Window } from "./hits";
import type { Part } from "./shape";

/** At most so many of `total` features have their ids listed. */
export interface Features {
  ids: (number | string)[];
  total: number;
  most: number;
}

/** `[place, series, how many]`, or of a scatter plot `[x, y, series]`. */
export type Found = [number, number, number];

/** What the map points at, for the charts to show: what the pointer is over, else the selection. */
export const looked = computed(() => pointed.value ?? marked.value);

const KEPT = 200;
const MOST_ASKED = 300;
const known = new Map<string, Promise<unknown>>();

/** The layer on which the features of a chart can be shown: its own, else the topmost of the same table. */
export function layerOf(chart: Chart): Layer | undefined {
  const same = layers.value.filter((layer) => layer.table === chart.table);
  return same.find((layer) => layer.id === chart.layer_id) ?? same.findLast((layer) => layer.visible) ?? same.at(-1);
}

export function featuresOf(chart: Chart, what: readonly Part[] | Window): Promise<Features> {
  const [first] = what;
  const query = typeof first === "number"
    ? `window=${what.join(",")}`
    : `parts=${(what as Part[]).map(({ place, series }) => (series === null ? place : `${place}.${series}`)).join(",")}`;
  return asked<Features>(chart, `features?${query}`);
}

export async function partsOf(chart: Chart, ids: readonly (string | number)[]): Promise<Found[]> {
  const numbers = ids.filter((id) => /^-?\d+$/.test(String(id))).slice(0, MOST_ASKED);
  if (numbers.length === 0) return [];
  return (await asked<{ parts: Found[] }>(chart, `parts?ids=${numbers.join(",")}`)).parts;
}

/** Rejects with words for people. What was answered is kept, for a version of a chart stays as it is. */
function asked<Answer>(chart: Chart, question: string): Promise<Answer> {
  const address = chart.data.replace(/data$/, question);
  const there = known.get(address);
  if (there !== undefined) return there as Promise<Answer>;
  const answer = read<Answer>(address);
  known.set(address, answer);
  answer.catch(() => known.delete(address));
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  return answer;
}
