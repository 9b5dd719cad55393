/**
 * Shapes that a person draws on the map, to become a layer: points, lines and areas that snap to each other and to the
 * features in view, and that can be changed until they are saved.
 */
import { signal } from "@preact/signals";
import type { Feature, FeatureCollection, Geometry, Position } from "geojson";
import type { Map as MapLibre } from "maplibre-gl";
import {
  type SnapToCustom, type TerraDraw, TerraDrawLineStringMode, TerraDrawPointMode, TerraDrawPolygonMode, TerraDrawSelectMode,
} from "terra-draw";
import { layers } from "../../store/store";
import type { Session } from "./session";
import { AREAS, CHANGED, LINES, POINTS, press, REACH, startTerra } from "./terra";

export type Shape = "point" | "linestring" | "polygon" | "select";

const FIRST: Shape = "polygon";

export const shape = signal<Shape>(FIRST);
/** How many shapes are finished. */
export const finished = signal(0);
/** The shape that is being changed. */
export const selected = signal<string | number | null>(null);

let open: TerraDraw | null = null;

export function beginDrawing(map: MapLibre): Session {
  const snapping = { toCustom: nearestCorner(map) };
  const editable = { draggable: true, coordinates: { midpoints: true, draggable: true, deletable: true, snappable: snapping } };
  const draw = startTerra(map, [
    new TerraDrawPointMode({ styles: POINTS }),
    new TerraDrawLineStringMode({ snapping, pointerDistance: REACH, styles: LINES }),
    new TerraDrawPolygonMode({ snapping, pointerDistance: REACH, styles: AREAS }),
    new TerraDrawSelectMode({
      styles: CHANGED,
      flags: { point: { feature: { draggable: true } }, linestring: { feature: editable }, polygon: { feature: editable } },
    }),
  ]);
  const count = () => void (finished.value = shapes(draw).length);
  draw.on("change", count);
  draw.on("finish", count);
  draw.on("select", (id) => void (selected.value = id));
  draw.on("deselect", () => void (selected.value = null));
  open = draw;
  choose(shape.peek());
  return {
    finish: () => press(map, "Enter"),
    giveUp: () => {
      const isBusy = draw.getModeState() === "drawing" || selected.peek() !== null;
      if (isBusy) press(map, "Escape");
      // Shapes are given up by the button only.
      return isBusy || finished.peek() > 0;
    },
    stop: () => {
      open = null;
      draw.stop();
      [shape.value, finished.value, selected.value] = [FIRST, 0, null];
    },
  };
}

export function choose(next: Shape): void {
  shape.value = next;
  selected.value = null;
  open?.setMode(next);
}

export function removeSelected(): void {
  if (open === null || selected.value === null) return;
  const id = selected.value;
  open.deselectFeature(id);
  open.removeFeatures([id]);
}

export const undoLast = (): boolean => open?.undo() ?? false;

/** The finished shapes, numbered, between -180 and 180 degrees. */
export function drawing(): FeatureCollection {
  const features = open === null ? [] : shapes(open);
  return {
    type: "FeatureCollection",
    features: features.map(({ geometry }, index): Feature => ({ type: "Feature", properties: { number: index + 1 }, geometry: unwrapped(geometry) })),
  };
}

/** Without the shape that has no end yet, and without the points by which a shape is changed. */
function shapes(draw: TerraDraw) {
  return draw.getSnapshot().filter(({ properties }) =>
    properties["currentlyDrawing"] !== true && properties["mode"] !== "select" && !Object.keys(properties).some((name) => /Point$/.test(name)));
}

/** On the copy of the world that has the numbers people know. */
function unwrapped(geometry: Geometry): Geometry {
  if (geometry.type === "GeometryCollection") return geometry;
  const first = (geometry.coordinates as unknown[]).flat(3)[0] as number;
  const turn = Math.floor((first + 180) / 360) * 360;
  const move = (it: unknown): unknown => (Array.isArray(it) && typeof it[0] === "number" ? [it[0] - turn, it[1]] : (it as unknown[]).map(move));
  return turn === 0 ? geometry : { ...geometry, coordinates: move(geometry.coordinates) } as Geometry;
}

/** The corner that is nearest to the pointer, of another shape of the drawing or of a feature on the map. */
function nearestCorner(map: MapLibre): SnapToCustom {
  return ({ containerX: x, containerY: y }, { currentId }) => {
    const known = new Set(layers.peek().map(({ id }) => id));
    const near = map.queryRenderedFeatures([[x - REACH, y - REACH], [x + REACH, y + REACH]]).filter(({ source }) => known.has(source));
    const own = open === null ? [] : shapes(open).filter(({ id }) => id !== currentId);
    let best: { at: Position; away: number } | null = null;
    for (const corner of [...own, ...near].flatMap(({ geometry }) => corners(geometry))) {
      const point = map.project(corner as [number, number]);
      const away = Math.hypot(point.x - x, point.y - y);
      if (away <= REACH && (best === null || away < best.away)) best = { at: corner, away };
    }
    return best?.at;
  };
}

function corners(geometry: Geometry): Position[] {
  switch (geometry.type) {
    case "Point": return [geometry.coordinates];
    case "MultiPoint": case "LineString": return geometry.coordinates;
    case "MultiLineString": case "Polygon": return geometry.coordinates.flat();
    case "MultiPolygon": return geometry.coordinates.flat(2);
    case "GeometryCollection": return geometry.geometries.flatMap(corners);
  }
}
