/** What MapLibre shall hold besides the base map. */
import type { GeoJSONSourceSpecification, LayerSpecification, VectorSourceSpecification } from "maplibre-gl";

export type SpecLayer = Exclude<LayerSpecification, { type: "background" }>;

/** Data of a GeoJSON source that has not changed is the same object. */
export type SpecSource = VectorSourceSpecification | GeoJSONSourceSpecification;

/** Layers bottom first. */
export interface Drawn {
  sources: Map<string, SpecSource>;
  layers: SpecLayer[];
}
