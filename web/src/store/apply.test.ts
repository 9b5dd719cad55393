import { describe, expect, it } from "vitest";
import type { Snapshot } from "../protocol/types";
import { event, layer } from "../testing/samples";
import { apply, applyTransient, fromSnapshot, withEarlier } from "./apply";
import { emptyState, type MapState, openQuestion, runningTurn } from "./state";
import type { MapEvent } from "../protocol/messages";

const fold = (events: MapEvent[], state: MapState = emptyState("m")) => events.reduce(apply, state);
const ids = (state: MapState) => state.layers.map((it) => it.id);

describe("layers", () => {
  it("stack in the order in which they are added", () => {
    const state = fold([
      event("layer_added", 1, { layer: layer("a", { order: 0 }) }),
      event("layer_added", 2, { layer: layer("b", { order: 1 }) }),
    ]);
    expect(ids(state)).toEqual(["a", "b"]);
    expect(state.seq).toBe(2);
  });

  it("return to their place when a removal is undone", () => {
    const before = fold(["a", "b", "c"].map((id, i) => event("layer_added", i + 1, { layer: layer(id, { order: i }) })));
    const after = fold([
      event("layer_removed", 4, { layer_id: "b" }),
      event("layer_added", 5, { layer: layer("b", { order: 1 }), undo_of: 4, redo: false }),
    ], before);
    expect(ids(after)).toEqual(["a", "b", "c"]);
    expect(after.canRedo).toBe(true);
  });

  it("keep their place when they are updated, whatever order the event says", () => {
    const before = fold(["a", "b"].map((id, i) => event("layer_added", i + 1, { layer: layer(id, { order: i }) })));
    const after = fold([event("layer_updated", 3, { layer: layer("a", { order: 7, name: "A" }) })], before);
    expect(after.layers.map(({ name, order }) => [name, order])).toEqual([["A", 0], ["b", 1]]);
  });

  it("that a new order does not name stay below", () => {
    const before = fold(["a", "b", "c"].map((id, i) => event("layer_added", i + 1, { layer: layer(id, { order: i }) })));
    expect(ids(fold([event("layers_reordered", 4, { order: ["c", "a"] })], before))).toEqual(["b", "c", "a"]);
  });

  it("are all gone after a reset, and a new change ends what could be redone", () => {
    const state = fold([
      event("layer_added", 1, { layer: layer("a") }),
      event("layer_removed", 2, { layer_id: "a", undo_of: 1, redo: false }),
      event("map_reset", 3, { undo_of: null, redo: false }),
    ]);
    expect(state).toMatchObject({ layers: [], canUndo: true, canRedo: false });
  });
});

