/**
 * The browser's word that a layer drew: one receipt for each version of a visible layer, sent when its tiles have
 * been loaded and rendered, with the number of its features in view, or with the error that kept it from drawing.
 * Tiles that fail later do not count as loaded; their layer is in `tileFaults` until it is tried again.
 */
import { signal } from "@preact/signals";
import type { GeoJSONFeature, LngLatBounds, Map as MapLibre, MapGeoJSONFeature } from "maplibre-gl";
import type { Layer } from "../../protocol/types";
import { idOf } from "../identity";
import { hasNotes, isSample, isThinned, isTooComplex } from "./notes";
import { type TileError, TileRetries } from "./retries";

export interface Receipt {
  layer_id: string;
  version: number;
  features: number;
  error?: string;
  drawn_from?: "all" | "some" | "sample";
}

type TileAt = NonNullable<TileError["tile"]>["tileID"]["canonical"];

/** By layer, the tiles that could not be loaded. */
export const tileFaults = signal<ReadonlyMap<string, readonly TileAt[]>>(new Map());

/** The tiles of a layer that failed, which from now on count as asked for again. */
export function takeTileFaults(layerId: string): readonly TileAt[] {
  const failed = tileFaults.value.get(layerId) ?? [];
  if (tileFaults.value.has(layerId)) tileFaults.value = new Map([...tileFaults.value].filter(([id]) => id !== layerId));
  return failed;
}

/** A receipt to be sent; not while the server's answer to a tile that failed is being read. */
interface Expected {
  version: number;
  error: string | null;
  isReading: boolean;
}

export class Receipts {
  private readonly expected = new Map<string, Expected>();
  private readonly sent = new Map<string, number>();
  private readonly retries: TileRetries;
  private known: ReadonlySet<string> = new Set();
  private scheduled = false;

  constructor(
    private readonly map: MapLibre,
    private readonly send: (receipt: Receipt) => void,
  ) {
    this.retries = new TileRetries(map);
    map.on("idle", () => this.schedule());
    map.on("sourcedata", (event) => {
      if (this.expected.has(event.sourceId)) this.schedule();
    });
    map.on("error", (event) => {
      if (!this.retries.take(event as TileError)) this.failed(event as TileError);
    });
  }

  /** Called whenever the layers have changed. */
  expect(layers: readonly Layer[]): void {
    this.known = new Set(layers.map(({ id }) => id));
    for (const id of this.expected.keys()) if (!layers.some((layer) => layer.id === id)) this.expected.delete(id);
    for (const id of tileFaults.value.keys()) if (!layers.some((layer) => layer.id === id)) takeTileFaults(id);
    for (const { id, version, visible, tiles } of layers) {
      if (!visible || tiles === "" || this.sent.get(id) === version) this.expected.delete(id);
      else if (this.expected.get(id)?.version !== version) this.expected.set(id, { version, error: null, isReading: false });
    }
    if (this.expected.size > 0) this.schedule();
  }

  /** Tiles of the layer are on their way, or will be asked for again. */
  isLoading(id: string): boolean {
    return this.map.getSource(id) !== undefined && (!this.map.isSourceLoaded(id) || this.retries.pending(id));
  }

