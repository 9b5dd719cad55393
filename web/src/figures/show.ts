/** From a figure to its features on the map: marked where a layer draws them, else added as a layer of their own. */
import { t } from "../i18n/i18n";
import { boxed, inspect } from "../instance/selection";
import type { Layer } from "../protocol/types";
import { zoomTo } from "../session/camera";
import { addLayer } from "../session/commands";
import { layers } from "../store/store";
import { notify } from "../ui/toast";
import { readRows, type Rows } from "./rows";
import type { Looked } from "../instance/figure";

/** The server gives no more rows at once, and more marks would hide the map. */
const MOST = 1000;

/** The topmost visible layer of the table, whose features can be named by one column. */
export function drawnBy({ table, key }: Rows): Layer | undefined {
  return key.length === 1 ? layers.value.findLast((layer) => layer.table === table && layer.visible) : undefined;
}

/** Rejects with words for people. */
export async function show(mapId: string, looked: Looked, first: Rows): Promise<void> {
  const layer = drawnBy(first);
  if (layer === undefined) {
    if (await addLayer(first.table, undefined, first.filter)) zoomTo(first.bounds);
    return;
  }
  const [key = ""] = first.key;
  const { rows, total } = first.total > first.rows.length ? await readRows(mapId, looked, 0, MOST) : first;
  const ids = rows.map((row) => row[key]).filter((id) => typeof id === "number" || typeof id === "string");
  inspect.value = null;
  boxed.value = { layerId: layer.id, ids };
  zoomTo(first.bounds);
  if (total > ids.length) notify(t("figureFirst", { n: ids.length, count: total }), "note");
}
