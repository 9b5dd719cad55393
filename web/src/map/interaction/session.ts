/** What is being drawn, by a mode that draws, from when it can be used until it ends; and where the pointer is. */
import { computed, signal } from "@preact/signals";
import type { Map as MapLibre } from "maplibre-gl";
import { areaOf, lengthOf } from "../../geometry/geodesy";
import type { Position } from "../../geometry/types";
import { tool } from "../../instance/selection";

export interface Session {
  /** Ends the shape that is being drawn. */
  finish(): void;
  /** Gives up the shape that is being drawn; whether there was one, or another reason to stay in the mode. */
  giveUp(): boolean;
  stop(): void;
}

/** `layerIds` are the layers on the map, bottom first. */
export type Begin = (map: MapLibre, layerIds: () => string[]) => Session;

export const session = signal<Session | null>(null);

/** The shape that is being drawn, and how many of its corners are set: the last one may still follow the pointer. */
export const sketch = signal<{ line: Position[]; corners: number } | null>(null);

/** Where the pointer is on the map; null when it is elsewhere. */
export const pointer = signal<{ x: number; y: number; position: Position } | null>(null);

/** Whether there are corners enough for an area. */
export const isArea = computed(() => tool.value === "area" && (sketch.value?.corners ?? 0) >= 3);

/** Length in metres and area in square metres of the measured shape. */
export const measured = computed(() => {
  const { line, corners } = (tool.value === "measure" ? sketch.value : null) ?? { line: [], corners: 0 };
  return line.length < 2 ? null : { length: lengthOf(line), area: corners >= 3 ? areaOf(line) : null };
});