describe("the conversation", () => {
  const asked = event("user_message", 1, { text: "show airports", client_id: "c1" }, "t");
  const called = event("tool_called", 2, { call_id: "k", name: "add_map_layer", arguments: { table: "x" } }, "t");
  const finished = event("tool_finished", 3, { call_id: "k", name: "add_map_layer", ok: true, summary: "ok", ms: 5 }, "t");

  it("pairs a tool's result with its call", () => {
    const [turn] = fold([asked, called, finished]).turns;
    expect(turn?.entries).toMatchObject([{ kind: "tool", status: "ok", summary: "ok", ms: 5 }]);
  });

  it("keeps the statement that a call ran, and its rows", () => {
    const sql = { sql: "SELECT 1", columns: ["?column?"], rows: [[1]], count: 1, truncated: false };
    const ran = event("tool_finished", 3, { call_id: "k", name: "run_sql", ok: true, summary: "1 row", ms: 5, sql }, "t");
    expect(fold([asked, called]).turns[0]?.entries).toMatchObject([{ sql: null }]);
    expect(fold([asked, called, ran]).turns[0]?.entries).toMatchObject([{ status: "ok", sql }]);
  });

  it("stops what still ran when its turn ends", () => {
    const state = fold([asked, called, event("turn_finished", 3, { status: "cancelled", usage: {} }, "t")]);
    expect(state.turns[0]).toMatchObject({ end: "cancelled", entries: [{ status: "stopped" }] });
  });

  it("runs the first turn that has not ended", () => {
    const second = event("user_message", 2, { text: "next" }, "t2");
    expect(runningTurn(fold([asked, second]))?.id).toBe("t");
    expect(runningTurn(fold([asked, second, event("turn_finished", 3, { status: "done" }, "t")]))?.id).toBe("t2");
  });

  it("keeps a question open until somebody answers, or its turn ends", () => {
    const question = event("approval_requested", 2, { call_id: "k", name: "load", arguments: { n: 1 } }, "t");
    const answer = event("approval_answered", 3, { call_id: "k", approved: true }, "t");
    expect(fold([asked, question]).turns[0]?.entries).toMatchObject([{ kind: "question", approved: null }]);
    expect(fold([asked, question]).turns.map(openQuestion)).toMatchObject([{ name: "load" }]);
    expect(fold([asked, question, answer]).turns.map(openQuestion)).toEqual([undefined]);
    expect(fold([asked, question, answer]).turns[0]?.entries).toMatchObject([{ approved: true }]);
    const over = event("turn_finished", 3, { status: "cancelled", usage: {} }, "t");
    expect(fold([asked, question, over]).turns[0]?.entries).toMatchObject([{ approved: false }]);
  });

  it("tells how many turns start before one, until it starts or does something", () => {
    const place = (ahead: number | null) => ({ event: "turn_waiting" as const, data: { map_id: "m", turn_id: "t", ahead } });
    const waits = applyTransient(fold([asked]), place(3));
    expect(waits.turns[0]).toMatchObject({ ahead: 3 });
    expect(applyTransient(waits, place(null)).turns[0]).toMatchObject({ ahead: null });
    expect(apply(waits, event("tool_called", 2, { call_id: "k", name: "load", arguments: {} }, "t")).turns[0]).toMatchObject({ ahead: null });
    const over = apply(waits, event("turn_finished", 2, { status: "cancelled", usage: {} }, "t"));
    expect(applyTransient(over, place(2)).turns[0]).toMatchObject({ ahead: null });
  });

  it("shows an analysis and its failure", () => {
    let state = fold([asked, event("analysis_started", 2, { analysis_id: "x", goal: "g", plan: [] }, "t")]);
    state = apply(state, event("analysis_failed", 3, { analysis_id: "x", step: 1, reason: "no", advice: "try" }, "t"));
    expect(state.turns[0]?.entries[0]).toMatchObject({ status: "failed", summary: "no", advice: "try", failedAt: { step: 1 } });
  });

  it("shows the plan of an analysis as it grows, and which step emptied its result", () => {
    const [one, two] = [{ title: "Large" }, { title: "Near" }];
    let state = fold([asked, event("analysis_started", 2, { analysis_id: "x", goal: "g", plan: [one], steps_known: false }, "t")]);
    state = apply(state, event("analysis_planned", 3, { analysis_id: "x", plan: [one, two], steps_known: true }, "t"));
    expect(state.turns[0]?.entries[0]).toMatchObject({ plan: [one, two], stepsKnown: true });
    const emptied_by = { step: 1, name: "Large" };
    state = apply(state, event("analysis_finished", 4, { analysis_id: "x", summary: "", table: "analysis.r", rows: 0, emptied_by }, "t"));
    expect(state.turns[0]?.entries[0]).toMatchObject({ status: "empty", emptiedBy: emptied_by, table: "analysis.r" });
    state = apply(state, event("result_dropped", 5, { analysis_id: "x", table: "analysis.r" }));
    expect(state.turns[0]?.entries[0]).toMatchObject({ status: "empty", table: null });
  });
});

