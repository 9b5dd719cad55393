/**
 * Reads a PMTiles archive, version 3 (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md), by range requests:
 * its header, what it says of itself, and single tiles, found through directories that are read as they are needed.
 */

export type Read = (offset: number, length: number, signal?: AbortSignal) => Promise<ArrayBuffer>;

export interface Header {
  /** 1 is vector tiles, all else pictures. */
  type: number;
  zooms: [least: number, most: number];
  /** West, south, east, north. */
  bounds: [number, number, number, number];
  metadata: Part;
  root: Part;
  leaves: number;
  tiles: number;
  /** How directories and metadata are compressed, and how tiles are: 1 not at all, 2 by gzip. */
  compression: [inner: number, tiles: number];
}

interface Part {
  offset: number;
  length: number;
}

/** `run` tiles from `id` on; none where this leads to a further directory. */
interface Entry extends Part {
  id: number;
  run: number;
}

export const VECTOR = 1;
/** The header and the first directory lie within so many bytes. */
const BEGINNING = 16_384;
const MAGIC = "PMTiles\u0003";
const DEEPEST = 4;
const KEPT = 64;

export class Archive {
  private beginning: Promise<ArrayBuffer> | null = null;
  private readonly directories = new Map<number, Promise<Entry[]>>();

  constructor(private readonly read: Read) {}

  async header(): Promise<Header> {
    try {
      this.beginning ??= this.read(0, BEGINNING);
      return headerOf(await this.beginning);
    } catch (error) {
      // What failed once may succeed the next time.
      this.beginning = null;
      throw error;
    }
  }

  async metadata(): Promise<Record<string, unknown>> {
    const { metadata, compression } = await this.header();
    const text = await unpacked(await this.read(metadata.offset, metadata.length), compression[0]);
    return JSON.parse(new TextDecoder().decode(text)) as Record<string, unknown>;
  }

  /** Null where the archive has no such tile. */
  async tile(z: number, x: number, y: number, signal?: AbortSignal): Promise<ArrayBuffer | null> {
    const header = await this.header();
    const id = tileId(z, x, y);
    let part = header.root;
    for (let depth = 0; depth < DEEPEST; depth++) {
      const entry = found(await this.directory(part, header.compression[0]), id);
      if (entry === null) return null;
      if (entry.run > 0) {
        return unpacked(await this.read(header.tiles + entry.offset, entry.length, signal), header.compression[1]);
      }
      part = { offset: header.leaves + entry.offset, length: entry.length };
    }
    throw new Error("The directories of the archive are nested too deeply.");
  }

  private directory({ offset, length }: Part, compression: number): Promise<Entry[]> {
    const known = this.directories.get(offset);
    if (known !== undefined) return known;
    const whole = offset + length <= BEGINNING && this.beginning !== null;
    const bytes = whole ? this.beginning!.then((it) => it.slice(offset, offset + length)) : this.read(offset, length);
    const entries = bytes.then((it) => unpacked(it, compression)).then(entriesOf);
    entries.catch(() => this.directories.delete(offset));
    this.directories.set(offset, entries);
    const [oldest] = this.directories.keys();
    if (this.directories.size > KEPT && oldest !== undefined) this.directories.delete(oldest);
    return entries;
  }
}

export function overHttp(url: string): Read {
  return async (offset, length, signal) => {
    const answer = await fetch(url, { headers: { Range: `bytes=${offset}-${offset + length - 1}` }, signal: signal ?? null });
    if (answer.status !== 206) throw new Error(`${new URL(url).host}: ${answer.ok ? "it does not answer range requests" : answer.status}`);
    return answer.arrayBuffer();
  };
}

/** Tiles are numbered zoom by zoom, along a Hilbert curve. */
export function tileId(z: number, x: number, y: number): number {
  const side = 2 ** z;
  let id = (4 ** z - 1) / 3;
  for (let half = side / 2; half >= 1; half /= 2) {
    const [right, down] = [(x & half) > 0 ? 1 : 0, (y & half) > 0 ? 1 : 0];
    id += half * half * ((3 * right) ^ down);
    if (down === 0) [x, y] = right === 1 ? [side - 1 - y, side - 1 - x] : [y, x];
  }
  return id;
}

function headerOf(bytes: ArrayBuffer): Header {
  const view = new DataView(bytes);
  const magic = String.fromCharCode(...new Uint8Array(bytes.slice(0, MAGIC.length)));
  if (magic !== MAGIC || bytes.byteLength < 127) throw new Error("This is no PMTiles archive of version 3.");
  const number = (at: number) => Number(view.getBigUint64(at, true));
  const degrees = (at: number) => view.getInt32(at, true) / 1e7;
  return {
    root: { offset: number(8), length: number(16) }, metadata: { offset: number(24), length: number(32) },
    leaves: number(40), tiles: number(56), compression: [view.getUint8(97), view.getUint8(98)], type: view.getUint8(99),
    zooms: [view.getUint8(100), view.getUint8(101)], bounds: [degrees(102), degrees(106), degrees(110), degrees(114)],
  };
}

/** Columns of numbers: ids (as differences), runs, lengths, offsets (0 is right behind the one before, else one more). */
function entriesOf(bytes: ArrayBuffer): Entry[] {
  const data = new Uint8Array(bytes);
  let at = 0;
  const next = () => {
    let [value, scale, byte] = [0, 1, 0];
    do {
      byte = data[at++] ?? 0;
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
  const count = next();
  const column = () => Array.from({ length: count }, next);
  const [steps, runs, lengths, places] = [column(), column(), column(), column()];
  let [id, offset] = [0, 0];
  return steps.map((step, i) => {
    const [length, place, run] = [lengths[i] ?? 0, places[i] ?? 0, runs[i] ?? 0];
    id += step;
    const entry = { id, run, length, offset: place === 0 ? offset : place - 1 };
    offset = entry.offset + length;
    return entry;
  });
}

/** The last entry that begins at or before the tile, if the tile is in it or below it. */
function found(entries: readonly Entry[], id: number): Entry | null {
  let [low, high] = [0, entries.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.id ?? 0) <= id) low = middle + 1;
    else high = middle - 1;
  }
  const entry = entries[high];
  return entry !== undefined && (entry.run === 0 || id - entry.id < entry.run) ? entry : null;
}

async function unpacked(bytes: ArrayBuffer, compression: number): Promise<ArrayBuffer> {
  if (compression < 2) return bytes;
  if (compression > 2) throw new Error("The archive is compressed in another way than by gzip.");
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
