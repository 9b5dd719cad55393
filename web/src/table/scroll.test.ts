import { describe, expect, it } from "vitest";
import { MOST, ROW, type Scroll, scrolled, settled, type View } from "./scroll";

const START: Scroll = { top: 0, shift: 0 };
const few: View = { total: 1000, height: 10 * ROW };
const many: View = { total: 1_000_000, height: 10 * ROW };
const row = ({ top, shift }: Scroll) => top / ROW + shift;

describe("a table that fits", () => {
  it("scrolls by pixels", () => {
    expect(scrolled(START, 48, few)).toEqual({ top: 48, shift: 0 });
    expect(scrolled(START, 20_000, few)).toEqual({ top: 20_000, shift: 0 });
    expect(settled({ top: 48, shift: 0 }, few)).toEqual({ top: 48, shift: 0 });
  });
});

describe("a table of a million rows", () => {
  const end = MOST * ROW - many.height;

  it("reaches both ends", () => {
    expect(row(scrolled(START, end, many))).toBe(999_990);
    expect(row(scrolled({ top: 900, shift: 400 }, 0, many))).toBe(0);
  });

  it("goes anywhere by the scroll bar", () => {
    expect(row(scrolled(START, end / 2, many))).toBeCloseTo(499_995, 0);
  });

  it("moves row by row by the wheel, at any place, and comes by every row", () => {
    let at = scrolled(START, end / 2, many);
    const first = row(at);
    for (let i = 1; i <= 500; i++) {
      at = scrolled(at, at.top + ROW / 2, many);
      expect(row(at)).toBeCloseTo(first + i / 2, 6);
      // Between two movements the scroll bar goes where the rows are among all.
      if (i % 20 === 0) at = settled(at, many);
    }
  });

  it("puts the scroll bar where the rows are among all, to a row", () => {
    for (const top of [0, end / 4, end / 2, end]) {
      const at = settled(scrolled(START, top, many), many);
      expect(Math.abs(at.top - top)).toBeLessThanOrEqual(ROW);
      const moved = settled({ top: at.top - 10_000 * ROW, shift: at.shift + 10_000 }, many);
      expect(row(moved)).toBeCloseTo(row(at), 6);
      expect(Math.abs(moved.top - top)).toBeLessThanOrEqual(2 * ROW);
    }
  });
});
