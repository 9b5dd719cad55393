import { describe, expect, it } from "vitest";
import { anchorAt, GUESS, starts, windowOf } from "./window";

const keys = Array.from({ length: 1000 }, (_, index) => `turn-${index}`);
const heights = new Map(keys.map((key, index) => [key, 50 + (index % 7) * 30]));

describe("the window", () => {
  it("guesses what was never seen", () => {
    expect(starts(["a", "b", "c"], new Map([["b", 10]]))).toEqual([0, GUESS, GUESS + 10, 2 * GUESS + 10]);
  });

  it("holds all rows in sight, few others, and leaves the height as it is", () => {
    const places = starts(keys, heights);
    for (const top of [0, 1, 777, 50_000, places[1000]! - 600]) {
      const { first, end, before, after } = windowOf(places, top, top + 600, 300);
      expect(before).toBeLessThanOrEqual(Math.max(0, top));
      expect(places[end]!).toBeGreaterThanOrEqual(Math.min(top + 600, places[1000]!));
      expect(end - first).toBeLessThan(26);
      expect(before + (places[end]! - places[first]!) + after).toBe(places[1000]);
    }
  });

  it("finds the row at a place, so that it can be found again when rows come before it", () => {
    const places = starts(keys, heights);
    const anchor = anchorAt(keys, places, 40_123)!;
    expect(places[keys.indexOf(anchor.key)]! + anchor.below).toBe(40_123);
    const more = [...Array.from({ length: 500 }, (_, index) => `older-${index}`), ...keys];
    const later = starts(more, heights);
    expect(later[more.indexOf(anchor.key)]! + anchor.below).toBe(40_123 + 500 * GUESS);
  });

  it("is empty where there is nothing", () => {
    expect(anchorAt([], [0], 0)).toBeNull();
    expect(windowOf([0], 0, 600, 300)).toEqual({ first: 0, end: 0, before: 0, after: 0 });
  });
});
