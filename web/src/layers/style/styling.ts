/** Which layer the style inspector shows, what it previews, and the one way by which a style is changed by hand. */
import { signal } from "@preact/signals";
import type { Layer, StyleSpec } from "../../protocol/types";
import { updateLayer } from "../../session/commands";
import { openSide } from "../../ui/page/side";

export type Tab = "style" | "filter";

export const inspected = signal<{ layerId: string; tab: Tab } | null>(null);

/** A layer as this page alone draws it while a control is being dragged; the version that it is drawn in place of. */
export const previewed = signal<Layer | null>(null);

/** The layer as it is previewed; its own look as soon as it has another version. */
export function asPreviewed(layer: Layer): Layer {
  const preview = previewed.value;
  return preview?.id === layer.id && preview.version === layer.version ? preview : layer;
}

export function openInspector(layerId: string, tab: Tab = "style"): void {
  inspected.value = { layerId, tab };
  openSide("layer");
}

const waiting = new Map<string, { style: StyleSpec; count: number }>();

/** Changes parts of a style for everyone. A change goes on top of those that are still on their way, for the whole style is sent. */
export async function restyle(layer: Layer, part: Partial<StyleSpec>): Promise<void> {
  const { layers: _, ...style } = layer.style;
  const mine = waiting.get(layer.id) ?? { style, count: 0 };
  waiting.set(layer.id, mine);
  mine.style = { ...mine.style, ...part };
  mine.count += 1;
  const taken = await updateLayer(layer.id, { style: mine.style });
  mine.count -= 1;
  if ((mine.count === 0 || !taken) && waiting.get(layer.id) === mine) waiting.delete(layer.id);
  if (mine.count === 0 && previewed.peek()?.id === layer.id) previewed.value = null;
}

/** Hides the features of an entry of the legend, or shows them again; with `alone` hides those of all others. */
export function toggleEntry(layer: Layer, label: string, alone = false): void {
  const { entries } = layer.legend;
  const hidden = entries.filter((entry) => entry.hidden).map((entry) => entry.label);
  const others = entries.filter((entry) => entry.label !== label).map((entry) => entry.label);
  const isAlone = hidden.length === others.length && !hidden.includes(label);
  const toggled = hidden.includes(label) ? hidden.filter((it) => it !== label) : [...hidden, label];
  void restyle(layer, { hidden: alone ? (isAlone ? [] : others) : toggled });
}