  private failed(failure: TileError): void {
    const { sourceId, tile } = failure;
    if (sourceId !== undefined && this.known.has(sourceId)) {
      const { z = 0, x = 0, y = 0 } = tile?.tileID?.canonical ?? {};
      tileFaults.value = new Map(tileFaults.value).set(sourceId, [...(tileFaults.value.get(sourceId) ?? []), { z, x, y }]);
    }
    const waiting = sourceId === undefined ? undefined : this.expected.get(sourceId);
    if (waiting === undefined) return;
    waiting.isReading = true;
    void reasonOf(failure).then((reason) => {
      [waiting.error, waiting.isReading] = [reason, false];
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.expected.size === 0) return;
    this.scheduled = true;
    this.map.once("render", () => {
      this.scheduled = false;
      for (const [id, expected] of [...this.expected]) this.check(id, expected);
    });
    this.map.triggerRepaint();
  }

  private check(id: string, { version, error, isReading }: Expected): void {
    if (!this.map.getSource(id) || this.isLoading(id) || isReading) return;
    this.expected.delete(id);
    this.sent.set(id, version);
    const features = drawnFeatures(this.map, id);
    const fault = error ?? (isTooComplex(this.map, id) ? "The table is too complex to draw at this zoom" : null);
    // Cells count features that are not drawn.
    const part = isSample(this.map, id) ? "sample" : isThinned(this.map, id) && !drawsCells(this.map, id) ? "some" : null;
    this.send({ layer_id: id, version, features, ...(fault !== null && { error: fault }), ...(part !== null && { drawn_from: part }) });
  }
}

/** What the server says of a tile that failed, not the tile's address, which holds the key of the map. */
export async function reasonOf({ error }: TileError): Promise<string> {
  if (error?.url === undefined) return (error?.message ?? "The tiles could not be loaded").slice(0, 500);
  const answer = await error.body?.text().catch(() => "");
  try {
    const said = (JSON.parse(answer ?? "") as { error: { message: string } }).error.message;
    return said.slice(0, 500);
  } catch {
    return `The tiles could not be loaded${error.status ? ` (HTTP ${error.status})` : ""}`;
  }
}

/** The attribute by which cells that count features are distinguished. */
const CELL = "@cell";
/** Of degrees: a tenth of a metre. */
const PLACE_DIGITS = 6;
type Drawn = Partial<Pick<MapGeoJSONFeature, "id">> & Pick<MapGeoJSONFeature, "properties" | "geometry">;

/**
 * What a feature that several tiles hold has in common in all of them. Of a cell, the last digits of a mean may differ;
 * points of a table without a key are distinguished by their place. MapLibre computes a geometry when it is read.
 */
export function sameAs(feature: Drawn): unknown {
  const { properties } = feature;
  const id = idOf(feature);
  if (id !== undefined) return id;
  if (CELL in properties) return properties[CELL];
  const { geometry } = feature;
  const place = geometry.type === "Point" ? geometry.coordinates.map((it) => it.toFixed(PLACE_DIGITS)).join() : "";
  return `${place} ${JSON.stringify(properties)}`;
}

/** Features of a layer in view; one that several tiles hold counts once. */
export function drawnFeatures(map: MapLibre, layerId: string): number {
  const layers = styleLayers(map, layerId);
  if (layers.length === 0) return 0;
  const seen = new Set<unknown>();
  for (const feature of pointsInView(map, layers) ?? map.queryRenderedFeatures({ layers })) seen.add(sameAs(feature));
  return seen.size;
}

/**
 * The points that one style layer draws on a flat map, by their places; null of anything else. MapLibre's query of what
 * is rendered takes many times as long, in which the page answers nothing. Not of tiles that are thinned, samples or
 * overviews: the buffer around one holds points that its neighbour left out, which are not drawn.
 */
function pointsInView(map: MapLibre, [id, ...others]: readonly string[]): GeoJSONFeature[] | null {
  const layer = id === undefined ? undefined : map.getLayer(id);
  if (layer?.type !== "circle" || others.length > 0 || !isFlat(map) || hasNotes(map, layer.source)) return null;
  if (layer.isHidden(map.getZoom())) return [];
  const filter = map.getFilter(layer.id);
  const found = map.querySourceFeatures(layer.source, { sourceLayer: layer.sourceLayer, validate: false, ...(filter && { filter }) });
  const bounds = map.getBounds();
  return found.filter(({ geometry }) => isWithin(geometry, bounds));
}

const isFlat = (map: MapLibre): boolean =>
  map.getPitch() === 0 && map.getBearing() === 0 && map.getProjection()?.type !== "globe";

function isWithin(geometry: GeoJSON.Geometry, bounds: LngLatBounds): boolean {
  if (geometry.type === "MultiPoint") return geometry.coordinates.some((it) => isPlaceWithin(it, bounds));
  return geometry.type === "Point" && isPlaceWithin(geometry.coordinates, bounds);
}

/** The map may show the same place several times, or beyond the 180th meridian. */
function isPlaceWithin([longitude = 0, latitude = 0]: GeoJSON.Position, bounds: LngLatBounds): boolean {
  const west = bounds.getWest();
  const fromWest = (((longitude - west) % 360) + 360) % 360;
  return fromWest <= bounds.getEast() - west && latitude >= bounds.getSouth() && latitude <= bounds.getNorth();
}

/** The representatives or cells of a layer in view, and how many features they stand for. */
export function drawnWeight(map: MapLibre, layerId: string): { features: number; weight: number } {
  const seen = new Map<unknown, number>();
  for (const feature of map.queryRenderedFeatures({ layers: styleLayers(map, layerId) })) {
    const { properties } = feature;
    seen.set(sameAs(feature), Number(properties["@weight"] ?? (CELL in properties ? properties["count"] : 1)));
  }
  return { features: seen.size, weight: [...seen.values()].reduce((sum, it) => sum + it, 0) };
}

/** Whether cells that count features are drawn in place of the features. */
export function drawsCells(map: MapLibre, layerId: string): boolean {
  return map.queryRenderedFeatures({ layers: styleLayers(map, layerId) }).some(({ properties }) => CELL in properties);
}

/** The style layers that draw a layer, without the marks on features that are looked at. */
export function styleLayers(map: MapLibre, layerId: string): string[] {
  return map.getLayersOrder().filter((id) => map.getLayer(id)?.source === layerId && !id.includes(":mark-"));
}
