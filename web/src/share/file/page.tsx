/**
 * The script of a map that was saved as one file (scripts/file.mjs makes the page, the server puts the map into it).
 * It sends no requests: data, base map and MapLibre's worker are in the file.
 */
import "maplibre-gl/dist/maplibre-gl.css";
import "../../theme/base.css";
import "../../theme/layers.css";
import "../../theme/legend.css";
import "../../theme/charts.css";
import "./page.css";
import type { FeatureCollection } from "geojson";
import {
  AttributionControl, type LayerSpecification, Map as MapLibre, type MapGeoJSONFeature, NavigationControl, Popup, ScaleControl,
  setWorkerUrl,
} from "maplibre-gl";
import { signal } from "@preact/signals";
import { render } from "preact";
import borders from "../../basemap/data/borders-50m.json?raw";
import labels from "../../basemap/data/labels.json?raw";
import land from "../../basemap/data/land-50m.json?raw";
import { basemapOf, NAMES, TOP } from "../../basemap/style";
import { direction, language, locale, number, t } from "../../i18n/i18n";
import { startLanguage } from "../../i18n/languages";
import { LegendView, Swatch } from "../../layers/style/legend";
import { drawn, namesAreas, PLAIN } from "../../map/drawing/drawn";
import { installGlyphs } from "../../map/drawing/glyphs";
import { type Ceilings, placeOf } from "../../map/drawing/plan";
import { formatDate, formatValue } from "../../i18n/format";
import type { Layer } from "../../protocol/types";
import { ChartView, type SavedChart } from "./charts";

interface Saved {
  saved: string;
  layers: {
    layer: Layer & { shown: number; total: number; tolerance: number; fault?: string };
    data: Record<"features" | "points", FeatureCollection["features"]>;
  }[];
  charts: SavedChart[];
}

const EQUATOR_DEGREE_M = 111_320;

const text = (id: string): string => document.getElementById(id)?.textContent ?? "";
const saved = JSON.parse(text("map")) as Saved;
const shown = saved.layers.map(({ layer }) => ({ ...layer, tiles: "in this file" }));
/** Layers that are not drawn now. */
const hidden = signal<ReadonlySet<string>>(new Set(shown.filter((layer) => !layer.visible).map(({ id }) => id)));

