/** What lies over all layers and is of this page only, as sources and style layers of the same plan. Pure. */
import type { FeatureCollection, Polygon } from "geojson";
import type { SpecLayer, SpecSource } from "./spec";

export const MARK = "#ffb000";
/** Around marks, so that they stand out from light land as well as from dark water. */
export const CASING = "#3d2600";
const PREVIEW = "#8a5cf6";

/** What terra-draw's layers begin with, which lie over these. */
export const DRAWING = "geoagent-drawing";

/** Data that has not changed is the same object. */
export interface Overlays {
  /** The area that the next message means. */
  area?: Polygon | null;
  /** Shapes that are not on the map yet. */
  preview?: FeatureCollection | null;
}

export function overlays({ area, preview }: Overlays): { sources: [string, SpecSource][]; layers: SpecLayer[] } {
  const [shown, drawn] = ["geoagent-preview", "geoagent-area"];
  const parts: [string, Polygon | FeatureCollection | null | undefined, SpecLayer[]][] = [
    [shown, preview, [
      { ...fill(shown, PREVIEW), filter: ["==", ["geometry-type"], "Polygon"] },
      line(shown, "line", PREVIEW, 1.5),
      {
        id: `${shown}-point`, type: "circle", source: shown, filter: ["==", ["geometry-type"], "Point"], layout: {},
        paint: { "circle-color": PREVIEW, "circle-radius": 3.5, "circle-stroke-color": "#fff", "circle-stroke-width": 1 },
      },
    ]],
    [drawn, area, [fill(drawn, MARK), line(drawn, "casing", CASING, 4.5), line(drawn, "line", MARK, 2.5)]],
  ];
  const isEmpty = (data: FeatureCollection | Polygon) => data.type === "FeatureCollection" && data.features.length === 0;
  const present = parts.flatMap(([id, data, layers]) => (data == null || isEmpty(data) ? [] : [{ id, data, layers }]));
  return { sources: present.map(({ id, data }) => [id, { type: "geojson", data }]), layers: present.flatMap(({ layers }) => layers) };
}

function fill(source: string, colour: string): SpecLayer & { type: "fill" } {
  return { id: `${source}-fill`, type: "fill", source, layout: {}, paint: { "fill-color": colour, "fill-opacity": 0.15 } };
}

function line(source: string, name: string, colour: string, width: number): SpecLayer {
  return { id: `${source}-${name}`, type: "line", source, layout: { "line-join": "round" }, paint: { "line-color": colour, "line-width": width } };
}
