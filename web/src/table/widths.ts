/** How wide the columns of the table are, and which of them hold numbers, by what is in them. Pure. */
import { formatValue } from "../i18n/format";
import type { Row } from "../data/rows";

const ROWS_READ = 100;
/** Pixels of a character at the size of the table. */
const CHARACTER = 7.5;
/** Room on both sides of a cell, and of the menu in a header. */
const [PADDING, MENU] = [24, 32];
export const LEAST = 80;
const MOST = 320;

export interface Width {
  name: string;
  pixels: number;
  /** All values are numbers, so they end where their header ends. */
  isNumber: boolean;
}

export function widthsOf(columns: readonly string[], rows: readonly Row[]): Width[] {
  const read = rows.slice(0, ROWS_READ);
  return columns.map((name) => {
    const values = read.map((row) => row[name]).filter((value) => value != null);
    const longest = Math.max(0, ...values.map((value) => formatValue(name, value).length));
    const wanted = Math.max(longest * CHARACTER, name.length * CHARACTER + MENU) + PADDING;
    return {
      name,
      pixels: Math.round(Math.max(LEAST, Math.min(MOST, wanted))),
      isNumber: values.length > 0 && values.every((value) => typeof value === "number"),
    };
  });
}
