import { effect } from "@preact/signals";
import { beforeEach, expect, it, vi } from "vitest";
import { event } from "../testing/samples";
import { addDelta, draftOf, progressOf, record, restart, setProgress } from "./presence";
import { listener, map } from "./store";

const delta = (turn: string, text: string, offset = 0) => ({ map_id: "m", turn_id: turn, text, offset });
let frame: () => void = () => undefined;

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => { frame = run; return 1; });
  for (const turn of ["a", "b"]) record(event("turn_finished", 1, {}, turn));
});

it("a delta touches the answer that it belongs to, once a frame, and not the map", () => {
  const receiver = listener(() => undefined, () => undefined, () => undefined);
  receiver.snapshot({ map_id: "m", seq: 0, layers: [], chat: [], turns: [] } as never);
  const counts = { map: 0, a: 0, b: 0 };
  const stops = [
    effect(() => void (map.value, counts.map++)), effect(() => void (draftOf("a").value, counts.a++)), effect(() => void (draftOf("b").value, counts.b++)),
  ];
  for (let at = 0; at < 30; at++) receiver.transient({ event: "ai_delta", data: delta("a", "x", at) });
  frame();
  expect(draftOf("a").value).toBe("x".repeat(30));
  expect(counts).toEqual({ map: 1, a: 2, b: 1 });
  for (const stop of stops) stop();
});

it("a text with a missing piece is not shown until another begins", () => {
  addDelta(delta("a", "Hel"));
  addDelta(delta("a", "world", 9));
  frame();
  expect(draftOf("a").value).toBe("");
  addDelta(delta("a", "!", 14));
  frame();
  expect(draftOf("a").value).toBe("");
  addDelta(delta("a", "Next"));
  frame();
  expect(draftOf("a").value).toBe("Next");
});

it("a join gives the texts so far, which continue without repeated pieces", () => {
  addDelta(delta("b", "lost"));
  restart([{ turn_id: "a", text: "Hel" }]);
  addDelta(delta("a", "ello", 1));
  addDelta(delta("b", " tail", 9));
  frame();
  expect([draftOf("a").value, draftOf("b").value]).toEqual(["Hello", ""]);
});

it("what is recorded is not a draft any more", () => {
  addDelta(delta("a", "Hello"));
  frame();
  record(event("ai_response", 2, { message: "Hello" }, "a"));
  expect(draftOf("a").value).toBe("");
});

it("progress belongs to one analysis", () => {
  setProgress({ analysis_id: "x", step: 2 } as never);
  expect(progressOf("x").value).toMatchObject({ step: 2 });
  expect(progressOf("y").value).toBeNull();
});
