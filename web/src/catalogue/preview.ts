/** A look at the table that is open in the catalogue: its shapes, on this person's map only, and what is noted of it. */
import type { FeatureCollection } from "geojson";
import { addressOf } from "../data/tables";
import { NO_SHAPES, previewedShapes } from "../instance/preview";

let asked = 0;

/** Shows the table, or with null none; a late answer to an earlier question does not count. */
export async function look(table: string | null): Promise<void> {
  const own = ++asked;
  previewedShapes.value = NO_SHAPES;
  if (table === null) return;
  const answer = await fetch(addressOf(`/${encodeURIComponent(table)}/preview`)).catch(() => null);
  const found = answer?.ok === true ? ((await answer.json()) as typeof NO_SHAPES) : NO_SHAPES;
  if (own === asked) previewedShapes.value = found;
}

/** Shows these shapes, of files that are not loaded yet. */
export function lookAtShapes(features: FeatureCollection["features"]): void {
  asked += 1;
  previewedShapes.value = { ...NO_SHAPES, features };
}
