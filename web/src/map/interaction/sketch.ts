/**
 * The modes in which one shape is drawn for what it says: a box or a lasso selects features, an area is where the next
 * message means, and a line is measured.
 */
import { batch } from "@preact/signals";
import type { Map as MapLibre } from "maplibre-gl";
import { TerraDrawFreehandMode, TerraDrawLineStringMode, TerraDrawPolygonMode, TerraDrawRectangleMode } from "terra-draw";
import type { Position } from "../../geometry/types";
import { boxed, drawnArea, inspect, tool } from "../../instance/selection";
import { selectWithin } from "./select";
import { type Session, sketch } from "./session";
import { AREAS, LINES, press, REACH, startTerra } from "./terra";

type Kind = "select" | "lasso" | "area" | "measure";

/** Pixels between two corners of a lasso. */
const GRAIN = 3;
/** By a drag, or by a click at both ends. */
const FREE = { drawInteraction: "click-move-or-drag", styles: AREAS } as const;
const CLICKED = { pointerDistance: REACH } as const;

const MODES = {
  select: () => new TerraDrawRectangleMode(FREE),
  lasso: () => new TerraDrawFreehandMode({
    ...FREE, minDistance: GRAIN, preventPointsNearClose: false, styles: { ...AREAS, closingPointOpacity: 0, closingPointOutlineOpacity: 0 },
  }),
  area: () => new TerraDrawPolygonMode({ ...CLICKED, styles: AREAS }),
  measure: () => new TerraDrawLineStringMode({
    ...CLICKED, styles: LINES,
    validation: ({ geometry }, { updateType }) => ({ valid: updateType !== "finish" || (geometry.coordinates as unknown[]).length >= 2 }),
  }),
};

export function beginSketch(map: MapLibre, kind: Kind, layerIds: () => string[]): Session {
  const mode = MODES[kind]();
  const draw = startTerra(map, [mode]);
  draw.setMode(mode.mode);
  const shapes = () => draw.getSnapshot().filter(({ geometry }) => geometry.type !== "Point");
  draw.on("change", (ids, type) => {
    if (type === "create") begun(ids);
    const [shape] = shapes();
    const line = shape === undefined ? [] : (kind === "measure" ? shape.geometry.coordinates : shape.geometry.coordinates[0]) as Position[];
    const isDrawn = shape?.properties["currentlyDrawing"] !== true;
    const fixed = shape?.properties["committedCoordinateCount"];
    sketch.value = { line, corners: typeof fixed === "number" ? fixed : isDrawn ? line.length : line.length - 1 };
  });
  /** A measured line stays until the next one. */
  const begun = (ids: (string | number)[]) => {
    const isOther = shapes().filter(({ id }) => id !== undefined && !ids.includes(id));
    if (shapes().length > isOther.length) draw.removeFeatures(isOther.flatMap(({ id }) => id ?? []));
    if (kind === "area") drawnArea.value = null;
  };
  draw.on("finish", (id) => {
    const shape = draw.getSnapshotFeature(id);
    if (shape?.geometry.type !== "Polygon") return;
    const ring = shape.geometry.coordinates[0] as Position[];
    batch(() => {
      if (kind === "area") [drawnArea.value, boxed.value, inspect.value] = [ring.slice(0, -1), null, null];
      else selectWithin(map, layerIds(), ring);
      tool.value = "look";
    });
  });
  return {
    finish: () => press(map, "Enter"),
    giveUp: () => false,
    stop: () => {
      draw.stop();
      sketch.value = null;
    },
  };
}
