/** The form for a new chart: what of, which kind, and which columns; only what fits is offered. */
import { useSignal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { tableOf, tables } from "../data/tables";
import type { ChartDraft, Column } from "../protocol/types";
import { layers } from "../store/store";
import { Field, Pick } from "../ui/form";
import { addChart, draft } from "./actions";
import { type Aggregate, aggregateWords } from "./shape";

type Kind = ChartDraft["kind"];

const KINDS: readonly Kind[] = ["bar", "histogram", "line", "scatter", "box"];
const AGGREGATES: readonly Aggregate[] = ["mean", "sum", "median", "minimum", "maximum"];
const NONE = "";

const isNumber = ({ kind }: Column) => kind === "integer" || kind === "number";
const isMeasure = (column: Column) => isNumber(column) || column.kind === "date" || column.kind === "timestamp";
const isGroup = ({ kind }: Column) => kind === "text" || kind === "boolean" || kind === "integer" || kind === "other";

/** Which columns may be what; a role that is not named is not asked for. */
const ROLES: Record<Kind, { x: (column: Column) => boolean; y?: (column: Column) => boolean; xFree?: true; yFree?: true; color?: true }> = {
  bar: { x: isGroup, y: isNumber, yFree: true, color: true },
  histogram: { x: isMeasure, color: true },
  line: { x: isMeasure, y: isNumber, yFree: true, color: true },
  scatter: { x: isMeasure, y: isNumber, color: true },
  box: { x: isGroup, xFree: true, y: isNumber },
};

export function ChartForm({ given }: { given: Partial<ChartDraft> }) {
  const source = useSignal(given.layer_id ?? given.table ?? layers.value.at(-1)?.id ?? tables()[0]?.id ?? "");
  const kind = useSignal<Kind>(given.kind ?? "bar");
  const wish = useSignal({ x: given.x ?? NONE, y: given.y ?? NONE, color: NONE });
  const aggregate = useSignal<Aggregate>("mean");
  const busy = useSignal(false);
  const layer = layers.value.find((it) => it.id === source.value);
  const table = tableOf(layer?.table ?? source.value);
  const columns = table?.columns.filter((column) => !table.key?.includes(column.name)) ?? [];
  const roles = ROLES[kind.value];
  const fitting = (fits: (column: Column) => boolean) => columns.filter(fits).map((column): [string, string] => [column.name, column.name]);
  const chosen = (name: string, options: [string, string][], free: boolean) =>
    options.some(([it]) => it === name) ? name : free ? NONE : (options[0]?.[0] ?? NONE);
  const [xs, ys, colours] = [fitting(roles.x), roles.y === undefined ? [] : fitting(roles.y), fitting(isGroup)];
  const x = chosen(wish.value.x, xs, roles.xFree ?? false);
  const y = roles.y === undefined ? NONE : chosen(wish.value.y, kind.value === "scatter" ? ys.filter(([it]) => it !== x) : ys, roles.yFree ?? false);
  const color = roles.color ? chosen(wish.value.color, colours, true) : NONE;
  const sums = (kind.value === "bar" || kind.value === "line") && y !== NONE;
  const ready = (x !== NONE || roles.xFree) && (y !== NONE || roles.y === undefined || roles.yFree);
  const set = (change: Partial<typeof wish.value>) => (wish.value = { ...wish.value, ...change });
  const make = async () => {
    busy.value = true;
    const done = await addChart({
      kind: kind.value, ...(layer === undefined ? { table: source.value } : { layer_id: layer.id }),
      ...(x !== NONE && { x }), ...(y !== NONE && { y }), ...(color !== NONE && { color }), ...(sums && { aggregate: aggregate.value }),
    });
    busy.value = false;
    if (done) draft.value = null;
  };
  const none: [string, string] = [NONE, t("chartNoColumn")];
  return (
    <form class="editor chart-form" onSubmit={(event) => { event.preventDefault(); void make(); }}>
      <Field label={t("chartData")}><Pick value={source.value} options={sources()} onPick={(value) => (source.value = value)} /></Field>
      <Field label={t("chartKind")}>
        <Pick value={kind.value} options={KINDS.map((it) => [it, kindWords(it)] as const)} onPick={(value) => (kind.value = value)} />
      </Field>
      <Field label={kind.value === "bar" || kind.value === "box" ? t("chartGroups") : "X"}>
        <Pick value={x} options={roles.xFree ? [none, ...xs] : xs} onPick={(value) => set({ x: value })} />
      </Field>
      {roles.y !== undefined && (
        <Field label={kind.value === "bar" ? t("chartValue") : "Y"}>
          <Pick value={y} options={roles.yFree ? [[NONE, t("chartCount")], ...ys] : ys} onPick={(value) => set({ y: value })} />
        </Field>
      )}
      {sums && (
        <Field label={t("chartAggregate")}>
          <Pick value={aggregate.value} options={AGGREGATES.map((it) => [it, aggregateWords(it)] as const)} onPick={(value) => (aggregate.value = value)} />
        </Field>
      )}
      {roles.color && <Field label={t("chartColour")}><Pick value={color} options={[none, ...colours]} onPick={(value) => set({ color: value })} /></Field>}
      <div class="chart-form-end">
        <button type="button" class="button plain" onClick={() => (draft.value = null)}>{t("cancel")}</button>
        <button type="submit" class="button" disabled={!ready || busy.value}>{t("chartMake")}</button>
      </div>
      {table !== null && !ready && <p class="quiet">{t("chartNoFit")}</p>}
    </form>
  );
}

function sources(): [string, string][] {
  const shown = layers.value.toReversed().map((layer): [string, string] => [layer.id, layer.name]);
  return [...shown, ...tables().map((table): [string, string] => [table.id, table.id])];
}

function kindWords(kind: Kind): string {
  return {
    bar: t("chartBar"), histogram: t("chartHistogram"), line: t("chartLine"), scatter: t("chartScatter"), box: t("chartBox"),
  }[kind];
}

/** The chart that shows a column best: how its numbers or times spread, or how often its values are. */
export function kindFor(column: Column): Kind | null {
  return isMeasure(column) ? "histogram" : isGroup(column) ? "bar" : null;
}
