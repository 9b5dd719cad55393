/**
 * Which base map is drawn: the built-in one, or what the server's settings name, a MapLibre style, raster tiles or a
 * PMTiles archive. What reads archives is only loaded where one is configured.
 */
import type { LayerSpecification, StyleSpecification } from "maplibre-gl";
import { basemap } from "./files";
import type { Palette } from "./style";

export interface Base {
  style(palette: Palette): StyleSpecification | string;
  /** The same layers in other colours, for a base map that has a light and a dark side; else it keeps its colours. */
  layers: ((palette: Palette) => LayerSpecification[]) | null;
}

export const BUILT_IN: Base = {
  style: (palette) => basemap(palette, location.origin),
  layers: (palette) => basemap(palette, location.origin).layers,
};

/** Rejects with a reason for people when the base map cannot be read. */
export async function baseOf(url: string, attribution: string | null): Promise<Base> {
  if (/\{z\}.*\{x\}.*\{y\}|\{z\}.*\{y\}.*\{x\}/.test(url)) return raster({ tiles: [url] }, attribution);
  if (/\.pmtiles($|\?)/.test(url)) return (await import("./archive")).archiveBase(url, attribution);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${new URL(url).host}: ${answer.status}`);
  if ((await answer.text()).includes('"pmtiles://')) (await import("./archive")).readArchives();
  return { style: () => url, layers: null };
}

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
