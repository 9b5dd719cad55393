import { beforeEach, expect, it } from "vitest";
import { change, layersOf, newPart, nextName, parts, split, unite, waiting } from "./parts";

const file = new File([""], "town.shp.zip");

beforeEach(() => {
  parts.value = [newPart(file)];
});

it("a file is called what it is without its endings", () => {
  expect(parts.value[0]).toMatchObject({ name: "town", mode: "new", isChosen: true, state: "ready" });
});

it("its layers take the place of a file, and one table of all takes theirs", () => {
  split(parts.value[0]!.id, ["roads", "parks"]);
  expect(parts.value.map(({ name, isChosen }) => [name, isChosen])).toEqual([["roads", false], ["parks", false]]);
  change(parts.value[0]!.id, { state: "done" });
  expect(layersOf(file).map(({ name }) => name)).toEqual(["parks"]);
  const { left } = unite(file);
  expect(left.map(({ name }) => name)).toEqual(["parks"]);
  expect(parts.value.map(({ name, united }) => [name, united])).toEqual([["roads", false], ["town", true]]);
});

it("only what was read and is chosen can be loaded", () => {
  const id = parts.value[0]!.id;
  expect(waiting()).toEqual([]);
  change(id, { state: "staged" });
  expect(waiting().map((part) => part.id)).toEqual([id]);
  change(id, { isChosen: false });
  expect(waiting()).toEqual([]);
});

it("a name that is taken gets a number", () => {
  expect([nextName("roads"), nextName("roads_9")]).toEqual(["roads_2", "roads_10"]);
});
