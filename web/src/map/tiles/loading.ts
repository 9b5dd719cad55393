/** Which layers wait for tiles, once that takes so long that people wonder. */
import { signal } from "@preact/signals";
import type { Map as MapLibre } from "maplibre-gl";
import { layers } from "../../store/store";
import type { Stop } from "../../ui/stops";
import type { Receipts } from "./receipts";

export const loading = signal<ReadonlySet<string>>(new Set());

/** Milliseconds. */
const PAUSE = 400;

export function installLoading(map: MapLibre, receipts: Receipts): Stop {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    timer = undefined;
    const now = layers.peek().map(({ id }) => id).filter((id) => receipts.isLoading(id));
    const { value: before } = loading;
    if (now.length !== before.size || now.some((id) => !before.has(id))) loading.value = new Set(now);
    if (now.length > 0) begin();
  };
  const begin = () => void (timer ??= setTimeout(look, PAUSE));
  map.on("sourcedataloading", begin);
  return () => {
    clearTimeout(timer);
    map.off("sourcedataloading", begin);
  };
}
