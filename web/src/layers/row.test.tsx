import { render } from "preact";
import { afterEach, expect, it } from "vitest";
import { layer } from "../testing/samples";
import { LayerRow } from "./row";

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

const entry = {
  label: "", code: "name" as const, color: "#ff0000", size: 4, minimum: null, maximum: null, open: null, whole: false, value: null, count: null, hidden: false,
};
