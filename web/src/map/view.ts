/**
 * The map on the screen. It gets what to show and makes the smallest change to get there; the camera moves only when
 * `look` is called or the user moves it. Its owner is informed of moves and receipts through `Hooks`; clicks and the pointer are the interaction's.
 */
import {
  AttributionControl, FullscreenControl, type GeoJSONSource, GeolocateControl, GlobeControl, type LayerSpecification, Map as MapLibre, type MapGeoJSONFeature,
  NavigationControl, type PaddingOptions, ScaleControl, setWorkerUrl, type StyleSpecification, type VectorTileSource,
} from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import type { Base } from "../basemap/types";
import { NAMES, type Palette, TOP } from "../basemap/style";
import { locale, t } from "../i18n/i18n";
import type { Layer } from "../protocol/types";
import { calm } from "../browser/motion";
import { session as stored } from "../browser/storage";
import { besideCard, covering } from "../geometry/covering";
import { middleOfWorld, zoomOfWorld } from "../geometry/sight";
import type { Bounds, Camera, Projection } from "../geometry/types";
import { drawn, type Looking, namesAreas, PLAIN } from "./drawing/drawn";
import { DRAWING } from "./drawing/overlays";
import { type Ceilings, NOTHING, type Operation, type Place, placeOf, plan } from "./drawing/plan";
import type { Drawn } from "./drawing/spec";
import { installBlending } from "./drawing/blend";
import { installGlyphs } from "./drawing/glyphs";
import { idOf } from "./identity";
import { fetchFromNewAddress } from "./tiles/fresh";
import { type Receipt, Receipts, takeTileFaults } from "./tiles/receipts";

setWorkerUrl(workerUrl);

/** Key under which this tab remembers a globe, for maps without a chosen projection. */
/** Zoom level for a single place, so that its surroundings show where it is, and the highest for an area. */
const [POINT_ZOOM, AREA_ZOOM] = [10, 16];
const GLOBE = "geoagent.globe";

/** Pixels of a side of a printed map; the long side of A3 at 300 dpi has 4,961. */
const MAX_PRINTED = 8192;

/** Parts of the page that may cover the map for long. */
const PANELS = ".search, .layers, .toolbar, .table-panel, .time";

export interface Hooks {
  receipt(receipt: Receipt): void;
  moved(bounds: Bounds, zoom: number, camera: Camera): void;
  /** The person made the map a globe, or flat. */
  projected(projection: Projection): void;
}

export interface Options {
  palette: Palette;
  base: Base;
  camera: Camera | null;
  /** Without controls or interaction: a picture of what another map shows. */
  isBare?: boolean;
  /** Dots per inch of paper, instead of those of the screen. */
  dpi?: number;
}

/** MapLibre names every property in its types; here names come from the server's style. */
interface Loose {
  setPaintProperty(id: string, name: string, value: unknown): void;
  setLayoutProperty(id: string, name: string, value: unknown): void;
}

export class MapView {
  readonly map: MapLibre;
  /** Another map that covers this one from so many pixels on; features there are picked from it. */
  beside: { view: MapView; begins: () => number } | null = null;
  readonly receipts: Receipts;
  private shown: Drawn = NOTHING;
  private wanted: { layers: readonly Layer[]; looking: Looking } = { layers: [], looking: PLAIN };
  /** The style layers whose features can be pointed at, without the marks over them. */
  private pickable: string[] = [];
  private ready = false;
  /** The first layer of the base map that lies over the data. */
  private top: string | undefined;
  private baseLayers = new Set<string>();
  private covered = 0;
  /** The zoom that the data of the base map is fine enough for. */
  private fineFrom = 0;
  /** What this page asked for last, or the person chose. */
  private projection: Projection = stored.getItem(GLOBE) === "true" ? "globe" : "mercator";

