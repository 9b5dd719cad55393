/**
 * The rows of a layer or a table and how their values are spread, as the server gives them:
 * `GET /api/maps/…/layers/…/rows`, `GET /api/maps/…/tables/…/rows`.
 */
import { read as ask } from "../connection/read";
import type { Cql2 } from "./cql2";
import type { Histogram } from "../ui/scale";

export type Row = Record<string, unknown>;

/** The layer or table to read rows of. */
export interface Subject {
  kind: "layers" | "tables";
  id: string;
}

export interface Page {
  columns: string[];
  rows: Row[];
  total: number;
  key: string[];
  /** Of which sample the rows are, where not of all. */
  sampled_from?: string;
}

export interface Question {
  limit: number;
  offset?: number;
  /** From an earlier page: saves counting all rows again. */
  total?: number;
  sort?: string | null;
  descending?: boolean;
  filter?: Cql2 | null;
}

/** Rejects with words for people. */
export function readRows(mapId: string, subject: Subject, question: Question, signal?: AbortSignal): Promise<Page> {
  const asked = new URLSearchParams({ limit: String(question.limit) });
  if (question.offset) asked.set("offset", String(question.offset));
  if (question.total) asked.set("total", String(question.total));
  if (question.sort) asked.set("sort", question.sort);
  if (question.descending) asked.set("descending", "true");
  if (question.filter) asked.set("filter", JSON.stringify(question.filter));
  return read(mapId, subject, "rows", asked, signal);
}

/** Counts, ends and middle of a column's values; which of them depends on its type. */
export function readStatistics(mapId: string, subject: Subject, column: string, signal?: AbortSignal): Promise<Row> {
  return read(mapId, subject, "stats", new URLSearchParams({ column }), signal);
}

/** How many features of the layer are within the bounds. */
export async function countWithin(mapId: string, layerId: string, bounds: readonly number[], signal?: AbortSignal): Promise<number> {
  const asked = new URLSearchParams({ bounds: bounds.join(",") });
  return (await read<{ count: number }>(mapId, ofLayer(layerId), "count", asked, signal)).count;
}

/** Where these features of the layer lie; null where none has a place. */
export async function readBounds(mapId: string, layerId: string, filter: Cql2): Promise<[number, number, number, number] | null> {
  const asked = new URLSearchParams({ filter: JSON.stringify(filter) });
  return (await read<{ bounds: [number, number, number, number] | null }>(mapId, ofLayer(layerId), "bounds", asked)).bounds;
}

/** How the values of a column are spread. `filter`, CQL2 as JSON or `null`, counts in place of the layer's own. */
export function readHistogram(
  mapId: string, layerId: string, { column, bins, filter }: { column: string; bins: number; filter: string }, signal?: AbortSignal,
): Promise<Histogram> {
  return read(mapId, ofLayer(layerId), "histogram", new URLSearchParams({ column, bins: String(bins), filter }), signal);
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
  return (await read<{ values: Frequent[] }>(mapId, ofLayer(layerId), "values", asked, signal)).values;
}

export const ofLayer = (id: string): Subject => ({ kind: "layers", id });

function read<Body>(mapId: string, { kind, id }: Subject, what: string, asked: URLSearchParams, signal?: AbortSignal): Promise<Body> {
  return ask(`/api/maps/${mapId}/${kind}/${encodeURIComponent(id)}/${what}?${asked}`, signal);
}
