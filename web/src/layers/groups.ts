/**
 * Groups of layers in the panel. A group is the name that its layers have in common; which groups are folded is this
 * browser's own.
 */
import { signal } from "@preact/signals";
import { local } from "../browser/storage";
import { t } from "../i18n/i18n";
import type { Layer } from "../protocol/types";
import { changeGroup, reorderLayers } from "../session/commands";
import { savedView } from "../instance/state";
import { layers, map } from "../store/store";

/** Layers that are shown together, top first; `group` is null for a layer outside of groups. */
export interface Section {
  group: string | null;
  layers: Layer[];
}

/** The group whose name is being changed. */
export const renaming = signal<string | null>(null);
const folds = signal<{ map: string; groups: readonly string[] }>({ map: "", groups: [] });

/** What the panel shows, from layers that are sorted top first. Pure. */
export function sections(sorted: readonly Layer[]): Section[] {
  const found: Section[] = [];
  for (const layer of sorted) {
    const group = layer.group ?? null;
    const there = group === null ? undefined : found.find((section) => section.group === group);
    if (there === undefined) found.push({ group, layers: [layer] });
    else there.layers.push(layer);
  }
  return found;
}

/** An order, bottom first, in which the layers of a block (top first) lie where the topmost of them is. Pure. */
export function inBlock(order: readonly string[], block: readonly string[]): string[] {
  const [top] = block;
  return order.flatMap((id) => (id === top ? block.toReversed() : block.includes(id) ? [] : [id]));
}

/**
 * The group of a layer at its place in an order, bottom first: that of both neighbours, or still its own beside one of it.
 * Pure.
 */
export function groupAt(order: readonly string[], all: readonly Layer[], id: string): string | null {
  const group = (other: string | undefined) => all.find((layer) => layer.id === other)?.group ?? null;
  const own = group(id);
  const at = order.indexOf(id);
  const [below, above] = [group(order[at - 1]), group(order[at + 1])];
  if (below !== null && below === above) return below;
  const isLast = own !== null && all.filter((layer) => layer.group === own).length === 1;
  return own !== null && (isLast || below === own || above === own) ? own : null;
}

/** Puts a layer where it is in this order, and into or out of a group with that. */
export function arrange(order: string[], id: string): void {
  const group = groupAt(order, layers.value, id);
  const own = layers.value.find((layer) => layer.id === id)?.group ?? null;
  if (group === own) void reorderLayers(order);
  else void changeGroup({ layers: [id], group, order });
}

export const groupNames = (): string[] => [...new Set(layers.value.flatMap(({ group }) => (group == null ? [] : [group])))];

/** Puts a layer into a new group, whose name can be typed at once. */
export function startGroup(id: string): void {
  const taken = groupNames();
  let number = 1;
  while (taken.includes(t("groupNamed", { n: number }))) number += 1;
  const group = t("groupNamed", { n: number });
  renaming.value = group;
  void changeGroup({ layers: [id], group });
}

/** One step up or down past what lies beside the group; where it lies then, counted from the top. */
export function shiftGroup(group: string, step: 1 | -1): number | null {
  const all = sections(layers.value.toReversed());
  const at = all.findIndex((section) => section.group === group);
  const to = at - step;
  if (at < 0 || to < 0 || to >= all.length) return null;
  const moved = all.toSpliced(at, 1).toSpliced(to, 0, all[at]!);
  void reorderLayers(moved.flatMap((section) => section.layers.map(({ id }) => id)).toReversed());
  return to + 1;
}

/** For everyone; a saved view says no more about these layers then. */
export function showGroup({ layers: members }: Section, visible: boolean): void {
  const ids = members.map(({ id }) => id);
  const saved = savedView.value;
  if (saved !== null) savedView.value = { ...saved, visible: new Map([...saved.visible, ...ids.map((id) => [id, visible] as const)]) };
  void changeGroup({ layers: ids, visible });
}

export const isFolded = (group: string): boolean => folded().includes(group);

export function fold(group: string, isFolding: boolean): void {
  const others = folded().filter((it) => it !== group);
  folds.value = { map: map.value?.mapId ?? "", groups: isFolding ? [...others, group] : others };
  local.setItem(storedAt(folds.value.map), JSON.stringify(folds.value.groups));
}

function folded(): readonly string[] {
  const id = map.value?.mapId ?? "";
  return folds.value.map === id ? folds.value.groups : (JSON.parse(local.getItem(storedAt(id)) ?? "[]") as string[]);
}

const storedAt = (mapId: string) => `geoagent.folded.${mapId}`;
