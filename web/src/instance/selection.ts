/** The focus of a message: selected features, a drawn area, or the view. */
import { computed, effect, signal } from "@preact/signals";
import type { Polygon } from "geojson";
import type { Focus } from "../protocol/types";
import type { Bounds, Position } from "../geometry/types";
import { layers } from "../store/store";

export interface Found {
  layerId: string;
  id: string | number | null;
  properties: Record<string, unknown>;
}

export interface Inspection {
  found: Found[];
  /** Which of them is shown. */
  index: number;
  /** Where the map was clicked, in degrees. */
  at?: Position;
  /** How many features of a cell are listed, where it holds more. */
  listed?: number;
}

export interface Selection {
  layerId: string;
  ids: (string | number)[];
}

/** What a click on the map does. */
export type Tool = "look" | "select" | "lasso" | "area" | "measure" | "draw" | "comment";

/** Whether the tool is used by a drag, which then does not move the map. */
export const drags = (it: Tool): boolean => it === "select" || it === "lasso";

export const tool = signal<Tool>("look");
/** The corners of the area that the next message means. */
export const drawnArea = signal<Position[] | null>(null);
export const areaShape = computed<Polygon | null>(() => {
  const [first, ...others] = drawnArea.value ?? [];
  return first === undefined ? null : { type: "Polygon", coordinates: [[first, ...others, first]] };
});
export const boxed = signal<Selection | null>(null);
/** What the pointer is over, on the map. */
export const pointed = signal<Selection | null>(null);
/** Features that a chart points at. */
export const hinted = signal<Selection | null>(null);
export const inspect = signal<Inspection | null>(null);
export const bounds = signal<{ bounds: Bounds; zoom: number } | null>(null);
/** The user may send a message without any focus. */
export const withView = signal(true);

/** The features that the map makes conspicuous, and that "these" means. */
export const marked = computed<Selection | null>(() => {
  const found = inspect.value?.found[inspect.value.index];
  const chosen = found === undefined ? boxed.value : found.id === null ? null : { layerId: found.layerId, ids: [found.id] };
  return layers.value.some((it) => it.id === chosen?.layerId) ? chosen : null;
});

// The selection of a layer is removed with it, and not restored with another layer of the same name.
effect(() => {
  const known = new Set(layers.value.map(({ id }) => id));
  const isGone = (it: { layerId: string } | null) => it !== null && !known.has(it.layerId);
  if (isGone(boxed.peek())) boxed.value = null;
  if (inspect.peek()?.found.some(isGone)) inspect.value = null;
});

/** The first of these counts: selection, drawn area, view. The others are sent, too, in case the text names them. */
export const focus = computed<Focus | null>(() => {
  const [selection, area] = [marked.value, areaShape.value];
  const strong: Focus = {
    ...(selection && { layer_id: selection.layerId, feature_ids: selection.ids }),
    ...(area && { area: { type: "Polygon", coordinates: area.coordinates as Position[][] } }),
  };
  if (bounds.value === null) return selection === null && area === null ? null : strong;
  return withView.value || selection !== null || area !== null ? { ...strong, ...bounds.value } : null;
});

/** Takes away what the next message would point at, the strongest first. */
export function dropFocus(): void {
  if (marked.value !== null) {
    inspect.value = null;
    boxed.value = null;
  } else if (drawnArea.value !== null) {
    drawnArea.value = null;
  } else {
    withView.value = false;
  }
}
