/** Keeps this map in the list of the browser's maps, with a small picture of how it looked last. */
import { effect } from "@preact/signals";
import type { Map as MapLibre } from "maplibre-gl";
import { photograph } from "../share/picture";
import { embedded } from "../share/viewer";
import { map as state } from "../store/store";
import { remember } from "./mine";
import { type Stop, together } from "../ui/stops";

const WIDTH = 320;
const HEIGHT = 200;
const QUALITY = 0.7;
/** Milliseconds between two pictures. */
const PAUSE = 4000;

export function installThumbnails(map: MapLibre): Stop {
  if (embedded) return together();
  let drawn = "";
  let at = -PAUSE;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = async () => {
    const now = state.peek();
    if (now === null || isEmpty() || document.hidden) return;
    const looks = `${now.mapId} ${now.layers.map(({ id, version, visible }) => `${id}${version}${visible}`)} ${map.getCenter()} ${map.getZoom()}`;
    if (looks === drawn) return;
    const early = at + PAUSE - performance.now();
    clearTimeout(timer);
    if (early > 0) return void (timer = setTimeout(() => void take(), early));
    [drawn, at] = [looks, performance.now()];
    const picture = await pictureOf(map);
    if (picture !== null && state.peek()?.mapId === now.mapId) remember(now.mapId, picture);
  };
  map.on("idle", () => void take());
  const stop = effect(() => {
    if (state.value !== null && !isEmpty()) remember(state.value.mapId);
  });
  return together(stop, () => clearTimeout(timer));
}

/** Nobody did anything on it: such a map is not worth a place in the list. */
function isEmpty(): boolean {
  const now = state.value;
  return now === null || (now.layers.length === 0 && now.turns.length === 0 && now.document.name === "");
}

/** The middle of the map; null where the browser cannot draw it. */
async function pictureOf(map: MapLibre): Promise<string | null> {
  try {
    const shot = await photograph(map);
    const scale = Math.max(WIDTH / shot.width, HEIGHT / shot.height);
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [WIDTH, HEIGHT];
    const [width, height] = [shot.width * scale, shot.height * scale];
    canvas.getContext("2d")?.drawImage(shot, (WIDTH - width) / 2, (HEIGHT - height) / 2, width, height);
    shot.close();
    return canvas.toDataURL("image/jpeg", QUALITY);
  } catch {
    return null;
  }
}
