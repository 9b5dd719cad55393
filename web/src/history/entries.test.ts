import { expect, it } from "vitest";
import { event, layer } from "../testing/samples";
import { entries } from "./entries";

it("the history says what happened, newest first, with the map as it was then", () => {
  const list = entries([
    event("user_message", 1, { text: "show a" }, "t"),
    event("tool_called", 2, { call_id: "k", name: "add_map_layer", arguments: {} }, "t"),
    event("layer_added", 3, { layer: layer("a", { order: 0 }), undo_of: null, redo: false }, "t"),
    event("layer_updated", 4, { layer: layer("a", { name: "A", visible: false, version: 2 }), undo_of: null, redo: false }),
    event("layer_updated", 5, { layer: layer("a", { version: 3 }), undo_of: 4, redo: false }),
    event("layer_removed", 6, { layer_id: "a", undo_of: null, redo: false }),
    event("map_described", 7, { name: "World", base_map: null, projection: null }),
    event("map_described", 8, { name: "World", base_map: null, projection: "globe" }),
  ]);
  expect(list.map(({ seq, deed, way, layers }) => [seq, deed, way, layers.length])).toEqual([
    [7, { did: "named", name: "World" }, "done", 0],
    [6, { did: "removed", name: "a" }, "done", 0],
    [5, { did: "changed", name: "A", what: ["name", "visible"] }, "undone", 1],
    [4, { did: "changed", name: "a", what: ["name", "hidden"] }, "done", 1],
    [3, { did: "added", name: "a" }, "done", 1],
    [1, { did: "asked", text: "show a" }, "done", 0],
  ]);
});

it("a layer that joins a group is not taken for one with new data", () => {
  const [entry] = entries([
    event("layer_added", 1, { layer: layer("a"), undo_of: null, redo: false }),
    event("layer_updated", 2, { layer: layer("a", { group: "Towns", version: 2 }), undo_of: null, redo: false }),
  ]);
  expect(entry?.deed).toEqual({ did: "changed", name: "a", what: ["group"] });
});
