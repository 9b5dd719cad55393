/** What each part of the style editor is handed. */
import type { Column, Layer, StyleSpec } from "../../protocol/types";
import type { Look } from "./live";

export interface PartProps {
  layer: Layer;
  /** For everyone. */
  change: (part: Partial<StyleSpec>) => Promise<void>;
  /** On this page only; null ends it. */
  preview: (look: Look | null) => void;
}

export function named(columns: readonly Column[]): (readonly [string, string])[] {
  return columns.map(({ name }) => [name, name]);
}
