import { expect, it } from "vitest";
import { withoutDrawingNote } from "./drawing-note";

const TEXT = "Added **cities**: 5 cities. Still drawing…";
const added = { code: "layer_added", start: 0, end: 27, values: {} };
const note = { code: "still_drawing", start: 28, end: 42, values: {} };

it("an answer ends without the note on a drawing that has ended, and other answers stay", () => {
  expect(withoutDrawingNote({ text: TEXT, wording: [added, note] })).toEqual({ text: "Added **cities**: 5 cities.", wording: [added] });
  expect(withoutDrawingNote({ text: TEXT, wording: [added] })).toEqual({ text: TEXT, wording: [added] });
  expect(withoutDrawingNote({ text: TEXT, wording: [] }).text).toBe(TEXT);
});
