/** Layers and events as the server writes them, for unit tests. */
import type { Layer } from "../protocol/types";
import type { MapEvent } from "../protocol/messages";

export function layer(id: string, change: Partial<Layer> = {}): Layer {
  return {
    id, table: `data.${id}`, name: id, geometry_type: "point", group: null, filter: null, visible: true, opacity: 1, order: 99,
    version: 1, count: 3, estimated: false, data: "", bounds: [-10, -10, 10, 10], tiles: `/tiles/m/${id}/1/{z}/{x}/{y}.mvt`,
    style: {
      kind: "single", statistic: null, color: "#ff0000", column: null, method: "quantile", classes: 5, breaks: [], values: [], ramp: null, size: null, blend: "normal", label: null, time: null,
      stroke: null, stroke_color: null, extrude: null, extrude_scale: null, hidden: [], label_size: null, label_overlap: false, label_min_zoom: null, tooltip: [], min_zoom: null, max_zoom: null,
      layers: [{
        type: "circle", paint: { "circle-color": "#ff0000" }, layout: {}, filter: null, minzoom: null, maxzoom: null,
        source_layer: "features",
      }],
    },
    legend: { title: id, kind: "single", shape: "circle", entries: [], note: null, wording: [] },
    ...change,
  };
}

/** An event numbered `seq` of map `m`. */
export function event(name: MapEvent["event"], seq: number, data: object = {}, turn: string | null = null): MapEvent {
  const common = { map_id: "m", seq, turn_id: turn, at: "2026-01-01T00:00:00Z" };
  return { event: name, data: { ...common, ...data } } as unknown as MapEvent;
}
