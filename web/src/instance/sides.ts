/** Which layers each side of a comparison shows. Pure. */
import type { Layer } from "../protocol/types";

export type Side = "left" | "right";
export type Pair = Record<Side, string>;

/** On its side a compared layer is shown, also a hidden one; on the other it is not. All others are on both. */
export function layersOf(layers: readonly Layer[], pair: Pair, side: Side): Layer[] {
  return layers.map((layer) => {
    const visible = layer.id === pair[side] || (layer.id !== pair.left && layer.id !== pair.right && layer.visible);
    return visible === layer.visible ? layer : { ...layer, visible };
  });
}

/** The topmost other layer that can be drawn. */
export function otherLayer(layers: readonly Layer[], id: string): string | undefined {
  return layers.findLast((layer) => layer.id !== id && layer.geometry_type !== "none")?.id;
}
