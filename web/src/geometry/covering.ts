/** How much room panels over the map take at each of its sides, so that what is zoomed to lies beside them. Pure. */

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type Insets = Box;

/** Beyond that share of the map, panels are ignored rather than leaving too little of it. */
const MOST_COVERED = 0.7;

const area = ({ left, top, right, bottom }: Box): number => Math.max(0, right - left) * Math.max(0, bottom - top);
const overlap = (a: Box, b: Box): Box => ({
  left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
});

/** The largest part of the map beside all panels, as pixels from its sides. */
export function covering(map: Box, panels: readonly Box[]): Insets {
  const free = panels.map((panel) => overlap(map, panel)).filter((panel) => area(panel) > 0).reduce<Box[]>(
    (parts, panel) => parts.flatMap((part) => (area(overlap(part, panel)) === 0 ? [part] : beside(part, panel))),
    [map],
  );
  const [largest] = free.toSorted((a, b) => area(b) - area(a));
  if (largest === undefined || area(largest) < area(map) * (1 - MOST_COVERED)) return { left: 0, top: 0, right: 0, bottom: 0 };
  return {
    left: largest.left - map.left, top: largest.top - map.top, right: map.right - largest.right, bottom: map.bottom - largest.bottom,
  };
}

/** The four parts of a box that a panel in it leaves. */
function beside(box: Box, panel: Box): Box[] {
  return [
    { ...box, left: panel.right }, { ...box, right: panel.left }, { ...box, top: panel.bottom }, { ...box, bottom: panel.top },
  ].filter((part) => area(part) > 0);
}
