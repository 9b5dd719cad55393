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

/** Parts of a style, or the opacity. */
type Wish = { style: Partial<StyleSpec> } | { opacity: number };

/** What was asked for and is not answered yet, by layer, oldest first. */
const pending = signal<ReadonlyMap<string, readonly Wish[]>>(new Map());

const pendingOf = (layerId: string): readonly Wish[] => pending.value.get(layerId) ?? [];

const setPending = (layerId: string, wishes: readonly Wish[]): void => void (pending.value = new Map(pending.peek()).set(layerId, wishes));

/** The layer with all that was asked for: what the controls show, so that none of them jumps back before the answer. */
export function asAsked(layer: Layer): Layer {
  return pendingOf(layer.id).reduce<Layer>(
    (now, wish) => ("style" in wish ? { ...now, style: { ...now.style, ...wish.style } } : { ...now, ...wish }), layer,
  );
}

/** Shows the wish while it is sent. Afterwards the layer shows what became of it, and wishes that came later. */
async function whilePending(layerId: string, wish: Wish, send: () => Promise<unknown>): Promise<void> {
  setPending(layerId, [...pendingOf(layerId), wish]);
  await send();
  setPending(layerId, pendingOf(layerId).filter((it) => it !== wish));
  if (pendingOf(layerId).length === 0 && previewed.peek()?.id === layerId) previewed.value = null;
}

/** Changes parts of a style for everyone. A change goes on top of those that are still on their way, for the whole style is sent. */
export function restyle(layer: Layer, part: Partial<StyleSpec>): Promise<void> {
  const { layers: _, ...style } = asAsked(layer).style;
  return whilePending(layer.id, { style: part }, () => updateLayer(layer.id, { style: { ...style, ...part } }));
}

export const changeOpacity = ({ id }: Layer, opacity: number): Promise<void> =>
  whilePending(id, { opacity }, () => updateLayer(id, { opacity }));

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
