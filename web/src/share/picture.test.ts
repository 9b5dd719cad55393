import { expect, it } from "vitest";
import { layer } from "../testing/samples";
import { legendLines } from "./picture";

it("the legend of a picture says what its layers leave out", () => {
  const filter = { op: ">", args: [{ property: "elevation_m" }, 2000] };
  const lines = legendLines(layer("airports", { filter })).map((line) => line.text);
  expect(lines).toEqual(["airports", "elevation_m > 2000"]);
});
