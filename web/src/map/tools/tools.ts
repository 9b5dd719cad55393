/**
 * Selecting by a box or lasso, drawing an area and measuring: what clicks and drags on the map mean while a tool is chosen.
 * Enter or a double click ends a shape, Escape gives it up.
 */
import { computed, effect } from "@preact/signals";
import type { Feature, Geometry } from "geojson";
import type { GeoJSONSource, Map as MapLibre, MapMouseEvent } from "maplibre-gl";
import type { Position } from "../../geometry/types";
import { installSelecting } from "./select";
import { boxed, drags, drawnArea, inspect, sketch, tool } from "../../instance/selection";
import { type Stop, together } from "../../ui/stops";

const SOURCE = "geoagent-sketch";
const COLOUR = "#ffb000";
/** The measured line has its end: it stays as it is until another one begins. */
let ended = false;

/** `layerIds` are the layers on the map, bottom first. */
export function installTools(map: MapLibre, layerIds: () => string[]): Stop {
  let stopDrawing: Stop | undefined;
  map.once("style.load", () => {
    addSketchLayers(map);
    stopDrawing = effect(() => draw(map, sketch.value, drawnArea.value));
  });
  const stop = effect(() => {
    const looking = tool.value === "look";
    sketch.value = [];
    ended = false;
    const isDrag = drags(tool.value);
    map.getCanvasContainer().classList.toggle("crosshair", !looking);
    // Else the browser takes a finger's drag for scrolling, and cancels its pointer.
    map.getCanvasContainer().classList.toggle("drags", isDrag);
    for (const handler of [map.doubleClickZoom, map.boxZoom]) looking ? handler.enable() : handler.disable();
    for (const handler of [map.dragPan, map.touchZoomRotate]) isDrag ? handler.disable() : handler.enable();
  });
  map.on("click", (event) => corner(at(event)));
  map.on("mousemove", (event) => follow(at(event)));
  map.on("dblclick", (event) => {
    if (tool.value === "look") return;
    // The tool may be put away now, and the map zoom again: not by this double click.
    event.preventDefault();
    finish();
  });
  map.getCanvas().addEventListener("keydown", (event) => {
    if (event.key === "Enter") finish();
    if (event.key === "Escape") cancel();
  });
  installSelecting(map, layerIds, cancel);
  return together(stop, () => stopDrawing?.());
}

/** Whether there are corners enough for an area. */
export const isArea = computed(() => tool.value === "area" && fixedCorners().length >= 3);

export function finish(): void {
  const corners = fixedCorners();
  if (isArea.value) {
    drawnArea.value = corners;
    boxed.value = null;
    inspect.value = null;
    tool.value = "look";
  }
  const last = corners.at(-1);
  if (tool.value === "measure" && !ended && corners.length >= 2 && last !== undefined) {
    sketch.value = [...corners, last];
    ended = true;
  }
}

export function cancel(): void {
  sketch.value = [];
  tool.value = "look";
}

function corner(position: Position): void {
  if (tool.value !== "area" && tool.value !== "measure") return;
  if (tool.value === "area") drawnArea.value = null;
  const fixed = ended ? [] : sketch.value.slice(0, -1);
  ended = false;
  sketch.value = [...fixed, position, position];
}

function follow(position: Position): void {
  if (sketch.value.length > 0 && !ended && !drags(tool.value)) sketch.value = [...sketch.value.slice(0, -1), position];
}

function addSketchLayers(map: MapLibre): void {
  map.addSource(SOURCE, { type: "geojson", data: { type: "FeatureCollection", features: [] } });
  map.addLayer({
    id: `${SOURCE}-fill`, type: "fill", source: SOURCE, filter: ["==", ["geometry-type"], "Polygon"],
    paint: { "fill-color": COLOUR, "fill-opacity": 0.15 },
  });
  map.addLayer({
    id: `${SOURCE}-line`, type: "line", source: SOURCE, layout: { "line-join": "round" },
    paint: { "line-color": COLOUR, "line-width": 2.5 },
  });
}

function draw(map: MapLibre, line: Position[], area: Position[] | null): void {
  const source = map.getSource(SOURCE) as GeoJSONSource | undefined;
  const features: Feature[] = [];
  const add = (geometry: Geometry) => features.push({ type: "Feature", properties: {}, geometry });
  const [first] = area ?? [];
  if (area !== null && first !== undefined) add({ type: "Polygon", coordinates: [[...area, first]] });
  const [start] = line;
  if (tool.peek() !== "measure" && line.length > 2 && start !== undefined) add({ type: "Polygon", coordinates: [[...line, start]] });
  else if (line.length > 1) add({ type: "LineString", coordinates: line });
  source?.setData({ type: "FeatureCollection", features });
}

function at(event: MapMouseEvent): Position {
  return [event.lngLat.lng, event.lngLat.lat];
}

/** Without the one that follows the pointer, and without repeats: a double click sets its corner twice. */
function fixedCorners(): Position[] {
  const line = sketch.value.slice(0, -1);
  return line.filter((position, index) => index === 0 || position.join() !== line[index - 1]?.join());
}
