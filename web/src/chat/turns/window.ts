/** Which of many rows of unknown heights are in sight. Pure: heights that were never seen are guessed. */

/** A row and how far (pixels) the upper edge of what is in sight lies below its own. */
export interface Anchor {
  key: string;
  below: number;
}

export interface Window {
  first: number;
  /** One after the last. */
  end: number;
  /** Pixels of the rows before and after. */
  before: number;
  after: number;
}

export const GUESS = 160;

/** Where each row begins, and at last where all end. */
export function starts(keys: readonly string[], heights: ReadonlyMap<string, number>): number[] {
  const places = [0];
  for (const key of keys) places.push((places.at(-1) ?? 0) + (heights.get(key) ?? GUESS));
  return places;
}

/** The anchor for a place; for one beyond the end, the last row. */
export function anchorAt(keys: readonly string[], places: readonly number[], top: number): Anchor | null {
  let [low, high] = [0, keys.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((places[middle] ?? 0) <= top) low = middle;
    else high = middle - 1;
  }
  const key = keys[low];
  return key === undefined ? null : { key, below: top - (places[low] ?? 0) };
}

/** The rows between two places, and `around` pixels more at either side. */
export function windowOf(places: readonly number[], top: number, bottom: number, around: number): Window {
  const count = places.length - 1;
  const total = places[count] ?? 0;
  let first = 0;
  while (first < count - 1 && (places[first + 1] ?? 0) < top - around) first++;
  let end = first;
  while (end < count && (places[end] ?? 0) < bottom + around) end++;
  return { first, end, before: places[first] ?? 0, after: total - (places[end] ?? 0) };
}
