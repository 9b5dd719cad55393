/** Elements on the map, each at its place: made, moved and removed as the wanted places change. */
import { type Map as MapLibre, Marker, type MarkerOptions } from "maplibre-gl";
import { effect } from "@preact/signals";
import type { Stop } from "../../ui/stops";

export interface Placed {
  at: [number, number];
  /** Makes the element what it shall look like now. */
  dress(element: HTMLElement): void;
}

/** `wanted` says by id what shall be there, whenever a signal that it reads has changed. */
export function keepMarkers(
  map: MapLibre, anchor: NonNullable<MarkerOptions["anchor"]>, make: (id: string) => HTMLElement, wanted: () => ReadonlyMap<string, Placed>,
): Stop {
  const markers = new Map<string, Marker>();
  return effect(() => {
    const now = wanted();
    for (const [id, marker] of markers) {
      if (now.has(id)) continue;
      marker.remove();
      markers.delete(id);
    }
    for (const [id, { at, dress }] of now) {
      const marker = markers.get(id)?.setLngLat(at) ?? new Marker({ element: make(id), anchor }).setLngLat(at).addTo(map);
      markers.set(id, marker);
      dress(marker.getElement());
    }
  });
}
