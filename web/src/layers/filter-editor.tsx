/** Which features are drawn, as rows of conditions; they become CQL2, as the agent writes it. */
import { useSignal } from "@preact/signals";
import { number, t } from "../i18n/i18n";
import type { Column, Layer } from "../protocol/types";
import { updateLayer } from "../session";
import { Pick } from "../ui/form";
import { IconButton } from "../ui/icons";
import { type Comparison, comparisonsOf, type Condition, describe, isFilterable, type Rows, toCql2, toRows } from "./cql2";
import { tableOf } from "./tables";

export function FilterEditor({ layer }: { layer: Layer }) {
  const columns = tableOf(layer.table)?.columns.filter(isFilterable) ?? [];
  const stored = toRows(layer.filter);
  const edited = useSignal<Rows | null>(null);
  const rows = edited.value ?? stored;
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
          key={index} condition={condition} columns={columns}
          change={(next) => set(rows.conditions.with(index, next))}
          remove={() => set(rows.conditions.toSpliced(index, 1))}
        />
      ))}
      {rows.conditions.length === 0 && <p class="quiet">{t("filterNone")}</p>}
      <div class="editor-actions">
        <button
          type="button" class="button plain" disabled={first === undefined}
          onClick={() => first && set([...rows.conditions, { column: first.name, comparison: "=", value: "" }])}
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
  condition: Condition;
  columns: readonly Column[];
  change: (next: Condition) => void;
  remove: () => void;
}

function Row({ condition, columns, change, remove }: RowProps) {
  const column = columns.find((it) => it.name === condition.column);
  const words: Record<Comparison, string> = {
    "=": t("is"), "<>": t("isNot"), "<": "<", "<=": "≤", ">": ">", ">=": "≥", contains: t("contains"), in: t("isOneOf"),
    isNull: t("isEmpty"), notNull: t("isNotEmpty"),
  };
  const comparisons = column === undefined ? (Object.keys(words) as Comparison[]) : comparisonsOf(column);
  const pickColumn = (name: string) => {
    const next = columns.find((it) => it.name === name);
    const fits = next !== undefined && comparisonsOf(next).includes(condition.comparison);
    change({ column: name, comparison: fits ? condition.comparison : "=", value: "" });
  };
  return (
    <div class="condition">
      <Pick
        value={condition.column} label={t("filterColumn")} options={columns.map(({ name }) => [name, name] as const)}
        onPick={pickColumn}
      />
      <Pick
        value={condition.comparison} label={t("filterComparison")} options={comparisons.map((it) => [it, words[it]] as const)}
        onPick={(comparison) => change({ ...condition, comparison })}
      />
      <IconButton icon="close" label={t("filterRemoveRow")} onClick={remove} />
      <ValueBox condition={condition} column={column} change={change} />
    </div>
  );
}

function ValueBox({ condition, column, change }: Omit<RowProps, "columns" | "remove"> & { column: Column | undefined }) {
  const { comparison, value } = condition;
  const set = (event: { currentTarget: { value: string } }) => change({ ...condition, value: event.currentTarget.value });
  if (comparison === "isNull" || comparison === "notNull") return null;
  if (column?.kind === "boolean") {
    return (
      <Pick
        value={value === "" ? "true" : value} label={t("filterValue")} options={[["true", t("yes")], ["false", t("no")]]}
        onPick={(next) => change({ ...condition, value: next })}
      />
    );
  }
  if (comparison === "in") {
    return <textarea rows={3} value={value} aria-label={t("filterValue")} placeholder={t("onePerLine")} onInput={set} />;
  }
  const isNumber = column?.kind === "integer" || column?.kind === "number";
  const list = `values-${condition.column}`;
  return (
    <>
      <input
        type={column?.kind === "date" ? "date" : isNumber ? "number" : "text"} step="any" value={value} list={list}
        aria-label={t("filterValue")} placeholder={range(column)} onInput={set} dir="auto"
      />
      {!isNumber && column !== undefined && (
        <datalist id={list}>{column.samples.map((sample) => <option key={sample} value={sample} />)}</datalist>
      )}
    </>
  );
}

/** What the column holds, as a hint in the empty box. */
function range(column: Column | undefined): string {
  const { minimum, maximum } = column ?? {};
  if (typeof minimum !== "number" || typeof maximum !== "number") return t("filterValue");
  return `${number(minimum, { maximumFractionDigits: 1 })} – ${number(maximum, { maximumFractionDigits: 1 })}`;
}
