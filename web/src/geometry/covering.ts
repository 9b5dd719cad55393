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

const ROOM = 24;

/** How far a map moves, in pixels, so that a point of the page is beside a card on it; null where it is not under it. */
export function besideCard({ x, y }: { x: number; y: number }, map: Box, card: Box): [number, number] | null {
  if (x < card.left - ROOM || x > card.right + ROOM || y < card.top - ROOM || y > card.bottom + ROOM) return null;
  const ways: [number, number][] = [];
  if (card.left - ROOM > map.left + ROOM) ways.push([x - card.left + ROOM, 0]);
  if (card.right + ROOM < map.right - ROOM) ways.push([x - card.right - ROOM, 0]);
  if (card.top - ROOM > map.top + ROOM) ways.push([0, y - card.top + ROOM]);
  if (card.bottom + ROOM < map.bottom - ROOM) ways.push([0, y - card.bottom - ROOM]);
  return ways.toSorted((one, other) => Math.hypot(...one) - Math.hypot(...other))[0] ?? null;
}

/** The four parts of a box that a panel in it leaves. */
function beside(box: Box, panel: Box): Box[] {
  return [
    { ...box, left: panel.right }, { ...box, right: panel.left }, { ...box, top: panel.bottom }, { ...box, bottom: panel.top },
  ].filter((part) => area(part) > 0);
}
