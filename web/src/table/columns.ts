/** The columns of the attribute table: by which the rows are sorted, how wide each is, and which are hidden. TanStack Table. */
import {
  columnResizingFeature, columnSizingFeature, columnVisibilityFeature, constructTable, rowSortingFeature, type Table, tableFeatures,
} from "@tanstack/table-core";
import { storeReactivityBindings } from "@tanstack/table-core/store-reactivity-bindings";
import { useEffect, useMemo, useReducer } from "preact/hooks";
import type { Row } from "../data/rows";
import { direction } from "../i18n/i18n";
import { LEAST, type Width } from "./widths";

/** The server sorts: the table only says by what. */
const FEATURES = tableFeatures({
  coreReactivityFeature: storeReactivityBindings(), rowSortingFeature, columnSizingFeature, columnResizingFeature, columnVisibilityFeature,
});

export type Columns = Table<typeof FEATURES, Row>;

export function useColumns(widths: readonly Width[]): Columns {
  const [, again] = useReducer((count: number) => count + 1, 0);
  const columns = useMemo(() => columnsOf(widths), [widths]);
  useEffect(() => columns.store.subscribe(() => again(0)).unsubscribe, [columns]);
  return columns;
}

export function columnsOf(widths: readonly Width[]): Columns {
  return constructTable({
    features: FEATURES, data: [], columns: widths.map(({ name, pixels }) => ({ id: name, accessorFn: (row: Row) => row[name], size: pixels, minSize: LEAST })),
    manualSorting: true, enableMultiSort: false, enableSortingRemoval: false, sortDescFirst: false,
    columnResizeMode: "onChange", columnResizeDirection: direction.value,
  });
}

/** For `grid-template-columns`: what is left over goes to the columns by their widths, until somebody sets them. */
export function template(columns: Columns): string {
  const isSet = Object.keys(columns.atoms.columnSizing.get()).length > 0;
  const sizes = columns.getVisibleLeafColumns().map((column) => column.getSize());
  return sizes.map((size) => (isSet ? `${size}px` : `minmax(${size}px, ${size}fr)`)).join(" ");
}

/** All columns keep the widths that they have on the page, so that one can be set. */
export function fix(columns: Columns, head: Element): void {
  const cells = [...head.querySelectorAll<HTMLElement>("[data-column]")];
  columns.setColumnSizing(Object.fromEntries(cells.map((cell) => [cell.dataset["column"] ?? "", cell.offsetWidth])));
}

export function widen(columns: Columns, name: string, by: number): void {
  const size = columns.getColumn(name)?.getSize() ?? 0;
  columns.setColumnSizing((sizes) => ({ ...sizes, [name]: Math.max(LEAST, size + by) }));
}