await startLanguage();
document.documentElement.lang = language.value;
document.documentElement.dir = direction.value;
setWorkerUrl(URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" })));

const map = new MapLibre({
  container: "canvas",
  style: basemapOf("light", { land: JSON.parse(land), borders: JSON.parse(borders), labels: JSON.parse(labels) }),
  center: [10, 22],
  zoom: 1.2,
  attributionControl: false,
  locale: {
    "Map.Title": t("mapLabel"), "NavigationControl.ZoomIn": t("zoomIn"), "NavigationControl.ZoomOut": t("zoomOut"),
    "NavigationControl.ResetBearing": t("northUp"), "ScaleControl.Meters": t("metres"), "ScaleControl.Kilometers": t("kilometres"),
  },
});
// The legend is at the start of the page, and may be high.
const [start, end] = direction.value === "rtl" ? (["bottom-right", "bottom-left"] as const) : (["bottom-left", "bottom-right"] as const);
map.addControl(new AttributionControl({ compact: false }), end);
installGlyphs(map);
map.addControl(new NavigationControl(), end);
map.addControl(new ScaleControl({}), start);
map.once("style.load", draw);
map.on("click", ({ point, lngLat }) => {
  const layers = map.getLayersOrder().filter((id) => !id.startsWith("basemap-"));
  const [feature] = map.queryRenderedFeatures([[point.x - 4, point.y - 4], [point.x + 4, point.y + 4]], { layers });
  if (feature !== undefined) new Popup({ maxWidth: "320px" }).setLngLat(lngLat).setDOMContent(attributes(feature)).addTo(map);
});
render(<Legend />, document.getElementById("legend") as HTMLElement);
Object.assign(window, { geoagent: { map } });

/** As on the page: labels give way to the names of countries. */
const CEILINGS: Ceilings = { shapes: TOP, labels: NAMES };

function draw(): void {
  for (const { layer, data } of saved.layers) {
    for (const name of ["features", "points"] as const) {
      map.addSource(`${layer.id}/${name}`, { type: "geojson", data: { type: "FeatureCollection", features: data[name] } });
    }
  }
  for (const { source, "source-layer": part, ...layer } of drawn(shown, "", { ...PLAIN, locale: locale.value }).layers) {
    map.addLayer({ ...layer, source: `${String(source)}/${part ?? "features"}` } as LayerSpecification, CEILINGS[placeOf(layer)]);
  }
  if (shown.some(namesAreas)) map.setLayoutProperty(NAMES, "visibility", "none");
  const boxes = shown.flatMap((layer) => (layer.visible && layer.bounds !== null && layer.bounds[0] <= layer.bounds[2] ? [layer.bounds] : []));
  if (boxes.length === 0) return;
  const all = (index: 0 | 1 | 2 | 3) => boxes.map((box) => box[index]);
  map.fitBounds(
    [Math.min(...all(0)), Math.max(-85, Math.min(...all(1))), Math.max(...all(2)), Math.min(85, Math.max(...all(3)))],
    { padding: 48, maxZoom: 12, duration: 0 },
  );
}

function toggle(layerId: string): void {
  const next = new Set(hidden.value);
  if (!next.delete(layerId)) next.add(layerId);
  hidden.value = next;
  for (const { id, source } of drawn(shown, "").layers) {
    if (source === layerId) map.setLayoutProperty(id, "visibility", next.has(layerId) ? "none" : "visible");
  }
}

/** As text: nothing of a table is ever read as HTML. */
function attributes({ properties, source }: MapGeoJSONFeature): HTMLElement {
  const list = document.createElement("dl");
  const title = document.createElement("strong");
  title.dir = "auto";
  title.textContent = shown.find((layer) => source.startsWith(`${layer.id}/`))?.name ?? "";
  list.append(title);
  for (const [name, value] of Object.entries(properties)) {
    const [term, shown] = [document.createElement("dt"), document.createElement("dd")];
    [term.dir, shown.dir] = ["auto", "auto"];
    term.textContent = name;
    shown.textContent = formatValue(name, value);
    list.append(term, shown);
  }
  return list;
}

function Legend() {
  return (
    <>
      <h1>GeoAgent</h1>
      {shown.toReversed().map((layer) => (
        <section key={layer.id}>
          <h2>
            <label>
              <input type="checkbox" checked={!hidden.value.has(layer.id)} onChange={() => toggle(layer.id)} />
              <OnlySwatch layer={layer} />
              <span dir="auto">{layer.name}</span>
            </label>
          </h2>
          {!hidden.value.has(layer.id) && <LegendView layer={layer} />}
          <p>{leftOut(layer)}</p>
        </section>
      ))}
      {saved.charts.map((each) => <ChartView key={each.chart.id} {...each} />)}
      <footer>{t("fileSaved", { date: formatDate(saved.saved.slice(0, 10)) ?? saved.saved })} {t("fileColumns")}</footer>
    </>
  );
}

function OnlySwatch({ layer: { legend } }: { layer: Layer }) {
  const [entry] = legend.entries;
  return legend.kind === "single" && entry !== undefined ? <Swatch entry={entry} shape={legend.shape} /> : null;
}

function leftOut({ shown: some, total, tolerance, fault }: (typeof shown)[number]): string {
  if (fault !== undefined) return t("fileNothing", { reason: fault });
  const metres = Math.round(tolerance * EQUATOR_DEGREE_M);
  const simpler = metres > 0 ? [t("fileSimpler", { metres })] : [];
  return [t("filePart", { shown: number(some), total: number(total) }), ...simpler].join(" · ");
}
