/**
 * The one store: what the server has told about this map, as signals. Only the connection writes to it.
 */
import { computed, signal } from "@preact/signals";
import type { Fault, Listener, Outgoing, Status } from "../connection/connection";
import type { JoinAck } from "../protocol/types";
import { apply, applyTransient, fromSnapshot, muteDrafts } from "./apply";
import { emptyState, type MapEvent, type MapState, openQuestion, runningTurn, type TransientEvent } from "./state";

export const map = signal<MapState | null>(null);
export const status = signal<Status>("connecting");
/** How often the server was reached: what could not be read is asked for again when this changes. */
export const connections = signal(0);
/** False for who came by a view link. */
export const mayChange = signal(true);
export const outbox = signal<Outgoing[]>([]);

export const layers = computed(() => map.value?.layers ?? []);
export const recipes = computed(() => map.value?.recipes ?? []);
export const turns = computed(() => map.value?.turns ?? []);
export const running = computed(() => (map.value === null ? undefined : runningTurn(map.value)));

/** The tables that analyses of this map left, as text: it changes when one comes or goes. */
export const results = computed(() =>
  turns.value.flatMap((turn) => turn.entries.flatMap((entry) => (entry.kind === "analysis" ? entry.table ?? [] : []))).join(),
);

/** What has to be answered before the agent goes on, and before it takes later messages. */
export const question = computed(() => running.value && openQuestion(running.value));

/** What the store makes of the connection's news; `asked` hears of events that ask for something to be done. */
export function listener(asked: (event: TransientEvent) => void, entered: (answer: JoinAck) => void): Listener {
  return {
    joined: (answer) => {
      mayChange.value = answer.may_change !== false;
      entered(answer);
    },
    snapshot: (snapshot) => {
      const { people, known } = map.value ?? emptyState("");
      map.value = { ...fromSnapshot(snapshot), people, known };
    },
    event: (event) => change((state) => apply(state, event)),
    transient: (event) => {
      if (event.event !== "gestures") change((state) => applyTransient(state, event));
      asked(event);
    },
    resumed: () => change(muteDrafts),
    status: (next) => {
      if (next === "online" && status.value !== next) connections.value += 1;
      status.value = next;
    },
    outbox: (messages) => void (outbox.value = messages),
  };
}

/** The whole conversation, from all events of the map up to now. */
export function completed(events: readonly MapEvent[]): void {
  change((state) => {
    const { turns } = events.filter((event) => event.data.seq <= state.seq).reduce(apply, emptyState(state.mapId));
    const drafts = new Map(state.turns.map((turn) => [turn.id, turn.draft]));
    return { ...state, complete: true, turns: turns.map((turn) => ({ ...turn, draft: drafts.get(turn.id) ?? "" })) };
  });
}

/** The server's word that there is nothing more to undo, or to redo. */
export function exhausted(kind: "undo" | "redo", fault: Fault): void {
  if (fault.code !== "nothing_to_undo") return;
  change((state) => ({ ...state, ...(kind === "undo" ? { canUndo: false } : { canRedo: false }) }));
}

function change(next: (state: NonNullable<typeof map.value>) => NonNullable<typeof map.value>): void {
  if (map.value !== null) map.value = next(map.value);
}
