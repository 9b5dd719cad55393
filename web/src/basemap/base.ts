/**
 * Which base map is drawn: the built-in one, or what the server's settings name, a MapLibre style, raster tiles or a
 * PMTiles archive. What reads archives is only loaded where one is configured.
 */
import { basemap, detail } from "./files";
import { raster } from "./raster";
import type { Base } from "./types";

export const BUILT_IN: Base = {
  style: basemap,
  layers: (palette) => basemap(palette, 0).layers,
  detail,
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

