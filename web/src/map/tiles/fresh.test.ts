import { expect, it, vi } from "vitest";
import { fetchFromNewAddress, type TileSource } from "./fresh";

type Tile = Parameters<TileSource["loadTile"]>[0];

function tileOf(state: string): Tile {
  return { state, aborted: false, abortController: new AbortController() } as unknown as Tile;
}

/** A source whose loads end when they are aborted, answered or fail. */
function sourceAt(address: string) {
  const loads: { address: string; state: string; answer: () => void; fail: () => void }[] = [];
  const source: TileSource = {
    tiles: [address],
    loadTile: (tile: Tile) => new Promise<void>((resolve, reject) => {
      loads.push({ address: source.tiles[0] ?? "", state: tile.state, answer: resolve, fail: () => reject(new Error("500")) });
      tile.abortController?.signal.addEventListener("abort", () => resolve());
    }),
  };
  fetchFromNewAddress(source);
  return { source, loads };
}

it("abandons a request whose address has changed, and fetches from the new one", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  void source.loadTile(tile);
  source.tiles = ["new"];
  void source.loadTile(tile);
  await vi.waitFor(() => expect(loads).toHaveLength(2));
  expect(tile.abortController?.signal.aborted).toBe(true);
  expect(loads[1]).toMatchObject({ address: "new", state: "expired" });
});

it("fetches a tile that failed from a new address", async () => {
  const { source, loads } = sourceAt("old");
  const tile = tileOf("loading");
  const failed = source.loadTile(tile);
  loads[0]?.fail();
  await expect(failed).rejects.toThrow("500");
  source.tiles = ["new"];
  void source.loadTile(tile);
  await vi.waitFor(() => expect(loads[1]).toMatchObject({ address: "new", state: "expired" }));
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
