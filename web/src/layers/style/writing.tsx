/** What is written on the map of a layer, and when: labels, the columns beside the pointer, and its range of zooms. */
import { number, t } from "../../i18n/i18n";
import type { Table } from "../../protocol/types";
import { bounds as viewed } from "../../instance/selection";
import { Field, Pick } from "../../ui/form";
import { Slider } from "./controls";
import { named, type PartProps } from "./part";

const MOST_COLUMNS = 8;
const MOST_ZOOM = 20;

const shownColumns = (table: Table | null) => table?.columns.filter((it) => it.kind !== "geometry") ?? [];

export function LabelSettings({ layer, change, preview, table }: PartProps & { table: Table | null }) {
  const { label, label_size: size, label_overlap: overlap, label_min_zoom: zoom } = layer.style;
  return (
    <>
      <Field label={t("styleColumn")}>
        <Pick
          value={label ?? ""} onPick={(name) => change({ label: name === "" ? null : name })}
          options={[["", t("none")], ...named(shownColumns(table))]}
        />
      </Field>
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
