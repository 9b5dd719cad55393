/**
 * A PMTiles archive as base map. Pictures are shown as they are; vector tiles are drawn in our own colours, by the
 * names that the usual schemas (Protomaps, OpenMapTiles) give their layers, and as plain lines where names are unknown.
 */
import { addProtocol, type AddProtocolResponseData, type LayerSpecification, type StyleSpecification } from "maplibre-gl";
import { Protocol, PMTiles, TileType } from "pmtiles";
import { plainText, raster } from "./raster";
import type { Base } from "./types";
import { COLOURS, FONT, type Palette } from "./style";

const protocol = new Protocol({ metadata: true });

/** From now on MapLibre reads `pmtiles://` addresses. */
export function readArchives(): void {
  addProtocol("pmtiles", async (request, controller) => {
    const address = request.url.replace(/^pmtiles:\/\//, "").replace(/\/\d+\/\d+\/\d+(\.\w+)?$/, "");
    const { data } = await orForget(address, protocol.tilev4(request, controller));
    return { data: (request.type === "json" ? described(data as TileJson) : data) as AddProtocolResponseData };
  });
}

interface TileJson {
  attribution?: unknown;
}

/** Archives name their sources in HTML of their own; ours is text. */
function described({ attribution, ...rest }: TileJson): TileJson {
  return typeof attribution === "string" ? { ...rest, attribution: plainText(attribution.replace(/<[^>]*>/g, "")) } : rest;
}

/** The library keeps what it has read of an archive, also a failure: after one, the archive is read from its beginning. */
async function orForget<T>(address: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) protocol.tiles.delete(address);
    throw error;
  }
}

/** Rejects when the archive cannot be read. */
export async function openArchive(url: string): Promise<{ isVector: boolean; layers: string[] }> {
  const archive = protocol.get(url) ?? new PMTiles(url);
  protocol.add(archive);
  const { tileType } = await orForget(url, archive.getHeader());
  if (tileType !== TileType.Mvt) return { isVector: false, layers: [] };
  const { vector_layers } = (await orForget(url, archive.getMetadata())) as { vector_layers?: { id: string }[] };
  return { isVector: true, layers: vector_layers?.map((layer) => layer.id) ?? [] };
}

export async function archiveBase(url: string, attribution: string | null): Promise<Base> {
  readArchives();
  const { isVector, layers: names } = await openArchive(url);
  const source = `pmtiles://${url}`;
  if (!isVector) return raster({ url: source }, attribution);
  const style = (palette: Palette): StyleSpecification => ({
    version: 8,
    sources: { basemap: { type: "vector", url: source, ...(attribution !== null && { attribution: plainText(attribution) }) } },
    layers: vectorLayers(names, palette),
  });
  return { style, layers: (palette) => vectorLayers(names, palette) };
}

type Part = "land" | "green" | "water" | "rivers" | "houses" | "roads" | "borders" | "names";

const PARTS: Record<string, Part> = {
  earth: "land", land: "land", landcover: "green", landuse: "green", park: "green", natural: "green", water: "water",
  ocean: "water", waterway: "rivers", physical_line: "rivers", building: "houses", buildings: "houses", roads: "roads", road: "roads",
  transportation: "roads", boundaries: "borders", boundary: "borders", admin: "borders", places: "names", place: "names",
};
const ORDER: (Part | undefined)[] = ["land", "green", "water", "rivers", "houses", "roads", undefined, "borders", "names"];

/** Bottom first. Pure. */
export function vectorLayers(names: readonly string[], palette: Palette): LayerSpecification[] {
  const colour = COLOURS[palette];
  const sorted = names.toSorted((a, b) => ORDER.indexOf(PARTS[a]) - ORDER.indexOf(PARTS[b]));
  const hasLand = names.some((name) => PARTS[name] === "land");
  // Schemas without an area for the land paint the sea on top of it.
  const ground = names.some((name) => PARTS[name] === "water") && !hasLand ? colour.land : colour.water;
  return [
    { id: "basemap-ground", type: "background", paint: { "background-color": ground } },
    ...sorted.flatMap((name) => drawn(name, PARTS[name], colour)),
  ];
}

function drawn(name: string, part: Part | undefined, colour: (typeof COLOURS)[Palette]): LayerSpecification[] {
  const common = { source: "basemap", "source-layer": name };
  const area = (fill: string, opacity: number): LayerSpecification => ({
    id: `basemap-${name}`, type: "fill", ...common, filter: ["==", ["geometry-type"], "Polygon"],
    paint: { "fill-color": fill, "fill-opacity": opacity },
  });
  const line = (stroke: string, width: number): LayerSpecification => ({
    id: `basemap-${name}-line`, type: "line", ...common, filter: ["!=", ["geometry-type"], "Point"], layout: { "line-join": "round" },
    paint: { "line-color": stroke, "line-width": ["interpolate", ["linear"], ["zoom"], 4, width / 2, 16, width * 3] },
  });
  switch (part) {
    case "land": return [area(colour.land, 1)];
    case "green": return [area(colour.sea, 0.12)];
    case "water": return [area(colour.water, 1)];
    case "rivers": return [line(colour.water, 1)];
    case "houses": return [area(colour.border, 0.35)];
    case "roads": return [line(colour.border, 0.8)];
    case "borders": return [line(colour.border, 1)];
    case "names": return [{
      id: `basemap-${name}`, type: "symbol", ...common,
      layout: { "text-field": ["coalesce", ["get", "name"], ""], "text-font": FONT, "text-size": 12, "text-max-width": 7, "text-padding": 4 },
      paint: { "text-color": colour.name, "text-halo-color": colour.halo, "text-halo-width": 1.2 },
    }];
    default: return [area(colour.land, 0.5), line(colour.border, 0.8)];
  }
}
