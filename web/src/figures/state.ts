/** Which figure of an answer is looked at, and the rows that stand behind it. */
import { signal } from "@preact/signals";
import { read } from "../connection/read";
import type { Figure, FigureSource } from "../protocol/types";
import type { Page } from "../table/rows";

export interface Looked {
  /** The answer's number in the log. */
  seq: number;
  figure: Figure;
  /** Null: the number was found in no result. */
  source: FigureSource | null;
  /** What the focus returns to. */
  opener: HTMLElement;
}

export const looked = signal<Looked | null>(null);

/** A page of rows, and what is needed to show them on the map. */
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
