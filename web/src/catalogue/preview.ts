/** A look at the table that is open in the catalogue: its shapes, on this person's map only, and what is noted of it. */
import { effect, signal } from "@preact/signals";
import type { FeatureCollection } from "geojson";
import type { GeoJSONSource, Map as MapLibre } from "maplibre-gl";
import { addressOf } from "../data/tables";
import type { Stop } from "../ui/stops";

const SOURCE = "geoagent-preview";
const COLOUR = "#8a5cf6";
interface Preview extends FeatureCollection {
  notes: { title: string; body: string }[];
}

const NOTHING: Preview = { type: "FeatureCollection", features: [], notes: [] };

export const preview = signal(NOTHING);
let asked = 0;

/** Shows the table, or with null none; a late answer to an earlier question does not count. */
export async function look(table: string | null): Promise<void> {
  const own = ++asked;
  preview.value = NOTHING;
  if (table === null) return;
  const answer = await fetch(addressOf(`/${encodeURIComponent(table)}/preview`)).catch(() => null);
  const found = answer?.ok === true ? ((await answer.json()) as Preview) : NOTHING;
  if (own === asked) preview.value = found;
}

/** Shows these shapes, of files that are not loaded yet. */
export function lookAtShapes(features: FeatureCollection["features"]): void {
  asked += 1;
  preview.value = { ...NOTHING, features };
}

export function installPreview(map: MapLibre): Stop {
  let stop: Stop | undefined;
  map.once("style.load", () => {
    map.addSource(SOURCE, { type: "geojson", data: NOTHING });
    const only = (kind: string): ["==", ["geometry-type"], string] => ["==", ["geometry-type"], kind];
    map.addLayer({ id: `${SOURCE}-fill`, type: "fill", source: SOURCE, filter: only("Polygon"), paint: { "fill-color": COLOUR, "fill-opacity": 0.15 } });
    map.addLayer({ id: `${SOURCE}-line`, type: "line", source: SOURCE, paint: { "line-color": COLOUR, "line-width": 1.5 } });
    map.addLayer({
      id: `${SOURCE}-point`, type: "circle", source: SOURCE, filter: only("Point"),
      paint: { "circle-color": COLOUR, "circle-radius": 3.5, "circle-stroke-color": "#fff", "circle-stroke-width": 1 },
    });
    stop = effect(() => void (map.getSource(SOURCE) as GeoJSONSource | undefined)?.setData(preview.value));
  });
  return () => stop?.();
}
