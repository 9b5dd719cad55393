/**
 * The built-in base map: land, borders and names of the world, drawn without any request beyond this server.
 * Two palettes of the same layers, so that changing the theme sets colours and reloads nothing.
 */
import type { GeoJSON } from "geojson";
import type { LayerSpecification, StyleSpecification } from "maplibre-gl";

export type Palette = "light" | "dark";

/** Shapes of layers are drawn below this layer, so that names stay readable. */
export const TOP = "basemap-seas";

/** The names of countries: labels of layers are drawn below this layer, and so give way to it. */
export const NAMES = "basemap-names";

export const COLOURS = {
  light: {
    water: "#d9e4ea", land: "#f7f6f2", border: "#c2beb2", name: "#4b4a45", halo: "#fbfaf7", sea: "#7f9cab",
    seaHalo: "#d9e4ea",
  },
  dark: {
    water: "#12171d", land: "#1f262e", border: "#414d59", name: "#b9c3cd", halo: "#14191f", sea: "#54687a",
    seaHalo: "#12171d",
  },
};

export const FONT = ["system-ui", "sans-serif"];

/** What is drawn: addresses of GeoJSON, or GeoJSON itself. */
export type World = Record<"land" | "borders" | "labels", string | GeoJSON>;

export function basemapOf(palette: Palette, world: World): StyleSpecification {
  return {
    version: 8,
    name: `GeoAgent ${palette}`,
    sources: {
      "basemap-land": {
        type: "geojson", data: world.land, maxzoom: 7, tolerance: 0.3,
        attribution: '<a href="https://www.naturalearthdata.com" target="_blank" rel="noopener">Natural Earth</a>',
      },
      "basemap-borders": { type: "geojson", data: world.borders, maxzoom: 7, tolerance: 0.3 },
      "basemap-labels": { type: "geojson", data: world.labels, maxzoom: 7 },
    },
    layers: layers(COLOURS[palette]),
  };
}

function layers(colour: (typeof COLOURS)[Palette]): LayerSpecification[] {
  return [
    { id: "basemap-water", type: "background", paint: { "background-color": colour.water } },
    { id: "basemap-land", type: "fill", source: "basemap-land", paint: { "fill-color": colour.land } },
    {
      id: "basemap-borders", type: "line", source: "basemap-borders",
      layout: { "line-join": "round" },
      paint: {
        "line-color": colour.border,
        "line-width": ["interpolate", ["linear"], ["zoom"], 1, 0.5, 5, 1, 9, 1.6],
      },
    },
    {
      id: TOP, type: "symbol", source: "basemap-labels",
      filter: ["all", ["==", ["get", "kind"], "sea"], [">=", ["zoom"], ["get", "rank"]]],
      layout: {
        "text-field": ["get", "name"], "text-font": ["Georgia", "serif"], "text-max-width": 6, "text-letter-spacing": 0.12,
        "text-size": ["interpolate", ["linear"], ["zoom"], 1, 10.5, 5, 14], "text-padding": 12,
      },
      paint: { "text-color": colour.sea, "text-halo-color": colour.seaHalo, "text-halo-width": 1 },
    },
    {
      id: NAMES, type: "symbol", source: "basemap-labels",
      filter: ["all", ["==", ["get", "kind"], "country"], [">=", ["zoom"], ["get", "rank"]]],
      layout: {
        "text-field": ["get", "name"], "text-font": FONT, "text-max-width": 7, "text-padding": 4,
        "symbol-sort-key": ["-", 0, ["get", "area"]],
        "text-size": [
          "interpolate", ["linear"], ["zoom"],
          1, ["match", ["get", "rank"], 0, 11, 10], 6, ["match", ["get", "rank"], 0, 17, 1, 15, 2, 14, 12.5],
        ],
      },
      paint: {
        "text-color": colour.name, "text-halo-color": colour.halo, "text-halo-width": 1.6,
        "text-opacity": ["interpolate", ["linear"], ["zoom"], 7, 1, 9, 0.5],
      },
    },
  ];
}
