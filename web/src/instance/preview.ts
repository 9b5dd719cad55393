/** What this page alone draws: a layer while a control is being dragged, and shapes that are not on the map yet. */
import { signal } from "@preact/signals";
import type { FeatureCollection } from "geojson";
import type { Layer } from "../protocol/types";

/** With the version that it is drawn in place of. */
export const previewed = signal<Layer | null>(null);

/** The layer as it is previewed; its own look as soon as it has another version. */
export function asPreviewed(layer: Layer): Layer {
  const preview = previewed.value;
  return preview?.id === layer.id && preview.version === layer.version ? preview : layer;
}

interface Shapes extends FeatureCollection {
  notes: { title: string; body: string }[];
}

export const NO_SHAPES: Shapes = { type: "FeatureCollection", features: [], notes: [] };

/** Shapes of the table that is open in the catalogue, with what is noted of it, or of files that are not loaded yet. */
export const previewedShapes = signal(NO_SHAPES);
