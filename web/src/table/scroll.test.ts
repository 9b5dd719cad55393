import { describe, expect, it } from "vitest";
import { bodyHeight, HIGHEST, ROW, type Scroll, scrolled, topOf, type View } from "./scroll";

const START: Scroll = { top: 0, row: 0 };
const few: View = { total: 1000, height: 10 * ROW };
const many: View = { total: 1_000_000, height: 10 * ROW };

describe("a table that fits", () => {
  it("scrolls by pixels", () => {
    expect(bodyHeight(few.total)).toBe(32_000);
    expect(scrolled(START, 48, few)).toEqual({ top: 48, row: 1.5 });
    expect(topOf(1.5, few)).toBe(48);
  });
});

describe("a table of a million rows", () => {
  const end = HIGHEST - many.height;

  it("reaches both ends", () => {
    expect(bodyHeight(many.total)).toBe(HIGHEST);
    expect(scrolled(START, end, many).row).toBe(999_990);
    expect(scrolled({ top: 900, row: 400 }, 0, many).row).toBe(0);
  });

  it("goes anywhere by the scroll bar", () => {
    expect(scrolled(START, end / 2, many).row).toBeCloseTo(499_995, 0);
  });

  it("moves row by row by the wheel, at any place, and comes by every row", () => {
    let at = scrolled(START, end / 2, many);
    const first = at.row;
    for (let i = 1; i <= 500; i++) {
      at = scrolled(at, at.top + ROW / 2, many);
      expect(at.row).toBeCloseTo(first + i / 2, 6);
      // Between two movements the scroll bar goes where the row is among all.
      if (i % 20 === 0) at = { ...at, top: topOf(at.row, many) };
    }
  });

  it("puts the scroll bar where the row is among all", () => {
    expect(topOf(999_990, many)).toBe(end);
    expect(topOf(0, many)).toBe(0);
    const at = scrolled(START, end / 4, many);
    expect(topOf(at.row, many)).toBeCloseTo(end / 4, 3);
  });
});
