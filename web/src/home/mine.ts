/**
 * The maps of this browser: their keys, when they were seen last, and small pictures of them. The server knows names and
 * times; it does not learn whose they are.
 */
import type { MapSummary } from "../protocol/types";
import { local } from "../browser/storage";

const KEY = "geoagent.maps";
const MAX_MAPS = 60;

export interface Mine {
  id: string;
  /** When this browser had it open last, in ISO 8601. */
  at: string;
  /** A JPEG as a data address; null until one was made. */
  picture: string | null;
}

/** What is known of a map without the server: the last one seen first. */
export function myMaps(): Mine[] {
  try {
    const kept = JSON.parse(local.getItem(KEY) ?? "[]") as unknown;
    return Array.isArray(kept) ? kept.filter(isMine) : [];
  } catch {
    return [];
  }
}

export function remember(id: string, picture?: string): void {
  const others = myMaps();
  const before = others.find((map) => map.id === id);
  const now: Mine = { id, at: new Date().toISOString(), picture: picture ?? before?.picture ?? null };
  keep([now, ...others.filter((map) => map.id !== id)].slice(0, MAX_MAPS));
}

/** Takes a map off the list. The map itself stays. */
export function forgetMap(id: string): void {
  keep(myMaps().filter((map) => map.id !== id));
}

/** Names and times as the server knows them; null where it cannot be asked. */
export async function summaries(maps: readonly Mine[]): Promise<MapSummary[] | null> {
  try {
    const body = JSON.stringify({ maps: maps.map(({ id }) => id) });
    const answer = await fetch("/api/maps/summaries", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    return answer.ok ? ((await answer.json()) as { maps: MapSummary[] }).maps : null;
  } catch {
    return null;
  }
}

function keep(maps: readonly Mine[]): void {
  try {
    local.setItem(KEY, JSON.stringify(maps));
  } catch {
    // The browser gives no more room: the list does without pictures.
    local.setItem(KEY, JSON.stringify(maps.map((map) => ({ ...map, picture: null }))));
  }
}

function isMine(value: unknown): value is Mine {
  const { id, at } = (value ?? {}) as Partial<Mine>;
  return typeof id === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(id) && typeof at === "string";
}
