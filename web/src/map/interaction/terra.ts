/** terra-draw on the map, as all modes that draw use it. Loaded with the first of them. */
import type { Map as MapLibre } from "maplibre-gl";
import { TerraDraw, type TerraDrawExtend, TerraDrawSessionUndoRedo } from "terra-draw";
import { TerraDrawMapLibreGLAdapter } from "terra-draw-maplibre-gl-adapter";
import { isDark } from "../../instance/state";
import { DRAWING } from "../drawing/overlays";

/** Pixels within which a corner snaps to another, and a click closes a shape. */
export const REACH = 12;
/** Pixels that a click may move. */
const CLICK_TOLERANCE = 4;

const COLOUR = "#ffb000";
const edge = () => (isDark.peek() ? COLOUR : "#8a5a00");

/** The corner that a click would take: where a shape closes, or snaps to another. */
const corners = {
  closingPointColor: COLOUR, closingPointOutlineColor: edge, closingPointWidth: 5, closingPointOutlineWidth: 2,
  snappingPointColor: COLOUR, snappingPointOutlineColor: edge, snappingPointWidth: 6, snappingPointOutlineWidth: 2,
} as const;
export const POINTS = { pointColor: COLOUR, pointOutlineColor: edge, pointOutlineWidth: 2, pointWidth: 6 } as const;
export const LINES = { lineStringColor: edge, lineStringWidth: 3, ...corners } as const;
export const AREAS = { fillColor: COLOUR, fillOpacity: 0.2, outlineColor: edge, outlineWidth: 2, ...corners } as const;
/** Of the shape that is being changed, with handles at its corners and in the middles of its edges. */
export const CHANGED = {
  selectedPointColor: COLOUR, selectedPointOutlineColor: edge, selectedPointWidth: 8, selectedPointOutlineWidth: 3,
  selectedLineStringColor: edge, selectedLineStringWidth: 4,
  selectedPolygonColor: COLOUR, selectedPolygonFillOpacity: 0.4, selectedPolygonOutlineColor: edge, selectedPolygonOutlineWidth: 3,
  selectionPointColor: "#ffffff", selectionPointOutlineColor: edge, selectionPointWidth: 6, selectionPointOutlineWidth: 2,
  midPointColor: "#ffffff", midPointOutlineColor: edge, midPointWidth: 4, midPointOutlineWidth: 1.5,
} as const;

/** Begins a drag where the pointer was put down; terra-draw by itself where it first moved, a finger some 15 pixels further. */
class Adapter extends TerraDrawMapLibreGLAdapter<MapLibre> {
  override register(callbacks: TerraDrawExtend.TerraDrawCallbacks): void {
    super.register({
      ...callbacks,
      onDragStart: (event, setDraggable) => {
        callbacks.onDragStart(this._lastDrawEvent ?? event, setDraggable);
        callbacks.onDrag(event, setDraggable);
      },
    });
  }
}

export function startTerra(map: MapLibre, modes: TerraDrawExtend.TerraDrawBaseDrawMode<TerraDrawExtend.CustomStyling>[]): TerraDraw {
  const draw = new TerraDraw({
    adapter: new Adapter({ map, prefixId: DRAWING, minPixelDragDistance: CLICK_TOLERANCE }),
    modes,
    undoRedo: { sessionLevel: new TerraDrawSessionUndoRedo() },
  });
  draw.start();
  return draw;
}

/** terra-draw takes the end of a shape, and that it is given up, from the keyboard only. */
export function press(map: MapLibre, key: "Enter" | "Escape"): void {
  map.getCanvas().dispatchEvent(new KeyboardEvent("keyup", { key }));
}
