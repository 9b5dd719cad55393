/**
 * The pure heart of the client: the next state from an event, or from a snapshot. `apply` trusts its caller
 * (connection/sequence.ts) to hand it each event once and in order.
 */
import type { Bookmark, Chart, Layer, RecipeCard, Snapshot } from "../protocol/types";
import { emptyState, type Entry, type MapState, type ToolEntry, type Turn } from "./state";
import type { MapEvent, TransientEvent } from "../protocol/messages";
import { applyComments } from "./threads";

export function fromSnapshot(snapshot: Snapshot): MapState {
  const start = emptyState(snapshot.map_id);
  const chat = snapshot.chat.reduce((state, envelope) => applyChat(state, envelope as unknown as MapEvent), start);
  return {
    ...withTurns(chat, snapshot),
    seq: snapshot.seq,
    layers: placed(snapshot.layers),
    recipes: snapshot.recipes ?? [],
    charts: snapshot.charts ?? [],
    document: snapshot.document ?? start.document,
    threads: snapshot.threads ?? [],
    canUndo: snapshot.can_undo,
    canRedo: snapshot.can_redo,
    complete: snapshot.chat_complete !== false,
  };
}

export function apply(state: MapState, event: MapEvent): MapState {
  return { ...started(applyChat(applyMap(state, event), event), event.data.turn_id), seq: event.data.seq };
}

export function applyTransient(state: MapState, event: TransientEvent): MapState {
  switch (event.event) {
    case "turn_waiting":
      return changeTurn(state, event.data.turn_id, (turn) => ({ ...turn, ahead: turn.end === null ? event.data.ahead : null }));
    default:
      return state;
  }
}

/**
 * The turns of earlier events before those that are known, and the earlier entries of those that are known in part.
 * Events may end before, or after, the newest that the state holds: what the state has stays.
 */
export function withEarlier(state: MapState, events: readonly MapEvent[]): MapState {
  const { turns: earlier } = events.filter((event) => event.data.seq <= state.seq).reduce(apply, emptyState(state.mapId));
  const known = new Map(state.turns.map((turn) => [turn.id, turn]));
  const merged = earlier.map((turn) => {
    const now = known.get(turn.id);
    known.delete(turn.id);
    return now === undefined ? turn : completedTurn(turn, now);
  });
  return { ...state, complete: true, turns: [...merged, ...known.values()] };
}

function completedTurn(earlier: Turn, now: Turn): Turn {
  const isKnown = ({ kind, seq }: Entry) => now.entries.some((entry) => entry.kind === kind && entry.seq === seq);
  const entries = [...earlier.entries.filter((entry) => !isKnown(entry)), ...now.entries].sort((a, b) => a.seq - b.seq);
  return { ...earlier, entries, end: now.end ?? earlier.end, usage: now.usage ?? earlier.usage };
}

function applyMap(state: MapState, event: MapEvent): MapState {
  switch (event.event) {
    case "layer_added":
      return changed(state, added(state.layers, event.data.layer), event.data);
    case "layer_updated":
      return changed(state, state.layers.map((it) => (it.id === event.data.layer.id ? event.data.layer : it)), event.data);
    case "layer_removed":
      return changed(state, state.layers.filter((layer) => layer.id !== event.data.layer_id), event.data);
    case "layers_reordered":
      return changed(state, arranged(state.layers, event.data.order), event.data);
    case "map_reset":
      return changed(state, [], event.data);
    case "chart_added":
      return { ...changed(state, state.layers, event.data), charts: [...without(state.charts, event.data.chart.id), event.data.chart] };
    case "chart_updated":
      return {
        ...changed(state, state.layers, event.data),
        charts: state.charts.map((it) => (it.id === event.data.chart.id ? event.data.chart : it)),
      };
    case "chart_removed":
      return { ...changed(state, state.layers, event.data), charts: without(state.charts, event.data.chart_id) };
    case "recipe_saved":
      return { ...state, recipes: byName([...state.recipes, event.data.recipe]) };
    case "recipe_renamed": {
      const { name, new_name } = event.data;
      return { ...state, recipes: byName(state.recipes.map((it) => (it.name === name ? { ...it, name: new_name } : it))) };
    }
    case "recipe_removed":
      return { ...state, recipes: state.recipes.filter((it) => it.name !== event.data.name) };
    case "map_described": {
      const { name, base_map, projection } = event.data;
      return { ...state, document: { ...state.document, name, base_map, projection } };
    }
    case "bookmark_saved":
      return withBookmarks(state, (before) => saved(before, event.data.bookmark));
    case "bookmark_removed":
      return withBookmarks(state, (before) => before.filter(({ id }) => id !== event.data.bookmark_id));
    default: {
      const threads = applyComments(state.threads, event);
      return threads === state.threads ? state : { ...state, threads };
    }
  }
}

