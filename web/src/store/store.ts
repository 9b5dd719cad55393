/**
 * The one store: what the server has sent about this map, as signals. Only the connection writes to it.
 */
import { batch, computed, effect, signal } from "@preact/signals";
import type { Fault, Listener, Outgoing, Status } from "../connection/connection";
import type { JoinAck, LayerUpdated } from "../protocol/types";
import { apply, applyTransient, fromSnapshot, withEarlier } from "./apply";
import * as presence from "./presence";
import { type MapState, openQuestion, runningTurn } from "./state";
import type { MapEvent, TransientEvent } from "../protocol/messages";

export const map = signal<MapState | null>(null);
export const status = signal<Status>("connecting");
/** How often a connection was made; when it changes, failed reads are repeated. */
export const connections = signal(0);
/** There is nothing at this address, or not any more. */
export const isGone = computed(() => status.value === "unknown_map" || status.value === "refused");
const granted = signal(true);
/** False for visitors with a view link. */
export const mayChange = computed(() => granted.value && !isGone.value);
export const outbox = signal<Outgoing[]>([]);

export const layers = computed(() => map.value?.layers ?? []);
/** Name, base map, projection and saved views of the map. */
export const description = computed(() => map.value?.document);
export const bookmarks = computed(() => description.value?.bookmarks ?? []);
export const threads = computed(() => map.value?.threads ?? []);
export const openThreads = computed(() => threads.value.filter(({ resolved }) => !resolved));
export const recipes = computed(() => map.value?.recipes ?? []);
export const turns = computed(() => map.value?.turns ?? []);
export const running = computed(() => (map.value === null ? undefined : runningTurn(map.value)));

/** The ids of all result tables of this map as one text, which changes when a table is added or deleted. */
export const results = computed(() =>
  turns.value.flatMap((turn) => turn.entries.flatMap((entry) => (entry.kind === "analysis" ? entry.table ?? [] : []))).join(),
);

/** The question that must be answered before the agent continues or takes later messages. */
export const question = computed(() => running.value && openQuestion(running.value));

/** Resolves once the event of this number has been applied here, or no map is open any more. */
export function arrived(seq: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (map.value !== null && map.value.seq < seq) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}

/** By layer, the name of the person who changed it last, or asked for the change in the conversation. */
const authors = new Map<string, string | null>();

/** The name of the person who changed the layer last, if known. */
export const lastChangedBy = (layerId: string): string | null => authors.get(layerId) ?? null;

function authorOf({ author, turn_id }: LayerUpdated): string | null {
  return author ?? turns.peek().find((turn) => turn.id === turn_id)?.author ?? null;
}

/** The listener that updates the store. `asked` gets every transient event, `happened` every stored one. */
export function listener(
  asked: (event: TransientEvent) => void, entered: (answer: JoinAck) => void, happened: (event: MapEvent) => void,
): Listener {
  return {
    joined: (answer) => {
      granted.value = answer.may_change !== false;
      entered(answer);
    },
    snapshot: (snapshot) => {
      map.value = fromSnapshot(snapshot);
    },
    event: (event) => {
      if (event.event === "layer_updated") authors.set(event.data.layer.id, authorOf(event.data));
      batch(() => {
        presence.record(event);
        change((state) => apply(state, event));
      });
      happened(event);
    },
    transient: (event) => {
      if (event.event === "ai_delta") presence.addDelta(event.data);
      else if (event.event === "analysis_progress") presence.setProgress(event.data);
      else if (event.event === "export_progress") presence.setExportProgress(event.data);
      else if (event.event === "presence") presence.present(event.data);
      else if (event.event === "turn_waiting") change((state) => applyTransient(state, event));
      asked(event);
    },
    drafts: presence.restart,
    status: (next) => {
      if (next === "online" && status.value !== next) connections.value += 1;
      status.value = next;
    },
    outbox: (messages) => void (outbox.value = messages),
  };
}

/** Completes the conversation with the events that the snapshot left out. */
export function completed(events: readonly MapEvent[]): void {
  change((state) => withEarlier(state, events));
}

/** The server has answered that nothing more can be undone, or redone. */
export function exhausted(kind: "undo" | "redo", fault: Fault): void {
  if (fault.code !== "nothing_to_undo") return;
  change((state) => ({ ...state, ...(kind === "undo" ? { canUndo: false } : { canRedo: false }) }));
}

function change(next: (state: NonNullable<typeof map.value>) => NonNullable<typeof map.value>): void {
  if (map.value !== null) map.value = next(map.value);
}