  constructor(container: HTMLElement, private readonly options: Options, private readonly hooks: Hooks) {
    const zoom = options.camera?.zoom ?? startZoom(container.clientWidth);
    this.map = new MapLibre({
      container,
      style: this.styleOf(options.base, zoom),
      center: options.camera?.center ?? [10, 22],
      zoom,
      bearing: options.camera?.bearing ?? 0,
      pitch: options.camera?.pitch ?? 0,
      attributionControl: false,
      interactive: options.isBare !== true,
      ...(options.dpi !== undefined && { pixelRatio: options.dpi / 96, maxCanvasSize: [MAX_PRINTED, MAX_PRINTED] as [number, number] }),
      locale: {
        "Map.Title": t("mapLabel"), "NavigationControl.ZoomIn": t("zoomIn"), "NavigationControl.ZoomOut": t("zoomOut"),
        "NavigationControl.ResetBearing": t("northUp"), "GeolocateControl.FindMyLocation": t("whereAmI"),
        "AttributionControl.ToggleAttribution": t("attribution"), "FullscreenControl.Enter": t("fullscreen"),
        "FullscreenControl.Exit": t("fullscreenExit"), "GlobeControl.Enable": t("globeOn"), "GlobeControl.Disable": t("globeOff"),
        "GeolocateControl.LocationNotAvailable": t("noLocation"),
        "ScaleControl.Meters": t("metres"), "ScaleControl.Kilometers": t("kilometres"),
      },
      maxPitch: 70,
      fadeDuration: calm() ? 0 : 150,
      cancelPendingTileRequestsWhileZooming: true,
    });
    installBlending(this.map);
    installGlyphs(this.map);
    this.receipts = new Receipts(this.map, (receipt) => hooks.receipt(receipt));
    if (options.isBare !== true) this.addControls();
    this.map.once("style.load", () => this.start());
    this.map.on("projectiontransition", () => {
      const now: Projection = this.map.getProjection()?.type === "globe" ? "globe" : "mercator";
      stored.setItem(GLOBE, String(now === "globe"));
      container.classList.toggle("globe", now === "globe");
      // Before the style has loaded, this is MapLibre's default and not a choice.
      if (!this.ready || now === this.projection) return;
      this.projection = now;
      hooks.projected(now);
    });
    this.map.on("moveend", () => this.moved());
    this.map.on("zoomend", () => this.refine());
  }

  /** Draws these layers, bottom first. */
  show(layers: readonly Layer[], looking: Looking = PLAIN): void {
    this.wanted = { layers, looking };
    if (!this.ready) return;
    const next = drawn(layers, location.origin, { ...looking, locale: locale.value });
    for (const operation of plan(this.shown, next, this.ceilings())) this.perform(operation);
    this.shown = next;
    this.pickable = next.layers.filter((it) => next.sources.get(it.source)?.type === "vector" && !it.id.includes(":mark-")).map(({ id }) => id);
    const seen = looking.isPast ? [] : layers.filter(({ id }) => looking.isolated === null || id === looking.isolated);
    this.receipts.expect(seen);
    this.nameCountries(!seen.some(namesAreas));
  }

  /** Countries are named by the base map, unless a layer names its areas. */
  private nameCountries(wanted: boolean): void {
    const visibility = wanted ? "visible" : "none";
    if (this.map.getLayer(NAMES) !== undefined && (this.map.getLayoutProperty(NAMES, "visibility") ?? "visible") !== visibility) {
      this.map.setLayoutProperty(NAMES, "visibility", visibility);
    }
  }

  /** Colours a base map that has a light and a dark side; others keep their colours. */
  paint(palette: Palette): void {
    this.options.palette = palette;
    const { layers } = this.options.base;
    if (layers === null || !this.ready) return;
    for (const layer of layers(palette)) {
      for (const [name, value] of Object.entries(layer.paint ?? {})) {
        this.loose.setPaintProperty(layer.id, name, value);
      }
    }
  }

  /** Draws another base map under the same layers: only the difference is drawn again, and the camera stays. */
  rebase(base: Base): void {
    if (base === this.options.base) return;
    if (!this.ready) return void this.map.once("style.load", () => this.rebase(base));
    this.options.base = base;
    this.map.setStyle(this.styleOf(base, this.map.getZoom()), {
      transformStyle: (before, next) => {
        if (before === undefined) return next;
        const own = before.layers.filter(({ id }) => !this.baseLayers.has(id));
        const kept = new Set(own.flatMap((layer) => ("source" in layer ? layer.source : [])));
        const placed = (place: Place) => own.filter((it) => !it.id.startsWith(DRAWING) && placeOf(it) === place);
        this.know(next.layers);
        const [under, above] = partedAt(next.layers, this.top);
        const [seas, names] = partedAt(above, NAMES);
        return {
          ...next,
          ...(before.projection && { projection: before.projection }),
          sources: { ...next.sources, ...Object.fromEntries(Object.entries(before.sources).filter(([id]) => kept.has(id))) },
          layers: [
            ...under, ...placed("shapes"), ...seas, ...placed("labels"), ...names, ...placed("numbers"),
            ...own.filter(({ id }) => id.startsWith(DRAWING)),
          ],
        };
      },
    });
  }

  /** Asks again for the tiles of a layer that could not be loaded. */
  reload(layerId: string): void {
    const failed = takeTileFaults(layerId);
    // Only by their names: refreshing all waits for ever for those that failed.
    if (this.map.getSource(layerId) !== undefined) this.map.refreshTiles(layerId, [...failed]);
  }

