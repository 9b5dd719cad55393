/** The kinds of styles that can be chosen by hand: one entry each, registered here and nowhere else in the client. */
import type { Key } from "../../i18n/en";
import type { Column, Layer, StyleSpec, Table } from "../../protocol/types";
import { firstChoice } from "../columns";

export type Kind = NonNullable<StyleSpec["kind"]>;
type Control = "colour" | "ramp" | "classes" | "values" | "statistic";

interface KindOfStyle {
  name: Kind;
  label: Key;
  /** What is shown of a column; null where none is. */
  columnLabel: Key | null;
  /** Whether the column may be left out. */
  isColumnOptional?: boolean;
  /** Only columns of numbers serve. */
  isNumeric?: boolean;
  controls: readonly Control[];
  /** Greatest size that can be chosen and the usual one, in pixels. */
  sizes: { most: number; usual: number };
  /** Cells are drawn in place of features, so features have no labels. */
  isBinned?: boolean;
  suits(layer: Layer): boolean;
}

const SMALL = { most: 20, usual: 4 };
const LARGE = { most: 60, usual: 24 };
const CELLS = { most: 100, usual: 32 };

const KINDS: readonly KindOfStyle[] = [
  { name: "single", label: "kindSingle", columnLabel: null, controls: ["colour"], sizes: SMALL, suits: () => true },
  { name: "categorical", label: "kindCategorical", columnLabel: "styleColumn", controls: ["ramp", "values"], sizes: SMALL, suits: () => true },
  { name: "graduated", label: "kindGraduated", columnLabel: "styleColumn", isNumeric: true, controls: ["ramp", "classes"], sizes: SMALL, suits: () => true },
  {
    name: "proportional", label: "kindProportional", columnLabel: "styleColumn", isNumeric: true, controls: ["colour"], sizes: LARGE,
    suits: (layer) => layer.geometry_type !== "line",
  },
  {
    name: "heatmap", label: "kindHeatmap", columnLabel: "styleWeight", isColumnOptional: true, isNumeric: true, controls: ["ramp"], sizes: LARGE,
    suits: (layer) => layer.geometry_type === "point",
  },
  {
    name: "hexbin", label: "kindHexbin", columnLabel: "styleColumn", isColumnOptional: true, isNumeric: true, isBinned: true,
    controls: ["statistic", "ramp"], sizes: CELLS, suits: () => true,
  },
  {
    name: "grid", label: "kindGrid", columnLabel: "styleColumn", isColumnOptional: true, isNumeric: true, isBinned: true,
    controls: ["statistic", "ramp"], sizes: CELLS, suits: () => true,
  },
  {
    name: "cluster", label: "kindCluster", columnLabel: null, isBinned: true, controls: ["colour"], sizes: { most: 100, usual: 64 },
    suits: (layer) => layer.geometry_type === "point",
  },
];

export function kindOf(style: StyleSpec): KindOfStyle {
  return KINDS.find(({ name }) => name === style.kind) ?? (KINDS[0] as KindOfStyle);
}

/** The kinds that this layer can be shown as, and the one that it is shown as. */
export function kindsFor(layer: Layer, table: Table | null): KindOfStyle[] {
  const isPossible = (kind: KindOfStyle) =>
    kind.suits(layer) && (kind.columnLabel === null || kind.isColumnOptional === true || columnsFor(kind, table).length > 0);
  return KINDS.filter((kind) => isPossible(kind) || kind.name === layer.style.kind);
}

/** Columns that this kind can show; keys say nothing about a thing. */
export function columnsFor(kind: KindOfStyle, table: Table | null): Column[] {
  if (table === null) return [];
  const plain = table.columns.filter((it) => !table.key.includes(it.name) && it.kind !== "geometry" && it.kind !== "json");
  return kind.isNumeric ? plain.filter((it) => it.kind === "integer" || it.kind === "number") : plain;
}

/** The change to another kind: it keeps the column that is shown, where it suits, else takes the first that says something. */
export function toKind(kind: KindOfStyle, style: StyleSpec, table: Table | null): Partial<StyleSpec> {
  const columns = kind.columnLabel === null || kind.isColumnOptional ? [] : columnsFor(kind, table);
  const same = columns.find(({ name }) => name === style.column);
  const column = (same ?? firstChoice(columns, kind.isNumeric !== true))?.name ?? null;
  return { kind: kind.name, column, statistic: null, size: null, ramp: null, classes: null, values: [], breaks: [], hidden: [] };
}
