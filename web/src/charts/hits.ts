/** What lies under the pointer or the brush, and what is chosen, in the units of the data. Pure. */
import { keyOf, type Part, type Shape, type Stop } from "./shape";

export type Parts = Part[];
/** Least and greatest x, least and greatest y. */
export type Window = [number, number, number, number];
export type Chosen = Stop | Parts | Window | null;

/** What is made conspicuous: marks by `keyOf`, and points. */
export interface Marked {
  keys: ReadonlySet<string>;
  points: readonly (readonly [number, number])[];
}

const REACH = 10;

/** `perPixel` are the units of one pixel along both axes. A point is named by its index. */
export function hits(shape: Shape, across: number, value: number, acrossPerPixel: number, valuePerPixel: number): Stop | null {
  const distance = (x: number, y: number) => Math.hypot((x - across) / acrossPerPixel, (y - value) / valuePerPixel);
  if (shape.points !== null) {
    const { x, y } = shape.points;
    let [best, nearest] = [-1, REACH];
    for (let index = 0; index < x.length; index++) {
      const far = distance(x[index] ?? 0, y[index] ?? 0);
      if (far < nearest) [best, nearest] = [index, far];
    }
    return best < 0 ? null : best;
  }
  if (shape.kind === "line") {
    const near = shape.marks.filter((mark) => Math.abs(mark.start - across) / acrossPerPixel < 2 * REACH);
    return near.toSorted((a, b) => distance(a.start, a.high) - distance(b.start, b.high))[0] ?? null;
  }
  const column = shape.marks.filter((mark) => across >= mark.start && across < mark.end);
  // Bars that are too low to be hit are found anywhere above them.
  return column.find((mark) => value >= mark.low && value <= mark.high) ?? column.at(-1) ?? null;
}

/** The places that lie at least partly within, once each, in all their series. */
export function partsWithin(shape: Shape, from: number, to: number): Parts {
  const places = shape.marks.filter((mark) => mark.end >= from && mark.start <= to).map((mark) => mark.place);
  return [...new Set(places)].map((place) => ({ place, series: null }));
}

/** Whether a mark or point is chosen, alone or with others. */
export function isChosen({ points }: Shape, chosen: Chosen, stop: Stop): boolean {
  if (chosen === null) return false;
  if (!Array.isArray(chosen)) return isSame(chosen, stop);
  if (typeof stop === "object") return isParts(chosen) && chosen.some(({ place }) => place === stop.place);
  if (isParts(chosen)) return false;
  const [x, y] = [points?.x[stop] ?? NaN, points?.y[stop] ?? NaN];
  return x >= chosen[0] && x <= chosen[1] && y >= chosen[2] && y <= chosen[3];
}

/** Whether both are the same single mark or point. */
export function isSame(a: Chosen, b: Chosen): boolean {
  if (a === null || b === null || Array.isArray(a) || Array.isArray(b)) return false;
  return typeof a === "number" || typeof b === "number" ? a === b : keyOf(a) === keyOf(b);
}

export const isParts = (chosen: Parts | Window): chosen is Parts => typeof chosen[0] !== "number";

/** What is pointed at here, what is chosen, and what the map points at: places and series, or x and y. */
export function markedOf(shape: Shape, over: Stop | null, pinned: Chosen, fromMap: readonly (readonly [number, number, ...unknown[]])[]): Marked {
  const keys = new Set(shape.marks.filter((mark) => isSame(mark, over) || isChosen(shape, pinned, mark)).map(keyOf));
  const points: [number, number][] = [];
  for (const point of [over, pinned]) if (typeof point === "number") points.push([shape.points?.x[point] ?? 0, shape.points?.y[point] ?? 0]);
  for (const [first, second] of fromMap) {
    if (shape.points !== null) points.push([first, second]);
    else keys.add(keyOf({ place: first, series: second }));
  }
  return { keys, points };
}
