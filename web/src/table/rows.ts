/** The rows of a layer and how their values are spread, as the server gives them: `GET /api/maps/…/layers/…/rows`. */
import { read as ask } from "../connection/read";
import type { Cql2 } from "../layers/filter/cql2";
import type { Histogram } from "../ui/scale";

export type Row = Record<string, unknown>;

export interface Page {
  columns: string[];
  rows: Row[];
  total: number;
  key: string[];
}

export interface Question {
  limit: number;
  offset?: number;
  /** As an earlier page told it: spares counting all rows once more. */
  total?: number;
  sort?: string | null;
  descending?: boolean;
  filter?: Cql2 | null;
}

/** Rejects with words for people. */
export function readRows(mapId: string, layerId: string, question: Question, signal?: AbortSignal): Promise<Page> {
  const asked = new URLSearchParams({ limit: String(question.limit) });
  if (question.offset) asked.set("offset", String(question.offset));
  if (question.total) asked.set("total", String(question.total));
  if (question.sort) asked.set("sort", question.sort);
  if (question.descending) asked.set("descending", "true");
  if (question.filter) asked.set("filter", JSON.stringify(question.filter));
  return read(mapId, layerId, "rows", asked, signal);
}

/** Counts, ends and middle of a column's values; which of them depends on its type. */
export function readStatistics(mapId: string, layerId: string, column: string, signal?: AbortSignal): Promise<Row> {
  return read(mapId, layerId, "stats", new URLSearchParams({ column }), signal);
}

/** How many features of the layer are within the bounds. */
export async function countWithin(mapId: string, layerId: string, bounds: readonly number[], signal?: AbortSignal): Promise<number> {
  const asked = new URLSearchParams({ bounds: bounds.join(",") });
  return (await read<{ count: number }>(mapId, layerId, "count", asked, signal)).count;
}

/** Where these features of the layer lie; null where none has a place. */
export async function readBounds(mapId: string, layerId: string, filter: Cql2): Promise<[number, number, number, number] | null> {
  const asked = new URLSearchParams({ filter: JSON.stringify(filter) });
  return (await read<{ bounds: [number, number, number, number] | null }>(mapId, layerId, "bounds", asked)).bounds;
}

/** How the values of a column are spread. `filter`, CQL2 as JSON or `null`, counts in place of the layer's own. */
export function readHistogram(
  mapId: string, layerId: string, { column, bins, filter }: { column: string; bins: number; filter: string }, signal?: AbortSignal,
): Promise<Histogram> {
  return read(mapId, layerId, "histogram", new URLSearchParams({ column, bins: String(bins), filter }), signal);
}

/** A value as text, and how many rows have it. */
export interface Frequent {
  value: string;
  count: number;
}

/** The most frequent values of a column that hold these words. */
export async function readValues(
  mapId: string, layerId: string, { column, words, limit, filter }: { column: string; words: string; limit: number; filter: string },
  signal?: AbortSignal,
): Promise<Frequent[]> {
  const asked = new URLSearchParams({ column, q: words, limit: String(limit), filter });
  return (await read<{ values: Frequent[] }>(mapId, layerId, "values", asked, signal)).values;
}

function read<Body>(mapId: string, layerId: string, what: string, asked: URLSearchParams, signal?: AbortSignal): Promise<Body> {
  return ask(`/api/maps/${mapId}/layers/${encodeURIComponent(layerId)}/${what}?${asked}`, signal);
}
