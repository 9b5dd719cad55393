/** Which layer the style inspector shows, what it previews, and the one way by which a style is changed by hand. */
import { signal } from "@preact/signals";
import type { Layer, StyleSpec } from "../../protocol/types";
import { updateLayer } from "../../session/commands";
import { previewed } from "../../instance/preview";
import { openSide } from "../../ui/page/side";
import { makeRoom } from "../../instance/open";

export type Tab = "style" | "filter";

export const inspected = signal<{ layerId: string; tab: Tab } | null>(null);

export function openInspector(layerId: string, tab: Tab = "style"): void {
  inspected.value = { layerId, tab };
  makeRoom();
  openSide("layer");
}

interface Waiting {
  style: StyleSpec;
  count: number;
}

/** Styles that were sent and not yet answered, by layer. */
const waiting = signal<ReadonlyMap<string, Waiting>>(new Map());

const wait = (layerId: string, entry: Waiting | null): void => {
  const others = [...waiting.peek()].filter(([id]) => id !== layerId);
  waiting.value = new Map(entry === null ? others : [...others, [layerId, entry]]);
};

/** The layer with the style that was asked for: what the controls show, so that none of them jumps back before the answer. */
export function asAsked(layer: Layer): Layer {
  const mine = waiting.value.get(layer.id);
  return mine === undefined ? layer : { ...layer, style: { ...layer.style, ...mine.style } };
}

/** Changes parts of a style for everyone. A change goes on top of those that are still on their way, for the whole style is sent. */
export async function restyle(layer: Layer, part: Partial<StyleSpec>): Promise<void> {
  const { layers: _, ...style } = layer.style;
  const before = waiting.peek().get(layer.id) ?? { style, count: 0 };
  const mine = { style: { ...before.style, ...part }, count: before.count + 1 };
  wait(layer.id, mine);
  const taken = await updateLayer(layer.id, { style: mine.style });
  const now = waiting.peek().get(layer.id);
  const count = (now?.count ?? 1) - 1;
  wait(layer.id, now === undefined || count === 0 || !taken ? null : { ...now, count });
  if (count === 0 && previewed.peek()?.id === layer.id) previewed.value = null;
}

/** Hides the features of an entry of the legend, or shows them again; with `alone` hides those of all others. */
export function toggleEntry(layer: Layer, label: string, alone = false): void {
  const labels = layer.legend.entries.map((entry) => entry.label);
  const asked = asAsked(layer).style.hidden ?? [];
  const hidden = labels.filter((it) => asked.includes(it));
  const others = labels.filter((it) => it !== label);
  const isAlone = hidden.length === others.length && !hidden.includes(label);
  const toggled = hidden.includes(label) ? hidden.filter((it) => it !== label) : [...hidden, label];
  void restyle(layer, { hidden: alone ? (isAlone ? [] : others) : toggled });
}
