/**
 * A PMTiles archive as base map. Pictures are shown as they are; vector tiles are drawn in our own colours, by the
 * names that the usual schemas (Protomaps, OpenMapTiles) give their layers, and as plain lines where names are unknown.
 */
import { addProtocol, type LayerSpecification, type StyleSpecification } from "maplibre-gl";
import { type Base, plainText, raster } from "./base";
import { Archive, overHttp, VECTOR } from "./pmtiles";
import { COLOURS, FONT, type Palette } from "./style";

const archives = new Map<string, Archive>();

function archiveAt(url: string): Archive {
  const known = archives.get(url) ?? new Archive(overHttp(url));
  archives.set(url, known);
  return known;
}

/** From now on MapLibre reads `pmtiles://` addresses. */
export function readArchives(): void {
  addProtocol("pmtiles", async ({ url, type }, { signal }) => {
    const [, address = "", z, x, y] = /^pmtiles:\/\/(.+?)(?:\/(\d+)\/(\d+)\/(\d+))?$/.exec(url) ?? [];
    const archive = archiveAt(address);
    if (type === "json") return { data: await tileJson(archive, address) };
    const tile = await archive.tile(Number(z), Number(x), Number(y), signal);
    // Vector tiles that are not there are empty; pictures are none, which MapLibre takes, though its types do not say so.
    const missing = (await archive.header()).type === VECTOR ? new ArrayBuffer(0) : (null as unknown as ArrayBuffer);
    return { data: tile ?? missing };
  });
}

async function tileJson(archive: Archive, address: string) {
  const [{ zooms: [minzoom, maxzoom], bounds }, { attribution }] = await Promise.all([archive.header(), archive.metadata()]);
  const by = typeof attribution === "string" ? { attribution: plainText(attribution.replace(/<[^>]*>/g, "")) } : {};
  return { tilejson: "3.0.0", tiles: [`pmtiles://${address}/{z}/{x}/{y}`], minzoom, maxzoom, bounds, ...by };
}

export async function archiveBase(url: string, attribution: string | null): Promise<Base> {
  readArchives();
  const archive = archiveAt(url);
  const { type } = await archive.header();
  const source = `pmtiles://${url}`;
  if (type !== VECTOR) return raster({ url: source }, attribution);
  const { vector_layers } = (await archive.metadata()) as { vector_layers?: { id: string }[] };
  const names = vector_layers?.map((layer) => layer.id) ?? [];
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