  /** Moves the map so far that a place is not under a card; it stays where the place is seen. */
  uncover(at: readonly [number, number], card: Element): void {
    const map = this.map.getContainer().getBoundingClientRect();
    const { x, y } = this.map.project([...at]);
    const shift = besideCard({ x: x + map.left, y: y + map.top }, map, card.getBoundingClientRect());
    if (shift !== null) this.map.panBy(shift, { animate: !calm() });
  }

  look(bounds: Bounds, options: { instantly?: boolean; pitch?: number } = {}): void {
    const [west, south, east, north] = bounds;
    const right = east < west ? east + 360 : east;
    // A panel that just changed with the map is as large as it will be in the next frame.
    requestAnimationFrame(() => {
      const padding = this.padding();
      const camera = this.map.cameraForBounds([west, Math.max(south, -85), right, Math.min(north, 85)], {
        padding, maxZoom: right === west && north === south ? POINT_ZOOM : AREA_ZOOM,
      });
      const height = this.map.getContainer().clientHeight;
      const isWorld = (camera?.zoom ?? 0) < zoomOfWorld(height) && this.map.getProjection()?.type !== "globe";
      this.map.flyTo({
        ...camera, ...(isWorld && { center: [middleOfWorld(bounds, padding, height), 0] }), duration: options.instantly || calm() ? 0 : 900, essential: true,
        ...(options.pitch !== undefined && { pitch: options.pitch }),
      });
    });
  }

  /** Goes to a camera that was saved. */
  go(camera: Camera): void {
    this.map.easeTo({ bearing: 0, pitch: 0, ...camera, duration: calm() ? 0 : 900, essential: true });
  }

  /** Goes nearer to a cluster, so that it splits. */
  approach({ geometry }: MapGeoJSONFeature): void {
    if (geometry.type === "Point") this.go({ ...this.camera(), center: geometry.coordinates as [number, number], zoom: this.map.getZoom() + 2 });
  }

  camera(): Camera {
    const { lng, lat } = this.map.getCenter();
    return { center: [lng, lat], zoom: this.map.getZoom(), bearing: this.map.getBearing(), pitch: this.map.getPitch() };
  }

  /** Draws a globe, or a flat map. */
  project(projection: Projection): void {
    this.projection = projection;
    if (this.ready && this.map.getProjection()?.type !== projection) this.map.setProjection({ type: projection });
  }

  /** Shows the part of the map that another person sees, as nearly as the shape of this page allows. */
  accompany([west, south, east, north]: Bounds): void {
    const right = east < west ? east + 360 : east;
    this.map.fitBounds([west, Math.max(south, -85), right, Math.min(north, 85)], { padding: 0, duration: calm() ? 0 : 250 });
  }

  /** Pixels at the bottom that are covered; the camera uses the rest. */
  cover(bottom: number): void {
    this.covered = bottom;
  }

  /** The middle of the visible part, in pixels. */
  middle(): { x: number; y: number } {
    const { clientWidth, clientHeight } = this.map.getContainer();
    return { x: clientWidth / 2, y: (clientHeight - this.covered) / 2 };
  }

  bounds(): Bounds {
    const box = this.map.getBounds();
    const wide = box.getEast() - box.getWest() >= 360;
    return [
      wide ? -180 : wrapped(box.getWest()), Math.max(-90, box.getSouth()),
      wide ? 180 : wrapped(box.getEast()), Math.min(90, box.getNorth()),
    ];
  }

  private styleOf(base: Base, zoom: number): StyleSpecification | string {
    const needed = zoom + this.dense;
    this.fineFrom = base.detail?.(needed).from ?? 0;
    return base.style(this.options.palette, needed);
  }

  /** Finer data of the base map where the zoom needs it. MapLibre shows the old until the new has come. */
  private refine(): void {
    const finer = this.options.base.detail?.(this.map.getZoom() + this.dense);
    if (!this.ready || finer === undefined || finer.from <= this.fineFrom) return;
    this.fineFrom = finer.from;
    for (const [id, data] of Object.entries(finer.data)) this.map.getSource<GeoJSONSource>(id)?.setData(data);
  }

  /** Zoom levels by which the pixels of paper are smaller than those of the screen. */
  private get dense(): number {
    return Math.log2((this.options.dpi ?? 96) / 96);
  }

  private get loose(): Loose {
    return this.map as Loose;
  }

  private start(): void {
    this.ready = true;
    this.project(this.projection);
    this.know(this.map.getStyle().layers);
    this.paint(this.options.palette);
    this.show(this.wanted.layers, this.wanted.looking);
    if (this.covered > 0) this.map.panBy([0, this.covered / 2], { duration: 0 });
    this.moved();
  }

