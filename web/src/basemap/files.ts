/** The built-in base map from this server's files: land and borders as fine as the zoom needs. */
import type { StyleSpecification } from "maplibre-gl";
import borders10 from "./data/borders-10m.json?url";
import borders110 from "./data/borders-110m.json?url";
import borders50 from "./data/borders-50m.json?url";
import labels from "./data/labels.json?url";
import land10 from "./data/land-10m.json?url";
import land110 from "./data/land-110m.json?url";
import land50 from "./data/land-50m.json?url";
import { basemapOf, type Palette } from "./style";
import type { Detail } from "./types";

/** Natural Earth 1:110m, 1:50m and 1:10m. */
const SCALES = [
  { from: 0, land: land110, borders: borders110 }, { from: 2.2, land: land50, borders: borders50 }, { from: 6, land: land10, borders: borders10 },
] as const;

const scaleAt = (zoom: number) => SCALES.findLast(({ from }) => zoom >= from) ?? SCALES[0];
const address = (file: string): string => new URL(file, location.origin).href;

export function basemap(palette: Palette, zoom: number): StyleSpecification {
  const { land, borders } = scaleAt(zoom);
  return basemapOf(palette, { land: address(land), borders: address(borders), labels: address(labels) });
}

export function detail(zoom: number): Detail {
  const { from, land, borders } = scaleAt(zoom);
  return { from, data: { "basemap-land": address(land), "basemap-borders": address(borders) } };
}
