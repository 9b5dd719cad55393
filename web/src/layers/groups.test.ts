import { expect, it, vi } from "vitest";

vi.mock("../session/commands", () => ({ changeGroup: vi.fn(), reorderLayers: vi.fn() }));

import { layer } from "../testing/samples";
import { groupAt, inBlock, sections } from "./groups";

const layers = [
  layer("a", { group: "Towns" }), layer("b", { group: "Towns" }), layer("c"), layer("d", { group: "Roads" }),
];

it("a group is shown where its topmost layer lies", () => {
  const shown = sections([layers[3]!, layers[1]!, layers[2]!, layers[0]!]).map(({ group, layers: members }) => [group, members.map(({ id }) => id)]);
  expect(shown).toEqual([["Roads", ["d"]], ["Towns", ["b", "a"]], [null, ["c"]]]);
});

it("the layers of a group move with the topmost of them", () => {
  expect(inBlock(["a", "c", "d", "b"], ["b", "a"])).toEqual(["c", "d", "a", "b"]);
  expect(inBlock(["b", "c", "a"], ["b", "a"])).toEqual(["a", "b", "c"]);
  expect(inBlock(["a", "b", "c"], ["b"])).toEqual(["a", "b", "c"]);
});

it("a layer between two of a group joins it, and one that lies elsewhere leaves its own", () => {
  expect(groupAt(["a", "c", "b", "d"], layers, "c")).toBe("Towns");
  expect(groupAt(["a", "b", "c", "d"], layers, "c")).toBeNull();
  expect(groupAt(["a", "c", "b", "d"], layers, "b")).toBeNull();
  expect(groupAt(["b", "a", "c", "d"], layers, "b")).toBe("Towns");
});

it("the only layer of a group takes it along", () => {
  expect(groupAt(["d", "a", "b", "c"], layers, "d")).toBe("Roads");
});