  /** Which layers are the base map's; data goes below its first names, so that they stay readable. */
  private know(layers: LayerSpecification[]): void {
    this.baseLayers = new Set(layers.map(({ id }) => id));
    this.top = this.baseLayers.has(TOP) ? TOP : layers.find((layer) => layer.type === "symbol")?.id;
  }

  /** Nothing of the layers is over what a person is drawing. */
  private ceilings(): Ceilings {
    const drawing = this.map.getLayersOrder().find((id) => id.startsWith(DRAWING));
    return { shapes: this.top ?? drawing, labels: this.baseLayers.has(NAMES) ? NAMES : drawing, numbers: drawing };
  }

  private perform(operation: Operation): void {
    const { map } = this;
    switch (operation.do) {
      case "addSource": {
        map.addSource(operation.id, operation.source);
        return operation.source.type === "vector" ? fetchFromNewAddress(map.getSource(operation.id) as VectorTileSource) : undefined;
      }
      case "removeSource": return void map.removeSource(operation.id);
      case "setTiles": {
        map.getSource<VectorTileSource>(operation.id)?.setTiles(operation.tiles);
        return this.reload(operation.id);
      }
      case "setData": return void map.getSource<GeoJSONSource>(operation.id)?.setData(operation.data);
      case "addLayer": return void map.addLayer(operation.layer, operation.before);
      case "removeLayer": return void map.removeLayer(operation.id);
      case "moveLayer": return void map.moveLayer(operation.id, operation.before);
      case "setPaint": return void this.loose.setPaintProperty(operation.id, operation.name, operation.value);
      case "setLayout": return void this.loose.setLayoutProperty(operation.id, operation.name, operation.value);
      case "setFilter": return void map.setFilter(operation.id, operation.filter);
      case "setZoomRange": return void map.setLayerZoomRange(operation.id, operation.minzoom, operation.maxzoom);
    }
  }

  private addControls(): void {
    this.map.addControl(new AttributionControl({ compact: true }), "bottom-right");
    this.map.addControl(new NavigationControl({ visualizePitch: true }), "bottom-right");
    this.map.addControl(new GlobeControl(), "bottom-right");
    this.map.addControl(new FullscreenControl({ container: document.documentElement }), "bottom-right");
    this.map.addControl(new GeolocateControl({ showAccuracyCircle: true }), "bottom-right");
    this.map.addControl(new ScaleControl({ maxWidth: 96 }), "bottom-left");
  }

  private moved(): void {
    this.hooks.moved(this.bounds(), this.map.getZoom(), this.camera());
  }

  /** Data features around a point, topmost first, each once. */
  featuresAt({ x, y }: { x: number; y: number }, reach: number): MapGeoJSONFeature[] {
    if (this.beside !== null && x > this.beside.begins()) return this.beside.view.featuresAt({ x, y }, reach);
    const layers = this.pickable;
    if (layers.length === 0) return [];
    const seen = new Set<string>();
    return this.map.queryRenderedFeatures([[x - reach, y - reach], [x + reach, y + reach]], { layers }).filter((it) => {
      const key = `${it.source} ${idOf(it) ?? JSON.stringify(it.properties)}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  private padding(): PaddingOptions {
    const container = this.map.getContainer();
    const { left, top, right, bottom } = container.getBoundingClientRect();
    const panels = [...(container.parentElement?.querySelectorAll(PANELS) ?? [])].map((panel) => panel.getBoundingClientRect());
    const sheet = Math.min(this.covered, (bottom - top) / 2);
    const taken = covering({ left, top, right, bottom: bottom - sheet }, panels);
    const margin = Math.min(48, (right - left - taken.left - taken.right) / 8, (bottom - top - sheet - taken.top - taken.bottom) / 8);
    return { left: taken.left + margin, right: taken.right + margin, top: taken.top + margin, bottom: taken.bottom + sheet + margin };
  }
}

function startZoom(width: number): number {
  return Math.max(0.4, Math.min(2, Math.log2(width / 512) + 0.2));
}

function wrapped(longitude: number): number {
  return longitude >= -180 && longitude <= 180 ? longitude : ((((longitude + 180) % 360) + 360) % 360) - 180;
}

/** The style layers before this one, and the others; all are before one that is not there. */
function partedAt(layers: LayerSpecification[], id: string | undefined): [LayerSpecification[], LayerSpecification[]] {
  const at = layers.findIndex((layer) => layer.id === id);
  return at === -1 ? [layers, []] : [layers.slice(0, at), layers.slice(at)];
}
