/** For the keyboard: the map is moved by the arrow keys under a pointer in its middle, and the space bar clicks there. */
import type { Stop } from "../../ui/stops";
import type { MapView } from "../view";

export function installMiddlePointer(view: MapView): Stop {
  const { map } = view;
  const canvas = map.getCanvas();
  const over = new AbortController();
  const send = (kind: typeof MouseEvent | typeof PointerEvent, name: string, buttons = 0) => {
    const { left, top } = canvas.getBoundingClientRect();
    const { x, y } = view.middle();
    canvas.dispatchEvent(new kind(name, {
      clientX: left + x, clientY: top + y, button: name === "pointermove" ? -1 : 0, buttons, bubbles: true, isPrimary: true,
    } as PointerEventInit));
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.repeat) return;
    event.preventDefault();
    send(PointerEvent, "pointermove");
    send(PointerEvent, "pointerdown", 1);
    send(MouseEvent, "mousedown", 1);
    send(PointerEvent, "pointerup");
    send(MouseEvent, "mouseup");
    send(MouseEvent, "click");
  }, { signal: over.signal });
  map.on("move", ({ originalEvent }) => originalEvent instanceof KeyboardEvent && send(PointerEvent, "pointermove"));
  return () => over.abort();
}
