/** What a base map is to the rest of the client. */
import type { LayerSpecification, StyleSpecification } from "maplibre-gl";
import type { Palette } from "./style";

export interface Base {
  style(palette: Palette): StyleSpecification | string;
  /** The same layers in other colours, for a base map that has a light and a dark side; else it keeps its colours. */
  layers: ((palette: Palette) => LayerSpecification[]) | null;
}
