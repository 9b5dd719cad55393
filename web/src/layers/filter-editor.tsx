/** Which features are drawn, as rows of conditions; they become CQL2, as the agent writes it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n/i18n";
import type { Column, Layer } from "../protocol/types";
import { updateLayer } from "../session";
import { Pick } from "../ui/form";
import { IconButton } from "../ui/icons";
import { type Comparison, comparisonsOf, type Condition, describe, isFilterable, type Rows, toCql2, toRows } from "./cql2";
import { ValueBox } from "./filter-value";
import { filtering } from "./filtering";
import { tableOf } from "./tables";

export function FilterEditor({ layer }: { layer: Layer }) {
  const columns = tableOf(layer.table)?.columns.filter(isFilterable) ?? [];
  const stored = toRows(layer.filter);
  const edited = useSignal<Rows | null>(null);
  const rows = edited.value ?? stored;
  const wanted = filtering.value?.layerId === layer.id ? columns.find((it) => it.name === filtering.value?.column) : undefined;
  useEffect(() => {
    if (wanted === undefined) return;
    filtering.value = null;
    if (rows === null) return;
    const condition = { column: wanted.name, comparison: firstOf(wanted), value: "" };
    edited.value = { join: rows.join, conditions: [...rows.conditions, condition] };
  }, [wanted]);
  if (rows === null) return <Foreign layer={layer} />;
  const set = (conditions: Condition[], join = rows.join) => (edited.value = { join, conditions });
  const apply = async () => {
    const done = await updateLayer(layer.id, { filter: toCql2(rows, columns) });
    if (done) edited.value = null;
  };
  const first = columns[0];
  return (
    <form class="editor" onSubmit={(event) => { event.preventDefault(); void apply(); }}>
      {rows.conditions.length > 1 && (
        <Pick
          value={rows.join} label={t("filterJoin")} options={[["and", t("filterAll")], ["or", t("filterAny")]]}
          onPick={(join) => set(rows.conditions, join)}
        />
      )}
      {rows.conditions.map((condition, index) => (
        <Row
          key={index} layer={layer} condition={condition} columns={columns}
          change={(next) => set(rows.conditions.with(index, next))}
          remove={() => set(rows.conditions.toSpliced(index, 1))}
        />
      ))}
      {rows.conditions.length === 0 && <p class="quiet">{t("filterNone")}</p>}
      <div class="editor-actions">
        <button
          type="button" class="button plain" disabled={first === undefined}
          onClick={() => first && set([...rows.conditions, { column: first.name, comparison: firstOf(first), value: "" }])}
        >
          {t("filterAdd")}
        </button>
        {edited.value !== null && <button type="submit" class="button">{t("filterApply")}</button>}
      </div>
    </form>
  );
}

/** A filter that the rows cannot show: it is said in words and may be removed. */
function Foreign({ layer }: { layer: Layer }) {
  return (
    <div class="editor">
      <p dir="auto">{describe(layer.filter)}</p>
      <p class="quiet">{t("filterForeign")}</p>
      <div class="editor-actions">
        <button type="button" class="button plain" onClick={() => void updateLayer(layer.id, { filter: null })}>
          {t("filterRemove")}
        </button>
      </div>
    </div>
  );
}

interface RowProps {
  layer: Layer;
  condition: Condition;
  columns: readonly Column[];
  change: (next: Condition) => void;
  remove: () => void;
}

/** What was typed, where the other comparison can use it. */
function carried({ comparison: before, value }: Condition, after: Comparison): string {
  return (before === "between") === (after === "between") ? value : "";
}

/** Numbers and dates are mostly wanted in a range, all else by value. */
function firstOf(column: Column | undefined): Comparison {
  return column !== undefined && comparisonsOf(column).includes("between") ? "between" : "=";
}

function Row({ layer, condition, columns, change, remove }: RowProps) {
  const column = columns.find((it) => it.name === condition.column);
  const words: Record<Comparison, string> = {
    "=": t("is"), "<>": t("isNot"), "<": "<", "<=": "≤", ">": ">", ">=": "≥", contains: t("contains"), in: t("isOneOf"), between: t("isBetween"),
    isNull: t("isEmpty"), notNull: t("isNotEmpty"),
  };
  const comparisons = column === undefined ? (Object.keys(words) as Comparison[]) : comparisonsOf(column);
  const pickColumn = (name: string) => {
    const next = columns.find((it) => it.name === name);
    const fits = next !== undefined && comparisonsOf(next).includes(condition.comparison);
    change({ column: name, comparison: fits ? condition.comparison : firstOf(next), value: "" });
  };
  return (
    <div class="condition">
      <Pick
        value={condition.column} label={t("filterColumn")} options={columns.map(({ name }) => [name, name] as const)}
        onPick={pickColumn}
      />
      <Pick
        value={condition.comparison} label={t("filterComparison")} options={comparisons.map((it) => [it, words[it]] as const)}
        onPick={(comparison) => change({ ...condition, comparison, value: carried(condition, comparison) })}
      />
      <IconButton icon="close" label={t("filterRemoveRow")} onClick={remove} />
      <ValueBox layer={layer} condition={condition} column={column} change={change} />
    </div>
  );
}
