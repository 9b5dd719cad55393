/** Which figure of an answer is looked at. */
import { signal } from "@preact/signals";
import type { Figure, FigureSource } from "../protocol/types";

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
