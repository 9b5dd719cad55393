/**
 * Rows of tables that are higher than browsers draw elements, which is some millions of pixels. The list has `MOST` rows
 * at most; `shift` is by how many the first of them is not the first of the table. Dragging the scroll bar goes anywhere,
 * while wheel, touch and keys still move by pixels and rows. Pure.
 */

export const ROW = 32;
export const MOST = 250_000;

/** `height` is that of the rows in view, in pixels. */
export interface View {
  total: number;
  height: number;
}

/** `top` is the position of the scroll bar. */
export interface Scroll {
  top: number;
  shift: number;
}

/** The scroll bar was moved to `top`, by a little or by far. */
export function scrolled(before: Scroll, top: number, { total, height }: View): Scroll {
  const [last, more] = [MOST * ROW - height, total - MOST];
  if (more <= 0 || top <= 0) return { top, shift: 0 };
  if (top >= last - 1) return { top, shift: more };
  const isFar = Math.abs(top - before.top) > 2 * height;
  return { top, shift: isFar ? Math.round((top / last) * more) : Math.min(more, before.shift) };
}

/** The same rows in view, with the scroll bar where they are among all. */
export function settled({ top, shift }: Scroll, { total, height }: View): Scroll {
  const more = total - MOST;
  if (more <= 0) return { top, shift: 0 };
  const row = top / ROW + shift;
  const proper = Math.round((row / (total - height / ROW)) * more);
  return { top: (row - proper) * ROW, shift: proper };
}
