/** The rows that stand behind a figure. */
import { read } from "../connection/read";
import type { Looked } from "../instance/figure";
import type { Page } from "../data/rows";

/** A page of rows, with what is needed to show them on the map. */
export interface Rows extends Page {
  table: string;
  drawable: boolean;
  filter: Record<string, unknown> | null;
  bounds: [number, number, number, number] | null;
}

/** Rejects with words for people. */
export function readRows(mapId: string, { seq, figure }: Looked, offset: number, limit: number): Promise<Rows> {
  const asked = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  if (figure.row != null) asked.set("row", String(figure.row));
  return read(`/api/maps/${mapId}/answers/${seq}/sources/${figure.source}/rows?${asked}`);
}
