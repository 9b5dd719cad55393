/**
 * MapLibre parses again what it has when the address of a source changes while a tile is loading, or together with a
 * property of a style layer; and of two loads of a tile at once it keeps the one that ends last, whichever address it
 * is from. Here a tile loads once at a time, always from the address that the source has then, and a load from an
 * older address is abandoned.
 */
import type { VectorTileSource } from "maplibre-gl";

type Tile = Parameters<VectorTileSource["loadTile"]>[0];
type Loaded = Awaited<ReturnType<VectorTileSource["loadTile"]>>;
export type TileSource = Pick<VectorTileSource, "loadTile" | "abortTile" | "tiles"> & { map: Pick<VectorTileSource["map"], "triggerRepaint"> };

/** A load of a tile: its address, its end, and the load that follows it, which all who ask meanwhile share. */
interface Loading {
  address: string | undefined;
  ends: Promise<Loaded>;
  next: Promise<Loaded> | null;
}

/** To be called once, when the source has been added. */
export function fetchFromNewAddress(source: TileSource): void {
  const load = source.loadTile.bind(source);
  const loading = new WeakMap<Tile, Loading>();
  /** From where the tile has what can be parsed again. */
  const shown = new WeakMap<Tile, string | undefined>();

  async function fetched(tile: Tile, address: string | undefined): Promise<Loaded> {
    if (tile.actor !== undefined && shown.get(tile) !== address) {
      // In this state MapLibre fetches a tile; otherwise it parses what it has, or waits for a load that is over.
      tile.state = "expired";
      // MapLibre does not parse a tile whose ETag is the same, although a style may have changed with the address.
      delete tile.etag;
    }
    // A load that is abandoned or fails leaves nothing that could be parsed again.
    shown.delete(tile);
    const result = await load(tile);
    if (result === undefined) return;
    shown.set(tile, address);
    // For an unchanged tile MapLibre fires no event, and becomes idle only when something else is drawn.
    if (result.unmodified) source.map.triggerRepaint();
    return result;
  }

  async function begin(tile: Tile): Promise<Loaded> {
    const address = source.tiles[0];
    const ends = fetched(tile, address).finally(() => loading.get(tile)?.ends === ends && loading.delete(tile));
    loading.set(tile, { address, ends, next: null });
    return ends;
  }

  source.loadTile = (tile) => {
    const now = loading.get(tile);
    if (now === undefined) return begin(tile);
    if (now.address !== source.tiles[0]) void source.abortTile(tile);
    return (now.next ??= now.ends.catch(() => undefined).then(() => (tile.aborted ? undefined : begin(tile))));
  };
}
