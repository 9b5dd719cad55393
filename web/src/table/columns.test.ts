import { expect, test } from "vitest";
import { columnsOf, template, widen } from "./columns";

const widths = [{ name: "a", pixels: 80, isNumber: true }, { name: "b", pixels: 160, isNumber: false }];

test("room that is left over is shared by the widths, until one is set", () => {
  const columns = columnsOf(widths);
  expect(template(columns)).toBe("minmax(80px, 80fr) minmax(160px, 160fr)");
  widen(columns, "b", 40);
  expect(template(columns)).toBe("80px 200px");
  widen(columns, "b", -1000);
  expect(template(columns)).toBe("80px 80px");
});

test("rows are sorted by one column, first upwards, then downwards, and upwards again", () => {
  const columns = columnsOf(widths);
  const orders = ["a", "a", "a", "b"].map((name) => {
    columns.getColumn(name)?.toggleSorting();
    return columns.atoms.sorting.get();
  });
  expect(orders).toEqual([[{ id: "a", desc: false }], [{ id: "a", desc: true }], [{ id: "a", desc: false }], [{ id: "b", desc: false }]]);
});

test("a hidden column has no room", () => {
  const columns = columnsOf(widths);
  columns.getColumn("a")?.toggleVisibility(false);
  expect(template(columns)).toBe("minmax(160px, 160fr)");
  columns.resetColumnVisibility();
  expect(columns.getVisibleLeafColumns().map(({ id }) => id)).toEqual(["a", "b"]);
});
