/** A click on a cell that counts features leads to these: the features of a hexagon or square are listed, a cluster splits. */
import type { MapGeoJSONFeature } from "maplibre-gl";
import { tableOf } from "../../data/tables";
import { layers, map } from "../../store/store";
import { ofLayer, readRows } from "../../data/rows";
import { type Found, inspect } from "../../instance/selection";

const MOST_LISTED = 50;

export const isCell = (feature: Pick<MapGeoJSONFeature, "properties">): boolean => "@cell" in feature.properties;

export const isCluster = (feature: MapGeoJSONFeature): boolean =>
  isCell(feature) && feature.geometry.type === "Point" && Number(feature.properties["count"]) > 1;

/** Adds the features of a cell to the card that is open on it, behind what the cell itself shows. */
export async function listInside(feature: MapGeoJSONFeature): Promise<void> {
  const opened = inspect.peek();
  const layer = layers.peek().find(({ id }) => id === feature.source);
  const column = layer === undefined ? undefined : tableOf(layer.table)?.columns.find(({ kind }) => kind === "geometry")?.name;
  if (map.value === null || opened === null || layer === undefined || column === undefined) return;
  const filter = { op: "s_intersects", args: [{ property: column }, feature.geometry] };
  // To count a cell of millions of rows again would take longer than to list some of them.
  const known = Number(feature.properties["count"]);
  const total = known > MOST_LISTED ? known : undefined;
  const page = await readRows(map.value.mapId, ofLayer(layer.id), { limit: MOST_LISTED, filter, total }).catch(() => null);
  if (page === null || inspect.peek() !== opened) return;
  const [key] = page.key;
  const inside = page.rows.map((row): Found => {
    const id = page.key.length === 1 && key !== undefined ? row[key] : null;
    return { layerId: layer.id, id: typeof id === "number" || typeof id === "string" ? id : null, properties: row };
  });
  const part = inside.length === MOST_LISTED && page.total > MOST_LISTED && { listed: MOST_LISTED };
  inspect.value = { ...opened, found: [...opened.found, ...inside], ...part };
}