it("a snapshot gives the same state as the events that it sums up", () => {
  const chat = [
    event("user_message", 1, { text: "hi", client_id: null }, "t"),
    event("ai_response", 3, { message: "hello" }, "t"),
    event("turn_finished", 4, { status: "done", usage: {} }, "t"),
  ];
  const added = event("layer_added", 2, { layer: layer("a", { order: 0 }) }, "t");
  const snapshot = {
    map_id: "m", seq: 4, layers: [layer("a", { order: 0 })], chat, chat_complete: true, turns: [], can_undo: true,
    can_redo: false,
  } as unknown as Snapshot;
  const [first, ...rest] = chat;
  expect(fromSnapshot(snapshot)).toEqual(fold([first as MapEvent, added, ...rest]));
});

describe("charts", () => {
  const chart = (id: string, version = 1) => ({ chart: { id, version, title: id } });
  const asked = event("user_message", 1, { text: "a chart" }, "t");
  const versions = (state: MapState) => state.charts.map(({ id, version }) => `${id}${version}`);

  it("stand in the answer that they were made for, and in the list", () => {
    const state = fold([asked, event("chart_added", 2, chart("a"), "t"), event("chart_added", 3, chart("b"))]);
    expect(versions(state)).toEqual(["a1", "b1"]);
    expect(state.turns[0]?.entries).toMatchObject([{ kind: "chart", seq: 2, chart: { id: "a" } }]);
    expect(state.canUndo).toBe(true);
  });

  it("are refreshed in their place, and come back by undo without a second message", () => {
    const state = fold([
      asked, event("chart_added", 2, chart("a"), "t"), event("chart_added", 3, chart("b")), event("chart_updated", 4, chart("a", 2)),
      event("chart_removed", 5, { chart_id: "b" }), event("chart_added", 6, { ...chart("b"), undo_of: 5, redo: false }, "t"),
    ]);
    expect(versions(state)).toEqual(["a2", "b1"]);
    expect(state.turns[0]?.entries).toHaveLength(1);
    expect(state.canRedo).toBe(true);
  });

  it("do not keep a turn from ending", () => {
    const state = fold([asked, event("chart_added", 2, chart("a"), "t"), event("turn_finished", 3, { status: "done", usage: {} }, "t")]);
    expect(runningTurn(state)).toBeUndefined();
  });
});

describe("earlier messages", () => {
  const message = (seq: number, turn: string) => event("user_message", seq, { text: turn }, turn);
  const ended = (seq: number, turn: string) => event("turn_finished", seq, { status: "done", usage: {} }, turn);

  it("come before the turns that are known, of which none is lost that came meanwhile", () => {
    const log = [message(1, "a"), ended(2, "a"), message(3, "b"), ended(4, "b"), message(5, "c"), ended(6, "c")];
    const [first, second] = [log.slice(0, 4), log.slice(4)];
    const known = [...log.slice(2, 4), ...second].reduce(apply, emptyState("m"));
    const state = withEarlier({ ...known, complete: false }, first);
    expect(state.turns.map((turn) => [turn.id, turn.end])).toEqual([["a", "done"], ["b", "done"], ["c", "done"]]);
    expect(state.complete).toBe(true);
  });

  it("complete a turn that is known in part", () => {
    const response = (seq: number, message: string) => event("ai_response", seq, { message, final: true }, "a");
    const known = { ...[message(1, "a"), response(5, "late")].reduce(apply, emptyState("m")), complete: false };
    const state = withEarlier(known, [message(1, "a"), response(2, "early")]);
    expect(state.turns.map((turn) => turn.entries.map((entry) => entry.kind === "answer" && entry.text))).toEqual([["early", "late"]]);
  });
});

it("the document of a map follows its events", () => {
  const bookmark = (id: string, name: string) => ({ bookmark: { id, name, view: { center: [0, 0], zoom: 1 } } });
  const { document } = fold([
    event("map_described", 1, { name: "World", base_map: null, projection: null }),
    event("bookmark_saved", 2, bookmark("a", "One")),
    event("bookmark_saved", 3, bookmark("b", "Two")),
    event("bookmark_saved", 4, bookmark("a", "First")),
    event("bookmark_removed", 5, { bookmark_id: "b" }),
  ]);
  expect([document.name, document.bookmarks.map(({ name }) => name)]).toEqual(["World", ["First"]]);
});
