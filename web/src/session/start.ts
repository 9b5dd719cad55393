/** Starts the page: the connection, the handling of its events, and what survives a reload. */
import { effect } from "@preact/signals";
import { io } from "socket.io-client";
import { Connection, type Outgoing, type Wire } from "../connection/connection";
import { noticeChange } from "../data/tables";
import { tileFaults } from "../map/tiles/receipts";
import { bounds as viewed } from "../instance/selection";
import * as people from "../people/people";
import type { ServerClosing } from "../protocol/types";
import { connections, listener, map, mayChange, outbox, status } from "../store/store";
import { session as stored } from "../browser/storage";
import { loadConfig } from "./base-maps";
import { moveCamera, noticeResult, reloadTiles } from "./camera";
import { introduce } from "./commands";
import { connection, openLine } from "./line";

/** Before the first try to connect again, and at most before a later one. */
const RECONNECT_MS = 1000;

const MAX_RECONNECT_MS = 4000;

export async function start(): Promise<void> {
  const wanted = /^\/m\/([A-Za-z0-9_-]+)/.exec(location.pathname)?.[1] ?? null;
  const socket = io({ transports: ["websocket", "polling"], tryAllTransports: true, reconnectionDelay: RECONNECT_MS, reconnectionDelayMax: MAX_RECONNECT_MS });
  socket.on("server_closing", ({ reconnect_after_ms: delay }: ServerClosing) => {
    socket.io.reconnectionDelay(delay);
    socket.io.reconnectionDelayMax(Math.max(delay, MAX_RECONNECT_MS));
  });
  socket.on("connect", () => socket.io.reconnectionDelay(RECONNECT_MS));
  openLine(new Connection(socket as unknown as Wire, listener((event) => {
    if (event.event === "view_requested") moveCamera(event.data.bounds, event.data.turn_id);
    if (event.event === "gestures") people.moved(event.data);
    if (event.event === "presence") people.present(event.data.people);
  }, (answer) => {
    people.joined(answer);
    introduce();
  }, (event) => {
    noticeResult(event);
    noticeChange(event);
  }), wanted));
  effect(() => {
    const mapId = map.value?.mapId;
    if (mapId !== undefined && !location.pathname.startsWith(`/m/${mapId}`)) {
      const search = new URLSearchParams(location.search);
      search.delete("new");
      history.replaceState(null, "", `/m/${mapId}${search.size > 0 ? `?${search}` : ""}`);
    }
  });
  effect(() => {
    // Each client that joins reports which part of the map it shows: from then on the server counts on receipts.
    const seen = viewed.peek();
    if (status.value === "online" && mayChange.value && seen !== null) void connection?.request("view", seen);
  });
  effect(() => {
    if (connections.value > 1) for (const id of tileFaults.peek().keys()) reloadTiles(id);
  });
  keepOutbox(wanted);
  await loadConfig();
}

/** Messages that were typed offline survive a reload of the page. */
function keepOutbox(mapId: string | null): void {
  const key = (id: string) => `geoagent.outbox.${id}`;
  const kept = mapId === null ? null : stored.getItem(key(mapId));
  if (kept !== null) connection?.restore(JSON.parse(kept) as Outgoing[]);
  effect(() => {
    if (map.value !== null) stored.setItem(key(map.value.mapId), JSON.stringify(outbox.value));
  });
}
