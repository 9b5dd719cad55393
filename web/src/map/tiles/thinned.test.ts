import type { Map as MapLibre } from "maplibre-gl";
import { afterEach, expect, test, vi } from "vitest";
import { openTime, shownTime } from "../../instance/time";
import { emptyState } from "../../store/state";
import { map as state } from "../../store/store";
import { layer } from "../../testing/samples";
import { installThinned, thinned } from "./thinned";

const REST_MS = 500;

/** A map of one layer that draws representatives of ten features each. */
class DrawnMap {
  representatives = 6;
  isLoaded = true;
  private readonly listeners = new Map<string, () => void>();

  readonly on = (name: string, listener: () => void) => this.listeners.set(name, listener);
  readonly loaded = () => this.isLoaded;
  readonly getSource = () => ({});
  readonly getLayersOrder = () => ["pings:0"];
  readonly getLayer = () => ({ source: "pings" });
  readonly querySourceFeatures = () => [{ properties: { total: 60, overview: true } }];
  readonly queryRenderedFeatures = () =>
    Array.from({ length: this.representatives }, (_, id) => ({ id, properties: { "@weight": 10 }, geometry: null }));

  rests(): void {
    this.listeners.get("idle")?.();
  }
}

afterEach(() => {
  vi.useRealTimers();
  [shownTime.value, state.value, thinned.value] = [null, null, new Map()];
});

test("a time that is chosen just before features are counted does not leave the count of all times", () => {
  vi.useFakeTimers();
  state.value = { ...emptyState("m"), layers: [layer("pings")] };
  openTime("pings");
  const drawn = new DrawnMap();
  const stop = installThinned(drawn as unknown as MapLibre, () => [0, 0, 1, 1]);
  drawn.rests();
  // The time is chosen, and the map has not drawn it yet.
  shownTime.value = { layerId: "pings", from: 0, to: 1 };
  drawn.isLoaded = false;
  vi.advanceTimersByTime(REST_MS);
  [drawn.isLoaded, drawn.representatives] = [true, 3];
  drawn.rests();
  vi.advanceTimersByTime(REST_MS);
  expect(thinned.value.get("pings")).toEqual({ shown: 3, total: 30, kind: "sample" });
  stop();
});
