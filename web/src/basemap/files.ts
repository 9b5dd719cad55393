/** The built-in base map from this server's files. */
import type { StyleSpecification } from "maplibre-gl";
import borders from "./data/borders.json?url";
import labels from "./data/labels.json?url";
import land from "./data/land.json?url";
import { basemapOf, type Palette } from "./style";

export function basemap(palette: Palette, origin: string): StyleSpecification {
  const address = (file: string) => new URL(file, origin).href;
  return basemapOf(palette, { land: address(land), borders: address(borders), labels: address(labels) });
}
