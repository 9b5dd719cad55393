/**
 * Which features are drawn, as rows of conditions; they become CQL2, as the agent writes it. A change that somebody else
 * makes meanwhile is shown before anything is overwritten.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/i18n";
import type { Column, Layer } from "../../protocol/types";
import { changeFilter } from "../../session/commands";
import { lastChangedBy } from "../../store/store";
import { Pick } from "../../ui/form";
import { IconButton } from "../../ui/icons";
import {
  blank, type Comparison, comparisonsOf, type Condition, describe, isComplete, isFilterable, type Rows, toCql2, toRows,
} from "../../data/cql2";
import { ValueBox } from "./filter-value";
import { filtering } from "./filtering";
import { firstChoice } from "../columns";
import { tableOf } from "../../data/tables";

/** Conditions being edited, and the filter of the layer that they started from. */
interface Draft {
  rows: Rows;
  base: string;
  version: number;
}

const written = (filter: Layer["filter"]): string => JSON.stringify(filter ?? null);

export function FilterEditor({ layer }: { layer: Layer }) {
  const columns = tableOf(layer.table)?.columns.filter(isFilterable) ?? [];
  const draft = useSignal<Draft | null>(null);
  /** The person wanted to apply conditions without a value. */
  const incomplete = useSignal(false);
  const sending = useSignal(false);
  const rows = draft.value?.rows ?? toRows(layer.filter);
  const wanted = filtering.value?.layerId === layer.id ? columns.find((it) => it.name === filtering.value?.column) : undefined;
  const set = (conditions: Condition[], join = rows?.join ?? "and") => {
    const { base, version } = draft.value ?? { base: written(layer.filter), version: layer.version };
    draft.value = { rows: { join, conditions }, base, version };
    incomplete.value &&= !conditions.every(isComplete);
  };
  useEffect(() => {
    if (wanted === undefined) return;
    filtering.value = null;
    if (rows !== null) set([...rows.conditions, blank(wanted)]);
  }, [wanted]);
  if (rows === null) return <Foreign layer={layer} />;
  const isStale = draft.value !== null && !sending.value && draft.value.base !== written(layer.filter);
  const apply = async () => {
    if (draft.value === null || isStale) return;
    incomplete.value = !rows.conditions.every(isComplete);
    if (incomplete.value) return;
    sending.value = true;
    if (await changeFilter(layer.id, toCql2(rows, columns), draft.value.version)) draft.value = null;
    sending.value = false;
  };
  const keepMine = () => void (draft.value &&= { ...draft.value, base: written(layer.filter), version: layer.version });
  const first = columns.find(({ name }) => name === layer.style.column) ?? firstChoice(columns, false);
  return (
    <form class="editor" noValidate onSubmit={(event) => { event.preventDefault(); void apply(); }}>
      {rows.conditions.length > 1 && (
        <Pick
          value={rows.join} label={t("filterJoin")} options={[["and", t("filterAll")], ["or", t("filterAny")]]}
          onPick={(join) => set(rows.conditions, join)}
        />
      )}
      {rows.conditions.map((condition, index) => (
        <Row
          key={index} layer={layer} condition={condition} columns={columns} isMissing={incomplete.value && !isComplete(condition)}
          change={(next) => set(rows.conditions.with(index, next))}
          remove={() => set(rows.conditions.toSpliced(index, 1))}
        />
      ))}
      {rows.conditions.length === 0 && <p class="quiet">{t("filterNone")}</p>}
      {isStale && <Conflict layer={layer} keepTheirs={() => (draft.value = null)} useMine={keepMine} />}
      <div class="editor-actions">
        <button
          type="button" class="button plain" disabled={first === undefined}
          onClick={() => first && set([...rows.conditions, blank(first)])}
        >
          {t("filterAdd")}
        </button>
        {draft.value !== null && <button type="submit" class="button" disabled={isStale}>{t("filterApply")}</button>}
      </div>
    </form>
  );
}

/** Somebody else changed the filter while this one was being edited. */
function Conflict({ layer, keepTheirs, useMine }: { layer: Layer; keepTheirs: () => void; useMine: () => void }) {
  const name = lastChangedBy(layer.id);
  return (
    <div class="conflict" role="alert">
      <p>{name === null ? t("filterChanged") : t("filterChangedBy", { name })}</p>
      <p class="quiet" dir="auto">{layer.filter == null ? t("filterNone") : describe(layer.filter)}</p>
      <div class="editor-actions">
        <button type="button" class="button plain" onClick={keepTheirs}>{t("filterKeepTheirs")}</button>
        <button type="button" class="button plain" onClick={useMine}>{t("filterUseMine")}</button>
      </div>
    </div>
  );
}

/** A filter that the rows cannot show: it is shown as text and may be removed. */
function Foreign({ layer }: { layer: Layer }) {
  return (
    <div class="editor">
      <p dir="auto">{describe(layer.filter)}</p>
      <p class="quiet">{t("filterForeign")}</p>
      <div class="editor-actions">
        <button type="button" class="button plain" onClick={() => void changeFilter(layer.id, null, layer.version)}>
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
  isMissing: boolean;
  change: (next: Condition) => void;
  remove: () => void;
}

/** What was typed, where the other comparison can use it. */
function carried({ comparison: before, value }: Condition, after: Comparison): string {
  return (before === "between") === (after === "between") ? value : "";
}

function Row({ layer, condition, columns, isMissing, change, remove }: RowProps) {
  const column = columns.find((it) => it.name === condition.column);
  const words: Record<Comparison, string> = {
    "=": t("is"), "<>": t("isNot"), "<": "<", "<=": "≤", ">": ">", ">=": "≥", contains: t("contains"), in: t("isOneOf"), between: t("isBetween"),
    isNull: t("isEmpty"), notNull: t("isNotEmpty"),
  };
  const comparisons = column === undefined ? (Object.keys(words) as Comparison[]) : comparisonsOf(column);
  const pickColumn = (name: string) => {
    const next = columns.find((it) => it.name === name);
    if (next === undefined) return;
    const fits = next.kind === column?.kind && comparisonsOf(next).includes(condition.comparison);
    change(fits ? blank(next, condition.comparison) : blank(next));
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
      {isMissing && <p class="missing" role="alert">{t("filterMissing")}</p>}
    </div>
  );
}
