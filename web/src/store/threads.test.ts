import { expect, it } from "vitest";
import { event } from "../testing/samples";
import type { MapEvent } from "../protocol/messages";
import { applyComments } from "./threads";

const comment = (id: string) => ({ id, text: id, author: null, at: "2026-01-01T00:00:00Z" });
const thread = (id: string) => ({ id, place: { position: [1, 2], label: "" }, comments: [comment(`${id}1`)], resolved: false, resolved_by: null });
const after = (...events: MapEvent[]) => events.reduce(applyComments, []);

it("a reply opens a resolved thread, and the last comment but one can go", () => {
  const started = event("thread_started", 1, { thread: thread("a") });
  const resolved = event("thread_resolved", 2, { thread_id: "a", resolved: true, author: "Kim" });
  expect(after(started, resolved)[0]).toMatchObject({ resolved: true, resolved_by: "Kim" });
  const replied = event("comment_added", 3, { thread_id: "a", comment: comment("a2") });
  expect(after(started, resolved, replied)[0]).toMatchObject({ resolved: false, resolved_by: null });
  const removed = event("comment_removed", 4, { thread_id: "a", comment_id: "a1" });
  expect(after(started, resolved, replied, removed)[0]?.comments.map(({ id }) => id)).toEqual(["a2"]);
});

it("a thread is removed, and other events leave the threads as they are", () => {
  const both = after(event("thread_started", 1, { thread: thread("a") }), event("thread_started", 2, { thread: thread("b") }));
  expect(applyComments(both, event("map_reset", 3))).toBe(both);
  expect(applyComments(both, event("thread_removed", 3, { thread_id: "a" })).map(({ id }) => id)).toEqual(["b"]);
});
