/**
 * Asks again for tiles that the server was too busy to draw: MapLibre itself would leave a hole until the map moves.
 */
import type { Map as MapLibre } from "maplibre-gl";

/** A tile's failure as MapLibre reports it. */
export interface TileError {
  sourceId?: string;
  error?: { message?: string; status?: number; url?: string; body?: Blob };
  tile?: { tileID: { canonical: { x: number; y: number; z: number } } };
}

const BUSY = [429, 503];
/** Milliseconds before each further attempt. The server's `Retry-After` is the first. */
const DELAYS = [2000, 4000, 8000, 16000];
/** Tiles that failed together are not asked for together again. */
const JITTER = 0.5;

export class TileRetries {
  private readonly attempts = new WeakMap<object, number>();
  private readonly waiting = new Map<string, number>();

  constructor(
    private readonly map: Pick<MapLibre, "getSource" | "refreshTiles">,
    private readonly random: () => number = Math.random,
  ) {}

  /** Plans to ask again for the tile of an error; false when that is of no use, or was done often enough. */
  take({ sourceId, error, tile }: TileError): boolean {
    if (sourceId === undefined || tile === undefined || !BUSY.includes(error?.status ?? 0)) return false;
    const attempt = this.attempts.get(tile) ?? 0;
    const delay = DELAYS[attempt];
    if (delay === undefined) return false;
    this.attempts.set(tile, attempt + 1);
    this.count(sourceId, 1);
    setTimeout(() => {
      this.count(sourceId, -1);
      if (this.map.getSource(sourceId)) this.map.refreshTiles(sourceId, [tile.tileID.canonical]);
    }, delay * (1 + JITTER * this.random()));
    return true;
  }

  /** Whether tiles of a source will be asked for again. */
  pending(sourceId: string): boolean {
    return this.waiting.has(sourceId);
  }

  private count(sourceId: string, change: number): void {
    const left = (this.waiting.get(sourceId) ?? 0) + change;
    if (left > 0) this.waiting.set(sourceId, left);
    else this.waiting.delete(sourceId);
  }
}
