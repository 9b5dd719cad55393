/** A base map of pictures. */
import type { StyleSpecification } from "maplibre-gl";
import type { Base } from "./types";

export function raster(source: { tiles: string[] } | { url: string }, attribution: string | null): Base {
  const style: StyleSpecification = {
    version: 8,
    sources: { basemap: { type: "raster", tileSize: 256, ...source, ...(attribution !== null && { attribution: plainText(attribution) }) } },
    layers: [{ id: "basemap", type: "raster", source: "basemap" }],
  };
  return { style: () => style, layers: null };
}

/** MapLibre shows attributions as HTML; ours is text. */
export function plainText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
