import { expect, it, vi } from "vitest";

vi.mock("../session", () => ({ reorderLayers: vi.fn() }));

import { placed } from "./drag";

/** As on the screen, top first: c is 100 high, the others 40. */
const ROWS = [{ id: "c", top: 0, bottom: 100 }, { id: "b", top: 100, bottom: 140 }, { id: "a", top: 140, bottom: 180 }];
const ORDER = ["a", "b", "c"];

it("a layer passes those that the pointer enters", () => {
  expect(placed(ORDER, "a", ROWS, 10, -1)).toEqual(["b", "c", "a"]);
  expect(placed(ORDER, "a", ROWS, 120, -1)).toEqual(["b", "a", "c"]);
  expect(placed(ORDER, "c", ROWS, 120, 1)).toEqual(["a", "c", "b"]);
  expect(placed(ORDER, "c", ROWS, 500, 1)).toEqual(["c", "a", "b"]);
});

it("it stays where it is until then", () => {
  expect(placed(ORDER, "b", ROWS, 145, 1)).toEqual(ORDER);
  expect(placed(ORDER, "b", ROWS, 95, -1)).toEqual(ORDER);
});

it("a high row that was passed is not passed back while the pointer moves on", () => {
  const after = [{ id: "b", top: 0, bottom: 40 }, { id: "c", top: 0, bottom: 100 }];
  expect(placed(["c", "b"], "b", after, 60, -1)).toEqual(["c", "b"]);
  expect(placed(["b", "c"], "b", after, 60, 1)).toEqual(["b", "c"]);
});
