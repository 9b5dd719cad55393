/**
 * The only listener to pointer, touch, click and keys on the map. What they mean depends on the mode (`tool`): looking
 * around and commenting pick what is under the pointer; the others draw, by terra-draw, which is loaded with the first
 * of them. A mode has ended before the next one begins.
 */
import { effect, untracked } from "@preact/signals";
import type { Map as MapLibre, MapGeoJSONFeature } from "maplibre-gl";
import { t } from "../../i18n/i18n";
import { compared } from "../../instance/state";
import { drags, type Tool, tool } from "../../instance/selection";
import type { Position } from "../../geometry/types";
import { notify } from "../../ui/toast";
import { type Stop, together } from "../../ui/stops";
import type { MapView } from "../view";
import { installMiddlePointer } from "./middle";
import { type Begin, pointer, session } from "./session";

export interface Reactions {
  layerIds(): string[];
  clicked(features: MapGeoJSONFeature[], at: Position): void;
  /** What the pointer is over now; nothing when it has left the map, or the mode does not pick. */
  hovered(features: MapGeoJSONFeature[], at: { x: number; y: number } | null): void;
}

const sketching = async (mode: "select" | "lasso" | "area" | "measure"): Promise<Begin> => {
  const { beginSketch } = await import("./sketch");
  return (map, layerIds) => beginSketch(map, mode, layerIds);
};

/** What begins each mode; null for those that pick. */
const MODES: Record<Tool, (() => Promise<Begin>) | null> = {
  look: null,
  comment: null,
  select: () => sketching("select"),
  lasso: () => sketching("lasso"),
  area: () => sketching("area"),
  measure: () => sketching("measure"),
  draw: async () => (await import("./drawing")).beginDrawing,
};

/** Pixels around a click, and around the pointer, in which features are found. */
const CLICK_REACH = 4;
const HOVER_REACH = 2;

export const leaveMode = (): void => void (tool.value = "look");

/** Escape gives up the shape that is being drawn, or else leaves the mode. */
export function escape({ key }: { key: string }): void {
  if (key === "Escape" && tool.peek() !== "look" && session.peek()?.giveUp() !== true) leaveMode();
}

export function installInteraction(view: MapView, reactions: Reactions): Stop {
  const { map } = view;
  const styled = new Promise((resolve) => map.once("style.load", resolve));
  const entered = effect(() => {
    const mode = tool.value;
    return untracked(() => enter(map, mode, styled, reactions.layerIds));
  });
  // A comparison lies over what is drawn.
  const alone = effect(() => {
    if (compared.value !== null && MODES[tool.peek()] !== null) leaveMode();
  });
  return together(entered, alone, installPicking(view, reactions), installMiddlePointer(view));
}

/** What is returned leaves the mode. */
function enter(map: MapLibre, mode: Tool, styled: Promise<unknown>, layerIds: () => string[]): Stop {
  const container = map.getCanvasContainer();
  const load = MODES[mode];
  container.classList.toggle("crosshair", mode !== "look");
  if (mode !== "look") map.getCanvas().focus({ preventScroll: true });
  if (load === null) return () => undefined;
  compared.value = null;
  const isDrag = drags(mode);
  // Else the browser takes a finger's drag for scrolling, and cancels its pointer.
  container.classList.toggle("drags", isDrag);
  const off = [map.doubleClickZoom, map.boxZoom, ...(isDrag ? [map.dragPan, map.touchZoomRotate] : [])];
  for (const handler of off) handler.disable();
  let isLeft = false;
  Promise.all([load(), styled]).then(
    ([begin]) => {
      if (!isLeft) session.value = begin(map, layerIds);
    },
    () => {
      notify(t("notLoaded"), "error");
      if (!isLeft) leaveMode();
    },
  );
  return () => {
    isLeft = true;
    session.peek()?.stop();
    session.value = null;
    container.classList.remove("drags");
    map.getCanvas().style.cursor = "";
    for (const handler of off) handler.enable();
  };
}

/** Clicks and hovering in the modes that pick, and what no mode may leave to the map. */
function installPicking(view: MapView, { clicked, hovered }: Reactions): Stop {
  const { map } = view;
  const canvas = map.getCanvas();
  const over = new AbortController();
  const picks = () => MODES[tool.peek()] === null;
  /** The mode has changed since the pointer was put down: the click that still comes belongs to the mode before. */
  let isStale = false;
  let isWaiting = false;
  const hover = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      const at = picks() ? pointer.peek() : null;
      const found = at === null ? [] : view.featuresAt(at, HOVER_REACH);
      if (picks()) canvas.style.cursor = found.length > 0 && tool.peek() === "look" ? "pointer" : "";
      hovered(found, at);
    });
  };
  const changed = effect(() => {
    void tool.value;
    isStale = true;
    hover();
  });
  const moved = effect(() => {
    void pointer.value;
    hover();
  });
  map.on("mousemove", ({ point: { x, y }, lngLat }) => (pointer.value = { x, y, position: [lngLat.lng, lngLat.lat] }));
  for (const event of ["mouseout", "touchstart"] as const) map.on(event, () => (pointer.value = null));
  // Features come and go under a pointer that rests.
  map.on("idle", () => pointer.peek() !== null && hover());
  map.on("click", ({ point }) => {
    if (isStale || !picks()) return;
    const { lng, lat } = map.unproject(point).wrap();
    clicked(view.featuresAt(point, CLICK_REACH), [lng, lat]);
  });
  // The mode may be left now, and the map zoom again: not by this double click.
  map.on("dblclick", (event) => (isStale || tool.peek() !== "look") && event.preventDefault());
  const options = { capture: true, signal: over.signal };
  canvas.addEventListener("pointerdown", ({ pointerId, isTrusted }) => {
    isStale = false;
    // A drag continues over parts of the page that cover the map.
    if (isTrusted && drags(tool.peek())) canvas.setPointerCapture(pointerId);
  }, options);
  canvas.addEventListener("pointercancel", () => drags(tool.peek()) && leaveMode(), options);
  canvas.addEventListener("keydown", escape, options);
  return together(changed, moved, () => over.abort());
}
