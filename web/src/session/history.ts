/** Events of the map from its first on, read when they are wanted and kept. */
import type { Fault } from "../connection/connection";
import { t } from "../i18n/i18n";
import type { MapEvent } from "../protocol/messages";
import { completed, map } from "../store/store";
import { connection } from "./line";

/** Events of this map from the first one on, as far as they have been read; later ones are read on demand. */
let log: { mapId: string; events: MapEvent[] } = { mapId: "", events: [] };

/** Every event of this map, or why they cannot be had. Only what was not read before is asked for. */
export async function readHistory(): Promise<MapEvent[] | Fault> {
  const { mapId = "", seq = 0 } = map.value ?? {};
  if (log.mapId !== mapId || (log.events.at(-1)?.data.seq ?? 0) > seq) log = { mapId, events: [] };
  const known = log;
  const last = known.events.at(-1)?.data.seq ?? 0;
  if (last === seq && seq > 0) return known.events;
  const later = (await connection?.history(last)) ?? { code: "offline", message: t("offline") };
  if (!Array.isArray(later)) return later;
  const since = known.events.at(-1)?.data.seq ?? 0;
  known.events = [...known.events, ...later.filter((event) => event.data.seq > since)];
  return known.events;
}

/** Fetches the part of the conversation that the snapshot left out. */
export async function loadEarlier(): Promise<void> {
  const events = await readHistory();
  if (Array.isArray(events)) completed(events);
}
