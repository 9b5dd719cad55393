/** What is written on the map of a layer, and when: labels, the columns beside the pointer, and its range of zooms. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Row, readRows } from "../../../data/rows";
import { number, t } from "../../../i18n/i18n";
import type { Table } from "../../../protocol/types";
import { bounds as viewed } from "../../../instance/selection";
import { connections, map } from "../../../store/store";
import { Field, Pick } from "../../../ui/form";
import { Slider } from "../controls";
import { completions, example, withColumn } from "./label-text";
import { named, type PartProps } from "../part";

const MOST_COLUMNS = 8;
const MOST_ZOOM = 20;
/** Rows among which one has values in all columns of a label. */
const EXAMPLES = 20;
const EXAMPLE = "{name} ({population})";

const shownColumns = (table: Table | null) => table?.columns.filter((it) => it.kind !== "geometry") ?? [];

export function LabelSettings({ layer, change, preview, table }: PartProps & { table: Table | null }) {
  const { label, label_size: size, label_overlap: overlap, label_min_zoom: zoom } = layer.style;
  return (
    <>
      <LabelText layer={layer} change={change} table={table} />
      {label != null && (
        <>
          <Slider label={t("styleSize")} value={size ?? 12} min={8} max={24} step={1} live={(it) => preview({ labelSize: it })} change={(it) => change({ label_size: it })} />
          <Slider
            label={t("zoomFrom")} value={zoom ?? 0} min={0} max={MOST_ZOOM} step={1} written={zoom == null ? t("zoomAlways") : undefined}
            change={(it) => change({ label_min_zoom: it === 0 ? null : it })}
          />
          <label class="check">
            <input type="checkbox" checked={overlap ?? false} onChange={(event) => change({ label_overlap: event.currentTarget.checked })} />
            {t("labelOverlap")}
          </label>
        </>
      )}
    </>
  );
}

/** A column, or a text with columns in braces. The text below shows what one feature would have. */
function LabelText({ layer, change, table }: Omit<PartProps, "preview"> & { table: Table | null }) {
  const columns = shownColumns(table).map(({ name }) => name);
  const now = layer.style.label ?? "";
  const typed = useSignal<string | null>(null);
  const text = typed.value ?? now;
  const rows = useSignal<Row[]>([]);
  useEffect(() => {
    const reading = new AbortController();
    if (map.value !== null && text !== "") {
      readRows(map.value.mapId, { kind: "layers", id: layer.id }, { limit: EXAMPLES, total: layer.count }, reading.signal).then((page) => (rows.value = page.rows), () => {});
    }
    return () => reading.abort();
  }, [layer.table, text === "", connections.value]);
  const set = (next: string) => {
    typed.value = null;
    if (next.trim() !== now) void change({ label: next.trim() || null });
  };
  const shown = text === "" ? "" : example(text.trim(), columns, rows.value);
  const list = `label-${layer.id}`;
  return (
    <>
      <Field label={t("labelText")}>
        <input
          type="text" value={text} list={list} maxLength={300} dir="auto" placeholder={t("none")} aria-describedby={`${list}-hint`}
          onInput={(event) => (typed.value = event.currentTarget.value)} onChange={(event) => set(event.currentTarget.value)}
        />
      </Field>
      <datalist id={list}>{completions(text, columns).map((it) => <option key={it} value={it} />)}</datalist>
      <Field label={t("labelInsert")}>
        <Pick value="" options={[["", t("labelColumn")], ...named(shownColumns(table))]} onPick={(name) => set(withColumn(text.trim(), name, columns))} />
      </Field>
      <p class="quiet" id={`${list}-hint`}>
        {shown === "" ? t("labelHint", { example: EXAMPLE }) : <>{t("labelExample")} <bdi class="label-example">{shown}</bdi></>}
      </p>
    </>
  );
}

export function TooltipSettings({ layer, change, table }: PartProps & { table: Table | null }) {
  const chosen = layer.style.tooltip ?? [];
  const toggle = (name: string, isOn: boolean) => change({ tooltip: isOn ? [...chosen, name] : chosen.filter((it) => it !== name) });
  return (
    <div class="checklist" role="group" aria-label={t("styleTooltip")} tabIndex={0}>
      {shownColumns(table).map(({ name }) => (
        <label key={name}>
          <input
            type="checkbox" checked={chosen.includes(name)} disabled={!chosen.includes(name) && chosen.length >= MOST_COLUMNS}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
          <span dir="auto">{name}</span>
        </label>
      ))}
    </div>
  );
}

export function ZoomSettings({ layer, change }: PartProps) {
  const { min_zoom: from, max_zoom: to } = layer.style;
  const now = viewed.value?.zoom ?? 0;
  return (
    <>
      <Slider
        label={t("zoomFrom")} value={from ?? 0} min={0} max={(to ?? MOST_ZOOM + 1) - 1} step={1} written={from == null ? t("zoomAlways") : undefined}
        change={(it) => change({ min_zoom: it === 0 ? null : it })}
      />
      <Slider
        label={t("zoomUntil")} value={to ?? MOST_ZOOM} min={(from ?? 0) + 1} max={MOST_ZOOM} step={1} written={to == null ? t("zoomAlways") : undefined}
        change={(it) => change({ max_zoom: it === MOST_ZOOM ? null : it })}
      />
      <p class="quiet">{t("zoomNow", { n: number(now, { maximumFractionDigits: 1 }) })}</p>
    </>
  );
}
