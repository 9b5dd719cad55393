/** What a base map is to the rest of the client. */
import type { LayerSpecification, StyleSpecification } from "maplibre-gl";
import type { Palette } from "./style";

/** Data of sources, by their ids. */
export interface Detail {
  /** The zoom from which it is needed. */
  from: number;
  data: Record<string, string>;
}

export interface Base {
  style(palette: Palette, zoom: number): StyleSpecification | string;
  /** The same layers in other colours, for a base map that has a light and a dark side; else it keeps its colours. */
  layers: ((palette: Palette) => LayerSpecification[]) | null;
  /** Of a base map in several scales. */
  detail?(zoom: number): Detail;
}
