/**
 * Reordering layers by dragging a row, with a mouse, a pen or a finger. While it is dragged nothing is sent and nothing
 * moves in the document (a finger would lose what it holds); rows only change their place in the layout.
 */
import { signal } from "@preact/signals";
import { reorderLayers } from "../session/commands";
import { arrange, inBlock } from "./groups";
import { layers } from "../store/store";

export const dragged = signal<string | null>(null);
/** The order in which the drag would leave the layers, bottom first. */
export const target = signal<string[] | null>(null);

/** Pixels at the ends of the list where it scrolls by itself. */
const EDGE = 24;
/** Pixels within a row at which it is passed. */
const GRASP = 12;

interface Row {
  id: string;
  top: number;
  bottom: number;
}

/** `block` are the layers that move with it, as those of a group do with the topmost of them. */
export function startDrag(down: PointerEvent, id: string, block: readonly string[] = [id]): void {
  const list = (down.currentTarget as Element).closest<HTMLElement>(".layer-list");
  if (list === null || (down.pointerType === "mouse" && down.button !== 0)) return;
  dragged.value = id;
  let y = down.clientY;
  const move = (event: PointerEvent) => {
    event.preventDefault();
    if (event.clientY !== y) over(list, id, block, event.clientY, event.clientY - y);
    y = event.clientY;
  };
  const end = (event: PointerEvent) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    const order = target.value;
    dragged.value = null;
    target.value = null;
    if (event.type !== "pointerup" || order === null) return;
    if (block.length > 1) void reorderLayers(order);
    else arrange(order, id);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

function over(list: HTMLElement, id: string, block: readonly string[], y: number, step: number): void {
  const { top, bottom } = list.getBoundingClientRect();
  if (y < top + EDGE) list.scrollBy(0, -8);
  if (y > bottom - EDGE) list.scrollBy(0, 8);
  const mine = (other: string) => other !== id && block.includes(other);
  const rows = [...list.querySelectorAll<HTMLElement>("[data-layer]")].map((row) => {
    const box = row.getBoundingClientRect();
    return { id: row.dataset["layer"] ?? "", top: box.top, bottom: box.bottom };
  }).filter((row) => !mine(row.id));
  const now = target.value ?? layers.value.map((layer) => layer.id);
  target.value = inBlock(placed(now, id, rows, y, step), block);
}

/**
 * The order, bottom first, once the pointer that holds the layer moved down (`step` above 0) or up to `y`: it passes a
 * neighbour that the pointer has entered. Rows are not passed against the movement, so that high ones do not flicker. Pure.
 */
export function placed(order: string[], id: string, rows: readonly Row[], y: number, step: number): string[] {
  const at = order.indexOf(id);
  const isBelow = ({ id: other, top, bottom }: Row) => {
    const within = Math.min(GRASP, (bottom - top) / 2);
    return order.indexOf(other) < at ? step <= 0 || y <= top + within : step < 0 && y < bottom - within;
  };
  const below = new Set(rows.filter((row) => row.id !== id && isBelow(row)).map((row) => row.id));
  const others = order.filter((it) => it !== id);
  return others.toSpliced(others.findLastIndex((it) => below.has(it)) + 1, 0, id);
}
