// @vitest-environment node
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { Archive, overHttp, type Read, tileId, VECTOR } from "./pmtiles";

type Line = { id: number; run: number; length: number; offset: number };

function varint(value: number): number[] {
  return value > 127 ? [(value & 127) | 128, ...varint(Math.floor(value / 128))] : [value];
}

function directory(lines: Line[]): Buffer {
  const ids = lines.map((line, i) => line.id - (lines[i - 1]?.id ?? 0));
  const columns = [ids, lines.map((it) => it.run), lines.map((it) => it.length), lines.map((it) => it.offset + 1)];
  return gzipSync(Buffer.from([...varint(lines.length), ...columns.flat().flatMap(varint)]));
}

/** Two tiles of zoom 1 in the root, one of zoom 2 in a leaf far behind; what was read is noted. */
function archive(): { read: Read; asked: [number, number][] } {
  const tiles = [gzipSync("first"), gzipSync("deep")];
  const leaf = directory([{ id: tileId(2, 3, 3), run: 1, length: tiles[1]!.length, offset: tiles[0]!.length }]);
  const root = directory([{ id: 1, run: 2, length: tiles[0]!.length, offset: 0 }, { id: 5, run: 0, length: leaf.length, offset: 0 }]);
  const metadata = gzipSync('{"name": "Ü"}');
  const [atMetadata, atLeaves, atTiles] = [127 + root.length, 20_000, 30_000];
  const header = Buffer.alloc(127);
  header.write("PMTiles\u0003", "latin1");
  [127, root.length, atMetadata, metadata.length, atLeaves, leaf.length, atTiles, 100].forEach((it, i) => header.writeBigUInt64LE(BigInt(it), 8 + i * 8));
  [1, 2, 2, VECTOR, 1, 2].forEach((it, i) => header.writeUInt8(it, 96 + i));
  [-10, -20, 30, 40].forEach((it, i) => header.writeInt32LE(it * 1e7, 102 + i * 4));
  const file = Buffer.alloc(31_000);
  for (const [part, at] of [[header, 0], [root, 127], [metadata, atMetadata], [leaf, atLeaves], [Buffer.concat(tiles), atTiles]] as const) part.copy(file, at);
  const asked: [number, number][] = [];
  const read: Read = (offset, length) => {
    asked.push([offset, length]);
    return Promise.resolve(new Uint8Array(file.subarray(offset, offset + length)).buffer);
  };
  return { read, asked };
}

const text = (bytes: ArrayBuffer | null) => bytes && new TextDecoder().decode(bytes);

it("tiles are numbered as the specification has it", () => {
  expect([[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0], [2, 0, 0]].map(([z, x, y]) => tileId(z!, x!, y!))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(tileId(12, 3423, 1763)).toBe(19_078_479);
  const ids = new Set(Array.from({ length: 256 }, (_, i) => tileId(4, i % 16, i >> 4)));
  expect([Math.min(...ids), Math.max(...ids), ids.size]).toEqual([85, 340, 256]);
});

it("tiles are found in the first directory, by runs, and in further ones", async () => {
  const { read, asked } = archive();
  const found = new Archive(read);
  expect(text(await found.tile(1, 0, 0))).toBe("first");
  expect(text(await found.tile(1, 0, 1))).toBe("first");
  expect(await found.tile(1, 1, 1)).toBeNull();
  expect(text(await found.tile(2, 3, 3))).toBe("deep");
  expect(text(await found.tile(2, 3, 3))).toBe("deep");
  expect(await found.tile(2, 0, 0)).toBeNull();
  expect(asked.filter(([offset]) => offset === 0)).toHaveLength(1);
  expect(asked.filter(([offset]) => offset === 20_000)).toHaveLength(1);
});

it("an archive says what it is", async () => {
  const found = new Archive(archive().read);
  expect(await found.header()).toMatchObject({ type: VECTOR, zooms: [1, 2], bounds: [-10, -20, 30, 40] });
  expect(await found.metadata()).toEqual({ name: "Ü" });
  await expect(new Archive(() => Promise.resolve(new ArrayBuffer(200))).header()).rejects.toThrow("no PMTiles archive");
  expect(overHttp("https://example.org/a.pmtiles")).toBeTypeOf("function");
});

it("a header that could not be read is asked for again", async () => {
  const { read } = archive();
  let isDown = true;
  const shaky = new Archive((...asked) => (isDown ? Promise.reject(new Error("503")) : read(...asked)));
  await expect(shaky.header()).rejects.toThrow("503");
  isDown = false;
  expect((await shaky.header()).type).toBe(VECTOR);
});