function withBookmarks(state: MapState, change: (bookmarks: Bookmark[]) => Bookmark[]): MapState {
  return { ...state, document: { ...state.document, bookmarks: change(state.document.bookmarks) } };
}

/** In place of the one with its id, else behind the others. */
function saved(bookmarks: Bookmark[], bookmark: Bookmark): Bookmark[] {
  const at = bookmarks.findIndex(({ id }) => id === bookmark.id);
  return at === -1 ? [...bookmarks, bookmark] : bookmarks.with(at, bookmark);
}

/**
 * A new change can be undone, and nothing can be redone after it. After an undo or redo the other is possible; whether
 * the same is possible once more is known from the server's answer only.
 */
function changed(state: MapState, layers: Layer[], { undo_of, redo }: { undo_of: number | null; redo: boolean }): MapState {
  const isUndo = undo_of != null && !redo;
  return {
    ...state,
    layers: placed(layers),
    canUndo: isUndo ? state.canUndo : true,
    canRedo: isUndo ? true : undo_of != null && state.canRedo,
  };
}

/** Whatever a turn does, it waits no longer. */
function started(state: MapState, turnId: string | null): MapState {
  return changeTurn(state, turnId, (turn) => (turn.ahead === null ? turn : { ...turn, ahead: null }));
}

const without = (charts: Chart[], id: string): Chart[] => charts.filter((chart) => chart.id !== id);

function added(layers: Layer[], layer: Layer): Layer[] {
  const others = layers.filter((other) => other.id !== layer.id);
  return others.toSpliced(Math.min(layer.order, others.length), 0, layer);
}

/** In the given order, bottom first; those it does not name keep their order below. */
function arranged(layers: Layer[], order: string[]): Layer[] {
  const named = [...new Set(order)].flatMap((id) => layers.find((layer) => layer.id === id) ?? []);
  return [...layers.filter((layer) => !named.includes(layer)), ...named];
}

const byName = (recipes: RecipeCard[]): RecipeCard[] => recipes.sort((a, b) => (a.name < b.name ? -1 : 1));

/** Each layer knows its place. */
function placed(layers: Layer[]): Layer[] {
  return layers.map((layer, order) => (layer.order === order ? layer : { ...layer, order }));
}

function applyChat(state: MapState, event: MapEvent): MapState {
  const { data } = event;
  switch (event.event) {
    case "user_message":
      return { ...state, turns: [...state.turns, newTurn(event.data)] };
    case "ai_response":
      return changeTurn(state, data.turn_id, (turn) => ({
        ...turn,
        entries: [...turn.entries, answer(event.data)],
      }));
    case "tool_called":
      return changeTurn(state, data.turn_id, (turn) => ({
        ...turn,
        entries: [...turn.entries, calledTool(event.data)],
      }));
    case "tool_finished": {
      const { call_id, ok, summary, wording, ms, filled, result, sql } = event.data;
      const status = ok ? ("ok" as const) : ("failed" as const);
      return changeEntry(
        state,
        data.turn_id,
        (entry) => entry.kind === "tool" && entry.callId === call_id && entry.status === "running",
        { status, summary, wording: wording ?? [], ms, filled: filled ?? {}, result: result ?? "", sql: sql ?? null },
      );
    }
    case "approval_requested": {
      const { call_id: callId, name, arguments: given, seq } = event.data;
      const entry: Entry = { kind: "question", seq, callId, name, arguments: given, approved: null };
      return changeTurn(state, data.turn_id, (turn) => ({ ...turn, entries: [...turn.entries, entry] }));
    }
    case "approval_answered": {
      const { call_id, approved } = event.data;
      const asked = (entry: Entry) => entry.kind === "question" && entry.callId === call_id;
      return changeEntry(state, data.turn_id, asked, { approved });
    }
    case "chart_added": {
      const { chart, seq, undo_of } = event.data;
      if (undo_of != null) return state;
      return changeTurn(state, data.turn_id, (turn) => ({ ...turn, entries: [...turn.entries, { kind: "chart", seq, chart }] }));
    }
    case "turn_finished":
      return changeTurn(state, data.turn_id, (turn) => ({
        ...turn,
        end: event.data.status,
        usage: event.data.usage,
        entries: turn.entries.map(ended),
      }));
    default:
      return applyAnalysis(state, event);
  }
}

