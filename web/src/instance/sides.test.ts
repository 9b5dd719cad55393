import { expect, it } from "vitest";
import { layer } from "../testing/samples";
import { layersOf, otherLayer } from "./sides";

const all = [layer("land"), layer("old", { visible: false }), layer("new"), layer("sums", { geometry_type: "none" })];
const seen = (side: "left" | "right") => layersOf(all, { left: "old", right: "new" }, side).filter(({ visible }) => visible).map(({ id }) => id);

it("each side shows its layer, and both show the others", () => {
  expect(seen("left")).toEqual(["land", "old", "sums"]);
  expect(seen("right")).toEqual(["land", "new", "sums"]);
});

it("a layer is compared with the topmost other one that is drawn", () => {
  expect(otherLayer(all, "new")).toBe("old");
  expect(otherLayer(all, "old")).toBe("new");
  expect(otherLayer([layer("only")], "only")).toBeUndefined();
});
