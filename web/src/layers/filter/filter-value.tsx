/** What a condition compares with: the column's real values to choose from, or a range on their histogram. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { number, t } from "../../i18n/i18n";
import { compact, formatNumber } from "../../i18n/format";
import type { Column, Layer } from "../../protocol/types";
import { connections, map } from "../../store/store";
import { type Frequent, readHistogram, readValues } from "../../data/rows";
import { Pick } from "../../ui/form";
import { HistogramRange } from "../../ui/histogram";
import { type Histogram, positionOf, type Scale, scaleOf, type Span, valueAt } from "../../ui/scale";
import type { Condition } from "../../data/cql2";
import { textOf, valueOf } from "../../data/range";

const PAUSE = 200;
const SHOWN = 12;
const BINS = 40;
/** Filters choose among all rows of the table, not only those that the layer shows now. */
const ALL = "null";

interface Props {
  layer: Layer;
  condition: Condition;
  column: Column | undefined;
  change: (next: Condition) => void;
}

export function ValueBox({ layer, condition, column, change }: Props) {
  const { comparison, value } = condition;
  const set = (next: string) => change({ ...condition, value: next });
  if (comparison === "isNull" || comparison === "notNull") return null;
  if (column?.kind === "boolean") {
    const answers = [["true", t("yes")], ["false", t("no")]] as const;
    return <Pick value={value === "" ? "true" : value} label={t("filterValue")} options={answers} onPick={set} />;
  }
  if (column !== undefined && comparison === "between") return <Between key={column.name} layer={layer} column={column} value={value} set={set} />;
  if (column !== undefined && comparison === "in") return <Checklist key={column.name} layer={layer} column={column} value={value} set={set} />;
  return <OneValue layer={layer} column={column} value={value} set={set} isWhole={comparison !== "contains"} />;
}

interface PartProps {
  layer: Layer;
  column: Column;
  value: string;
  set: (next: string) => void;
}

function OneValue({ layer, column, value, set, isWhole }: Omit<PartProps, "column"> & { column: Column | undefined; isWhole: boolean }) {
  const isText = column?.kind === "text";
  const found = useValues(layer, isText && isWhole ? column : undefined, value);
  const list = `values-${layer.id}-${column?.name ?? ""}`;
  return (
    <>
      <input
        type={typeOf(column)} step="any" value={value} list={list} aria-label={t("filterValue")} placeholder={limits(column)} dir="auto"
        onInput={(event) => set(event.currentTarget.value)}
      />
      {isText && <datalist id={list}>{found.map(({ value: it, count }) => <option key={it} value={it}>{number(count)}</option>)}</datalist>}
    </>
  );
}

/** The most frequent values with a box to tick each; the search finds the others. */
function Checklist({ layer, column, value, set }: PartProps) {
  const words = useSignal("");
  const found = useValues(layer, column, words.value);
  const chosen = value.split("\n").filter((it) => it.trim() !== "");
  const counts = new Map(found.map((it) => [it.value, it.count]));
  const others = chosen.filter((it) => !counts.has(it));
  const toggle = (it: string) => set((chosen.includes(it) ? chosen.filter((other) => other !== it) : [...chosen, it]).join("\n"));
  return (
    <fieldset class="checklist">
      <legend class="hidden">{t("filterValue")}</legend>
      <input
        type="text" value={words.value} aria-label={t("filterSearch")} placeholder={t("filterSearch")} dir="auto"
        onInput={(event) => (words.value = event.currentTarget.value)}
      />
      {[...others, ...counts.keys()].map((it) => (
        <label key={it}>
          <input type="checkbox" checked={chosen.includes(it)} onChange={() => toggle(it)} />
          <span dir="auto">{it}</span>
          <span class="quiet">{counts.has(it) ? number(counts.get(it) ?? 0) : ""}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** `value` is the two ends, a line each. */
function Between({ layer, column, value, set }: PartProps) {
  const histogram = useSignal<Histogram | null>(null);
  useEffect(() => {
    const reading = new AbortController();
    if (map.value !== null) {
      readHistogram(map.value.mapId, layer.id, { column: column.name, bins: BINS, filter: ALL }, reading.signal)
        .then((found) => (histogram.value = found), () => {});
    }
    return () => reading.abort();
  }, [layer.table, connections.value]);
  const ends = value.split("\n");
  const [from = "", to = ""] = ends;
  const scale = histogram.value && scaleOf(column, histogram.value);
  const end = (index: 0 | 1) => (
    <input
      type={typeOf(column)} step="any" value={ends[index] ?? ""} aria-label={index === 0 ? t("rangeFrom") : t("rangeTo")} dir="auto"
      placeholder={scale ? words(column, valueAt(scale, index === 0 ? 0 : scale.steps)) : ""}
      onInput={({ currentTarget }) => set(index === 0 ? `${currentTarget.value}\n${to}` : `${from}\n${currentTarget.value}`)}
    />
  );
  return (
    <div class="between">
      {histogram.value && scale && (
        <HistogramRange
          histogram={histogram.value} scale={scale} span={spanOf(scale, from, to)} words={(it) => words(column, it)}
          change={({ first, last }) => set(`${written(scale, column, first)}\n${written(scale, column, last)}`)}
        />
      )}
      <div class="between-ends">{end(0)}<span aria-hidden="true">–</span>{end(1)}</div>
    </div>
  );
}

/** Real values of a column that hold these words, the most frequent first. */
function useValues(layer: Layer, column: Column | undefined, words: string): Frequent[] {
  const found = useSignal<Frequent[]>([]);
  useEffect(() => {
    const reading = new AbortController();
    const timer = setTimeout(() => {
      if (column === undefined || map.value === null) return;
      readValues(map.value.mapId, layer.id, { column: column.name, words: words.trim(), limit: SHOWN, filter: ALL }, reading.signal)
        .then((values) => (found.value = values), () => {});
    }, words === "" ? 0 : PAUSE);
    return () => {
      clearTimeout(timer);
      reading.abort();
    };
  }, [layer.table, column?.name, words, connections.value]);
  return found.value;
}

function spanOf(scale: Scale, from: string, to: string): Span {
  const [first, last] = [valueOf(from), valueOf(to)];
  return { first: positionOf(scale, first ?? -Infinity), last: positionOf(scale, last ?? Infinity) };
}

/** The value at a position as the box shows it: both ends exactly, values between them with few digits. */
function written(scale: Scale, column: Column, position: number): string {
  const value = valueAt(scale, position);
  const isEnd = position <= 0 || position >= scale.steps;
  return textOf(column.kind === "number" && !isEnd ? Number(value.toPrecision(4)) : value, column);
}

function words(column: Column, value: number): string {
  return column.kind === "integer" || column.kind === "number" ? formatNumber(column.name, value) : textOf(value, column);
}

/** Called a text for the types' sake, which know no box of which only the data says what it takes. */
function typeOf(column: Column | undefined): "text" {
  const kinds = { date: "date", integer: "number", number: "number" } as Record<string, string>;
  return (kinds[column?.kind ?? ""] ?? "text") as "text";
}

/** What the column holds, as a hint in the empty box. */
function limits(column: Column | undefined): string {
  const { minimum, maximum } = column ?? {};
  if (typeof minimum !== "number" || typeof maximum !== "number") return t("filterValue");
  return `${compact(minimum)} – ${compact(maximum)}`;
}