function applyAnalysis(state: MapState, event: MapEvent): MapState {
  switch (event.event) {
    case "analysis_started": {
      const { analysis_id: id, goal, plan, steps_known: stepsKnown, seq, turn_id } = event.data;
      const entry: Entry = {
        kind: "analysis", seq, id, goal, plan, stepsKnown, status: "running", summary: "", wording: [], advice: "", adviceWording: [],
        table: null, tables: [], emptiedBy: null, failedAt: null, receipt: {},
      };
      return changeTurn(state, turn_id, (turn) => ({ ...turn, entries: [...turn.entries, entry] }));
    }
    case "analysis_planned": {
      const { analysis_id, plan, steps_known: stepsKnown } = event.data;
      return changeAnalysis(state, analysis_id, { plan, stepsKnown });
    }
    case "analysis_finished": {
      const { analysis_id, summary, wording, table, tables, receipt, rows, emptied_by: emptiedBy } = event.data;
      const status = rows === 0 ? ("empty" as const) : ("ok" as const);
      return changeAnalysis(state, analysis_id, {
        status, summary, wording: wording ?? [], table, tables: tables ?? [], emptiedBy: emptiedBy ?? null, receipt: receipt ?? {},
      });
    }
    case "analysis_failed": {
      const { analysis_id, step, name, reason, wording, advice, advice_wording, table, receipt } = event.data;
      const failedAt = step === null ? null : { step, name: name ?? "" };
      return changeAnalysis(state, analysis_id, {
        status: "failed", summary: reason, wording: wording ?? [], advice, adviceWording: advice_wording ?? [], failedAt, table: table ?? null,
        receipt: receipt ?? {},
      });
    }
    case "result_dropped": {
      const { analysis_id, table } = event.data;
      return withoutTable(state, analysis_id, table);
    }
    default:
      return state;
  }
}

/** Unfinished entries stop with their turn; unanswered questions count as denied. */
function ended(entry: Entry): Entry {
  if (entry.kind === "question") return entry.approved === null ? { ...entry, approved: false } : entry;
  return entry.kind !== "answer" && entry.kind !== "chart" && entry.status === "running" ? { ...entry, status: "stopped" } : entry;
}

function newTurn(data: (MapEvent & { event: "user_message" })["data"]): Turn {
  return {
    id: data.turn_id ?? `message-${data.seq}`,
    text: data.text,
    clientId: data.client_id ?? null,
    author: data.author ?? null,
    focus: data.focus ?? null,
    at: data.at,
    entries: [],
    end: null,
    ahead: null,
    usage: null,
  };
}

function answer({ seq, message, wording, figures, sources }: (MapEvent & { event: "ai_response" })["data"]): Entry {
  return { kind: "answer", seq, text: message, wording: wording ?? [], figures: figures ?? [], sources: sources ?? [] };
}

function calledTool(data: (MapEvent & { event: "tool_called" })["data"]): ToolEntry {
  return {
    kind: "tool", seq: data.seq, callId: data.call_id, name: data.name, arguments: data.arguments, filled: {},
    status: "running", summary: "", wording: [], result: "", sql: null, ms: null, at: data.at,
  };
}

function changeTurn(state: MapState, turnId: string | null, change: (turn: Turn) => Turn): MapState {
  const index = state.turns.findLastIndex((turn) => turn.id === turnId);
  const turn = state.turns[index];
  if (turn === undefined) return state;
  const next = change(turn);
  return next === turn ? state : { ...state, turns: state.turns.with(index, next) };
}

function changeEntry(
  state: MapState,
  turnId: string | null,
  matches: (entry: Entry) => boolean,
  change: Partial<Entry>,
): MapState {
  return changeTurn(state, turnId, (turn) => {
    const index = turn.entries.findLastIndex(matches);
    const entry = turn.entries[index];
    return entry === undefined ? turn : { ...turn, entries: turn.entries.with(index, { ...entry, ...change } as Entry) };
  });
}

function changeAnalysis(state: MapState, analysisId: string, change: Partial<Entry>): MapState {
  const isIt = (entry: Entry) => entry.kind === "analysis" && entry.id === analysisId;
  const turn = state.turns.findLast((candidate) => candidate.entries.some(isIt));
  return turn === undefined ? state : changeEntry(state, turn.id, isIt, change);
}

/** A result was deleted: the last one, or one of the others. */
function withoutTable(state: MapState, analysisId: string, table: string): MapState {
  const found = state.turns.flatMap(({ entries }) => entries).find((entry) => entry.kind === "analysis" && entry.id === analysisId);
  if (found?.kind !== "analysis") return state;
  const tables = found.tables.filter((each) => each.table !== table);
  return changeAnalysis(state, analysisId, { table: found.table === table ? null : found.table, tables });
}

/** Running turns that are missing in the snapshot's chat. */
function withTurns(state: MapState, snapshot: Snapshot): MapState {
  const known = new Set(state.turns.map((turn) => turn.id));
  const missing = snapshot.turns
    .filter((turn) => !known.has(turn.turn_id))
    .map((turn): Turn => ({
      id: turn.turn_id, text: turn.text, clientId: null, author: null, focus: null, at: "", entries: [],
      end: null, ahead: null, usage: null,
    }));
  return missing.length === 0 ? state : { ...state, turns: [...state.turns, ...missing] };
}
