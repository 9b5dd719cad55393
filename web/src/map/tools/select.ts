/** Selecting by a drag: a box, or a lasso around what is meant. The topmost layer that has features in it is selected. */
import type { Map as MapLibre } from "maplibre-gl";
import { number, t } from "../../i18n/i18n";
import { notify } from "../../ui/toast";
import type { Position } from "../../geometry/types";
import { touches } from "../../geometry/lasso";
import { styleLayers } from "../tiles/receipts";
import { boxed, inspect, sketch, tool } from "../../instance/selection";

const MOST_SELECTED = 500;
/** Pixels between two corners of a lasso. */
const GRAIN = 3;

type Pixel = [number, number];

/** `layerIds` are the layers on the map, bottom first; `done` is called when the drag has ended. */
export function installSelecting(map: MapLibre, layerIds: () => string[], done: () => void): void {
  const canvas = map.getCanvas();
  canvas.addEventListener("pointerdown", (down) => {
    const kind = tool.value;
    if ((kind !== "select" && kind !== "lasso") || !down.isPrimary) return;
    canvas.setPointerCapture(down.pointerId);
    const over = new AbortController();
    const path: Pixel[] = [[down.offsetX, down.offsetY]];
    const move = ({ offsetX: x, offsetY: y, pointerId }: PointerEvent) => {
      if (pointerId !== down.pointerId) return;
      const [lastX, lastY] = path.at(-1) as Pixel;
      if (kind === "lasso" && Math.hypot(x - lastX, y - lastY) < GRAIN) return;
      if (kind === "select") path.length = 1;
      path.push([x, y]);
      sketch.value = ring(map, kind === "select" ? corners(path) : path);
    };
    const end = (event: PointerEvent) => {
      if (event.pointerId !== down.pointerId) return;
      over.abort();
      if (event.type === "pointerup") {
        swallowClick(map.getCanvasContainer());
        select(map, layerIds(), path, kind === "lasso" ? ring(map, path) : null);
      }
      done();
    };
    const { signal } = over;
    canvas.addEventListener("pointermove", move, { signal });
    canvas.addEventListener("pointerup", end, { signal });
    canvas.addEventListener("pointercancel", end, { signal });
  });
}

/** A drag that ends near its start makes the browser send a click, which would discard what was just selected. */
function swallowClick(container: HTMLElement): void {
  const swallow = (event: Event) => event.stopPropagation();
  container.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => container.removeEventListener("click", swallow, { capture: true }));
}

function select(map: MapLibre, layerIds: string[], path: Pixel[], lasso: Position[] | null): void {
  inspect.value = null;
  boxed.value = null;
  const [xs, ys] = [path.map(([x]) => x), path.map(([, y]) => y)];
  const box: [Pixel, Pixel] = [[Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)]];
  for (const layerId of layerIds.toReversed()) {
    const layers = styleLayers(map, layerId);
    const found = layers.length === 0 ? [] : map.queryRenderedFeatures(box, { layers });
    const taken = lasso === null ? found : found.filter((feature) => touches(feature.geometry, lasso));
    const ids = [...new Set(taken.flatMap((feature) => feature.id ?? []))];
    if (ids.length === 0) continue;
    boxed.value = { layerId, ids: ids.slice(0, MOST_SELECTED) };
    if (ids.length > MOST_SELECTED) {
      notify(t("selectedPart", { n: number(MOST_SELECTED), total: number(ids.length) }), "error");
    }
    return;
  }
}

function corners([[x1, y1] = [0, 0], [x2, y2] = [x1, y1]]: Pixel[]): Pixel[] {
  return [[x1, y1], [x2, y1], [x2, y2], [x1, y2], [x1, y1]];
}

function ring(map: MapLibre, path: Pixel[]): Position[] {
  return path.map((pixel) => map.unproject(pixel).toArray() as Position);
}
