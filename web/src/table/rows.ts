/** The rows of a layer, as the server gives them: `GET /api/maps/…/layers/…/rows`. */
import type { Cql2 } from "../layers/cql2";

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
  sort?: string | null;
  descending?: boolean;
  filter?: Cql2 | null;
}

/** Rejects with words for people. */
export async function readRows(mapId: string, layerId: string, question: Question, signal?: AbortSignal): Promise<Page> {
  const asked = new URLSearchParams({ limit: String(question.limit) });
  if (question.offset) asked.set("offset", String(question.offset));
  if (question.sort) asked.set("sort", question.sort);
  if (question.descending) asked.set("descending", "true");
  if (question.filter) asked.set("filter", JSON.stringify(question.filter));
  const address = `/api/maps/${mapId}/layers/${encodeURIComponent(layerId)}/rows?${asked}`;
  const answer = await fetch(address, { signal: signal ?? null });
  const body = (await answer.json()) as Page & { error?: { message: string } };
  if (body.error !== undefined) throw new Error(body.error.message);
  return body;
}
