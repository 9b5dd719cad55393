/**
 * Which row is on top. Browsers draw no element higher than some millions of pixels, so a longer table has a scroll bar
 * in larger steps: dragging it goes anywhere, while wheel, touch and keys still move by pixels and rows. Pure.
 */

export const ROW = 32;
export const HIGHEST = 8_000_000;

/** `height` is that of the rows in view, in pixels. */
export interface View {
  total: number;
  height: number;
}

/** `top` is where the scroll bar stands, `row` the row on top, in parts. */
export interface Scroll {
  top: number;
  row: number;
}

export function bodyHeight(total: number): number {
  return Math.min(total * ROW, HIGHEST);
}

/** The scroll bar was moved to `top`, by a little or by far. */
export function scrolled(before: Scroll, top: number, view: View): Scroll {
  const [mostTop, mostRow] = ends(view);
  if (view.total * ROW <= HIGHEST) return { top, row: top / ROW };
  if (top <= 0 || top >= mostTop - 1) return { top, row: top <= 0 ? 0 : mostRow };
  const by = top - before.top;
  if (Math.abs(by) > 2 * view.height) return { top, row: (top / mostTop) * mostRow };
  return { top, row: Math.min(mostRow, Math.max(0, before.row + by / ROW)) };
}

/** Where the scroll bar belongs when this row is on top. */
export function topOf(row: number, view: View): number {
  const [mostTop, mostRow] = ends(view);
  return view.total * ROW <= HIGHEST ? row * ROW : (row / mostRow) * mostTop;
}

function ends({ total, height }: View): [top: number, row: number] {
  return [Math.max(0, bodyHeight(total) - height), Math.max(0, total - height / ROW)];
}
