/** What lies under the pointer or the brush, in the units of the data. Pure. */
import type { Mark, Part, Shape } from "./shape";

export type Parts = Part[];
/** Least and greatest x, least and greatest y. */
export type Window = [number, number, number, number];

const REACH = 10;

/** `perPixel` are the units of one pixel along both axes. A point is named by its index. */
export function hits(shape: Shape, across: number, value: number, acrossPerPixel: number, valuePerPixel: number): Mark | number | null {
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
