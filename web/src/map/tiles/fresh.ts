/**
 * When the address of a source changes while a tile is loading, or together with a property of a style layer, MapLibre
 * only parses again what it has. Here tiles are always fetched from the address that the source has now, and requests
 * to an older one are abandoned.
 */
import type { VectorTileSource } from "maplibre-gl";

type Tile = Parameters<VectorTileSource["loadTile"]>[0];
export type TileSource = Pick<VectorTileSource, "loadTile" | "tiles">;

/** To be called once, when the source has been added. */
export function fetchFromNewAddress(source: TileSource): void {
  const load = source.loadTile.bind(source);
  const loads = new WeakMap<Tile, { address: string | undefined; work: Promise<unknown> }>();
  source.loadTile = async (tile) => {
    const before = loads.get(tile);
    if (before !== undefined && before.address !== source.tiles[0]) {
      tile.abortController?.abort();
      await before.work.catch(() => undefined);
      if (tile.aborted) return;
      // In this state MapLibre fetches a tile.
      tile.state = "expired";
    }
    const work = load(tile);
    loads.set(tile, { address: source.tiles[0], work });
    return work;
  };
}
