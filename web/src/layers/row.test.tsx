import { render } from "preact";
import { afterEach, expect, it } from "vitest";
import { layer } from "../testing/samples";
import { LayerRow } from "./row";
import { inspected } from "./style/styling";

afterEach(() => render(null, document.body));

it("a layer of one colour has no legend but its notes", () => {
  const plain = layer("towns");
  const entries = [{ ...entry, label: "towns" }];
  const note = "data.towns no longer has people, which is not shown.";
  const show = (text: string | null) => render(
    <LayerRow layer={{ ...plain, legend: { ...plain.legend, entries, note: text } }} isDragged={false} isGrouped={false} place={null} shift={() => {}} />,
    document.body,
  );
  show(null);
  expect(document.querySelector(".legend")).toBeNull();
  show(note);
  expect(document.querySelector(".legend-note")?.textContent).toBe(note);
  expect(document.querySelector(".legend-rows")).toBeNull();
});

it("a note on a dropped column opens the style", () => {
  const plain = layer("towns");
  const wording = [{ code: "legend_dropped_column", start: 0, end: 4, values: {} }];
  render(
    <LayerRow layer={{ ...plain, legend: { ...plain.legend, note: "Gone", wording } }} isDragged={false} isGrouped={false} place={null} shift={() => {}} />,
    document.body,
  );
  [...document.querySelectorAll("button")].find((it) => it.textContent === "Choose another style")?.click();
  expect(inspected.value).toEqual({ layerId: plain.id, tab: "style" });
});

const entry = {
  label: "", code: "name" as const, color: "#ff0000", size: 4, minimum: null, maximum: null, open: null, whole: false, value: null, count: null, hidden: false,
};
