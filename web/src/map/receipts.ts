/**
 * The browser's word that a layer drew: one receipt for each version of a visible layer, sent when its tiles have
 * been loaded and rendered, with the number of its features in view, or with the error that kept it from drawing.
 */
import type { Map as MapLibre } from "maplibre-gl";
import type { Layer } from "../protocol/types";

export interface Receipt {
  layer_id: string;
  version: number;
  features: number;
  error?: string;
}

export class Receipts {
  private readonly expected = new Map<string, { version: number; error: string | null }>();
  private readonly sent = new Map<string, number>();
  private scheduled = false;

  constructor(
    private readonly map: MapLibre,
    private readonly send: (receipt: Receipt) => void,
  ) {
    map.on("idle", () => this.schedule());
    map.on("sourcedata", (event) => {
      if (this.expected.has(event.sourceId)) this.schedule();
    });
    map.on("error", (event) => this.failed(event as { sourceId?: string; error?: { message?: string } }));
  }

  /** Called whenever the layers have changed. */
  expect(layers: readonly Layer[]): void {
    for (const id of this.expected.keys()) if (!layers.some((layer) => layer.id === id)) this.expected.delete(id);
    for (const { id, version, visible, tiles } of layers) {
      if (!visible || tiles === "" || this.sent.get(id) === version) this.expected.delete(id);
      else if (this.expected.get(id)?.version !== version) this.expected.set(id, { version, error: null });
    }
    if (this.expected.size > 0) this.schedule();
  }

  private failed({ sourceId, error }: { sourceId?: string; error?: { message?: string } }): void {
    const waiting = sourceId === undefined ? undefined : this.expected.get(sourceId);
    if (waiting === undefined) return;
    waiting.error = (error?.message ?? "The tiles could not be loaded").slice(0, 500);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.expected.size === 0) return;
    this.scheduled = true;
    this.map.once("render", () => {
      this.scheduled = false;
      for (const [id, { version, error }] of [...this.expected]) this.check(id, version, error);
    });
    this.map.triggerRepaint();
  }

  private check(id: string, version: number, error: string | null): void {
    if (!this.map.getSource(id) || !this.map.isSourceLoaded(id)) return;
    this.expected.delete(id);
    this.sent.set(id, version);
    const features = drawnFeatures(this.map, id);
    this.send({ layer_id: id, version, features, ...(error !== null && { error }) });
  }
}

/** Features of a layer in view; one that several tiles hold counts once. */
export function drawnFeatures(map: MapLibre, layerId: string): number {
  const layers = styleLayers(map, layerId);
  if (layers.length === 0) return 0;
  const seen = new Set<unknown>();
  for (const feature of map.queryRenderedFeatures({ layers })) {
    seen.add(feature.id ?? JSON.stringify(feature.properties));
  }
  return seen.size;
}

/** The style layers that draw a layer, without the marks on features that are looked at. */
export function styleLayers(map: MapLibre, layerId: string): string[] {
  return map.getLayersOrder().filter((id) => map.getLayer(id)?.source === layerId && !id.includes(":mark-"));
}
