import { expect, it } from "vitest";
import { matching } from "./match";

const items = [
  { label: "Open table", section: "airports" }, { label: "Undo", section: "" }, { label: "Table of sources", section: "" }, { label: "Open table", section: "countries" },
];
const labels = (text: string) => matching(items, text).map(({ label, section }) => `${label} ${section}`.trim());

it("every word counts, and what begins with the text comes first", () => {
  expect(labels("")).toHaveLength(4);
  expect(labels("table")).toEqual(["Table of sources", "Open table airports", "Open table countries"]);
  expect(labels("tab AIR")).toEqual(["Open table airports"]);
  expect(labels("tab xyz")).toEqual([]);
});
