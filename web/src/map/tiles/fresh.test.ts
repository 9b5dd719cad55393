import { expect, it, vi } from "vitest";
import { fetchFromNewAddress, type TileSource } from "./fresh";

type Tile = Parameters<TileSource["loadTile"]>[0];

function tileOf(state: string): Tile {
  return { state, aborted: false } as unknown as Tile;
}

/** A source whose loads end when they are aborted, answered or fail, and whose tile knows how to abort the last of them only. */
function sourceAt(address: string) {
  const loads: { address: string; state: string; etag: string | undefined; answer: (unmodified?: true) => void; fail: () => void }[] = [];
  const triggerRepaint = vi.fn();
  const source: TileSource = {
    tiles: [address],
    map: { triggerRepaint },
    loadTile: (tile: Tile) => new Promise((resolve, reject) => {
      loads.push({ address: source.tiles[0] ?? "", state: tile.state, etag: tile.etag, answer: (unmodified) => resolve({ ...(unmodified && { unmodified }) }), fail: () => reject(new Error("500")) });
      tile.actor = {} as NonNullable<Tile["actor"]>;
      tile.abortController = new AbortController();
      tile.abortController.signal.addEventListener("abort", () => resolve());
    }),
    abortTile: (tile: Tile) => Promise.resolve(tile.abortController?.abort()),
  };
  fetchFromNewAddress(source);
  return { source, loads, triggerRepaint };
}

it("abandons a request whose address has changed, and fetches from the new one", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  const first = source.loadTile(tile);
  source.tiles = ["new"];
  void source.loadTile(tile);
  await expect(first).resolves.toBeUndefined();
  await vi.waitFor(() => expect(loads).toHaveLength(2));
  expect(loads[1]).toMatchObject({ address: "new", state: "expired" });
});

it("abandons a request whose address has changed also when the tile was to be parsed again meanwhile", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  const first = source.loadTile(tile);
  loads[0]?.answer();
  await first;
  source.tiles = ["new"];
  tile.state = "expired";
  const second = source.loadTile(tile);
  await vi.waitFor(() => expect(loads[1]).toMatchObject({ address: "new" }));
  tile.state = "reloading";
  void source.loadTile(tile);
  source.tiles = ["old"];
  void source.loadTile(tile);
  await expect(second).resolves.toBeUndefined();
  await vi.waitFor(() => expect(loads[2]).toMatchObject({ address: "old", state: "expired" }));
});

it("loads a tile once more, however often that is asked while it is loading", async () => {
  const { source, loads } = sourceAt("only");
  const tile = tileOf("loading");
  void source.loadTile(tile);
  const again = [source.loadTile(tile), source.loadTile(tile)];
  loads[0]?.answer();
  await vi.waitFor(() => expect(loads).toHaveLength(2));
  loads[1]?.answer();
  await Promise.all(again);
  expect(loads).toHaveLength(2);
});

it("fetches again what was abandoned when its address comes back", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  void source.loadTile(tile);
  source.tiles = ["new"];
  void source.loadTile(tile);
  source.tiles = ["old"];
  void source.loadTile(tile);
  await vi.waitFor(() => expect(loads[1]).toMatchObject({ address: "old", state: "expired" }));
});

it("fetches a tile that failed, from the same address or from a new one", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  const failed = source.loadTile(tile);
  loads[0]?.fail();
  await expect(failed).rejects.toThrow("500");
  const again = source.loadTile(tile);
  await vi.waitFor(() => expect(loads[1]).toMatchObject({ address: "old", state: "expired" }));
  loads[1]?.fail();
  await expect(again).rejects.toThrow("500");
  source.tiles = ["new"];
  void source.loadTile(tile);
  await vi.waitFor(() => expect(loads[2]).toMatchObject({ address: "new", state: "expired" }));
});

it("fetches a tile that was only to be parsed again when its address has changed", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  const first = source.loadTile(tile);
  loads[0]?.answer();
  await first;
  tile.state = "reloading";
  void source.loadTile(tile);
  expect(loads[1]).toMatchObject({ address: "old", state: "reloading" });
  source.tiles = ["new"];
  void source.loadTile(tile);
  await vi.waitFor(() => expect(loads[2]).toMatchObject({ address: "new", state: "expired" }));
});

it("does not load a tile that left the view meanwhile", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  void source.loadTile(tile);
  source.tiles = ["new"];
  const again = source.loadTile(tile);
  tile.aborted = true;
  await again;
  expect(loads).toHaveLength(1);
});

it("lets the map become idle when a tile from a new address is the same as before", async () => {
  const { source, loads, triggerRepaint } = sourceAt("old");
  const tile = tileOf("loading");
  const first = source.loadTile(tile);
  loads[0]?.answer();
  await first;
  expect(triggerRepaint).not.toHaveBeenCalled();
  source.tiles = ["new"];
  const second = source.loadTile(tile);
  loads[1]?.answer(true);
  await second;
  expect(triggerRepaint).toHaveBeenCalledOnce();
});

it("lets a tile from a new address be parsed although its content is the same, for the style may have changed with it", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  const first = source.loadTile(tile);
  loads[0]?.answer();
  await first;
  tile.etag = "same";
  tile.state = "expired";
  const refreshed = source.loadTile(tile);
  expect(loads[1]).toMatchObject({ address: "old", state: "expired", etag: "same" });
  loads[1]?.answer(true);
  await refreshed;
  source.tiles = ["new"];
  void source.loadTile(tile);
  expect(loads[2]).toMatchObject({ address: "new", state: "expired" });
  expect(loads[2]?.etag).toBeUndefined();
});
