import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TileRetries } from "./retries";

const refreshTiles = vi.fn();
const map = { getSource: () => ({}) as never, refreshTiles };
const tile = (z: number) => ({ tileID: { canonical: { x: 1, y: 2, z } } });

beforeEach(() => {
  vi.useFakeTimers();
  refreshTiles.mockClear();
});
afterEach(() => vi.useRealTimers());

it("asks again for a tile that the server was too busy to draw, with growing pauses, and gives up in the end", () => {
  const retries = new TileRetries(map, () => 0);
  const busy = { sourceId: "roads", error: { status: 503 }, tile: tile(5) };
  for (const pause of [2000, 4000, 8000, 16000]) {
    expect(retries.take(busy)).toBe(true);
    expect(retries.pending("roads")).toBe(true);
    vi.advanceTimersByTime(pause - 1);
    expect(refreshTiles).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(refreshTiles).toHaveBeenCalledExactlyOnceWith("roads", [{ x: 1, y: 2, z: 5 }]);
    expect(retries.pending("roads")).toBe(false);
    refreshTiles.mockClear();
  }
  expect(retries.take(busy)).toBe(false);
  expect(retries.take({ ...busy, tile: tile(6) })).toBe(true);
});

it("leaves other failures alone", () => {
  const retries = new TileRetries(map);
  expect(retries.take({ sourceId: "roads", error: { status: 500 }, tile: tile(5) })).toBe(false);
  expect(retries.take({ sourceId: "roads", error: { status: 503 } })).toBe(false);
  expect(retries.take({ error: { message: "no style" } })).toBe(false);
  expect(retries.pending("roads")).toBe(false);
});

it("forgets a source that was removed meanwhile", () => {
  const retries = new TileRetries({ getSource: () => undefined, refreshTiles }, () => 0);
  retries.take({ sourceId: "gone", error: { status: 429 }, tile: tile(1) });
  vi.runAllTimers();
  expect(refreshTiles).not.toHaveBeenCalled();
  expect(retries.pending("gone")).toBe(false);
});
