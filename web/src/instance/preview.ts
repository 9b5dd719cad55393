/** A layer as this page alone draws it while a control is being dragged. */
import { signal } from "@preact/signals";
import type { Layer } from "../protocol/types";

/** With the version that it is drawn in place of. */
export const previewed = signal<Layer | null>(null);

/** The layer as it is previewed; its own look as soon as it has another version. */
export function asPreviewed(layer: Layer): Layer {
  const preview = previewed.value;
  return preview?.id === layer.id && preview.version === layer.version ? preview : layer;
}
