/** What a search may find, in groups, in the order in which they are shown. Pure. */
import type { Layer, Place, Table } from "../protocol/types";
import { type Reading, readings } from "./coordinates";

export type Result =
  | { group: "coordinates"; reading: Reading }
  | { group: "layers"; layer: Layer }
  | { group: "places"; place: Place }
  | { group: "tables"; table: Table };

export const MOST = { layers: 5, places: 6, tables: 5 };

/** `places` and `tables` are what the server found for the same words; layers are known here. */
export function results(words: string, layers: readonly Layer[], places: readonly Place[], tables: readonly Table[]): Result[] {
  const wanted = folded(words);
  if (wanted === "") return [];
  const named = layers.filter((layer) => layer.bounds !== null && folded(`${layer.name} ${layer.table}`).includes(wanted));
  return [
    ...readings(words).map((reading): Result => ({ group: "coordinates", reading })),
    ...named.toReversed().slice(0, MOST.layers).map((layer): Result => ({ group: "layers", layer })),
    ...places.slice(0, MOST.places).map((place): Result => ({ group: "places", place })),
    ...tables.filter((table) => table.geometry_column != null).slice(0, MOST.tables).map((table): Result => ({ group: "tables", table })),
  ];
}

/** Without case and accents. */
export function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase().trim();
}
