/** Layers and results without geometry as one file: which of them, in which format, reference system and under which name. */
import { useSignal } from "@preact/signals";
import { inOwnWords, number, t } from "../i18n/i18n";
import type { Export, ExportReport } from "../protocol/types";
import { exportFile, fileAddress } from "../session/exports";
import { writtenRows } from "../store/presence";
import { layers, turns } from "../store/store";
import { Dialog } from "../ui/dialog";
import { Pick } from "../ui/form";
import { Icon } from "../ui/icons";
import { exporting } from "../ui/page/dialogs";

const FORMATS = [
  ["gpkg", "GeoPackage"], ["geojson", "GeoJSON"], ["geojsonl", "GeoJSON (text sequence)"], ["shp", "Shapefile (zip)"],
  ["fgb", "FlatGeobuf"], ["parquet", "GeoParquet"], ["kml", "KML"], ["csv", "CSV"], ["xlsx", "Excel (XLSX)"],
  ["json", "JSON"],
] as const;

export function ExportDialog() {
  const chosen = exporting.value;
  return chosen === null ? null : <Dialog title={t("exportTitle")} close={() => (exporting.value = null)}><Form chosen={chosen} /></Dialog>;
}

function Form({ chosen }: { chosen: readonly string[] }) {
  const choices = exportable();
  const ids = useSignal<readonly string[]>(chosen);
  // What has no geometry is wanted as a sheet, most of the time.
  const format = useSignal<Export["format"]>(chosen.length > 0 && !layers.value.some(({ id }) => chosen.includes(id)) ? "csv" : "gpkg");
  const crs = useSignal("");
  const outside = useSignal<"keep" | "drop" | "null">("keep");
  const name = useSignal("");
  const state = useSignal<"ready" | "writing">("ready");
  const fault = useSignal("");
  const report = useSignal<ExportReport | null>(null);
  const write = async () => {
    state.value = "writing";
    fault.value = "";
    report.value = null;
    try {
      report.value = await exportFile({
        items: choices.filter(({ id }) => ids.value.includes(id)).map(({ id }) => ({ source: id })),
        format: format.value,
        ...(crs.value.trim() !== "" && { crs: crs.value.trim(), ...(outside.value !== "keep" && { outside: outside.value }) }),
        ...(name.value.trim() !== "" && { file_name: name.value.trim() }),
      });
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
    state.value = "ready";
  };
  const toggle = (id: string) => (ids.value = ids.value.includes(id) ? ids.value.filter((each) => each !== id) : [...ids.value, id]);
  return (
    <form class="dialog-form" onSubmit={(event) => { event.preventDefault(); void write(); }}>
      <fieldset class="dialog-choices">
        <legend>{t("exportContents")}</legend>
        {choices.map(({ id, title, size }) => (
          <label key={id}>
            <input type="checkbox" checked={ids.value.includes(id)} onChange={() => toggle(id)} />
            <span dir="auto">{title}</span> <span class="quiet">{size}</span>
          </label>
        ))}
      </fieldset>
      <div class="dialog-fields">
        <label>
          <span>{t("exportFormat")}</span>
          <select value={format.value} onChange={({ currentTarget }) => (format.value = currentTarget.value as Export["format"])}>
            {FORMATS.map(([value, label]) => <option key={value} value={value}>{label}</option>)}
          </select>
        </label>
        <label>
          <span>{t("exportCrs")}</span>
          <input value={crs.value} maxLength={40} dir="ltr" placeholder={t("exportOwnCrs")} onInput={({ currentTarget }) => (crs.value = currentTarget.value)} />
        </label>
        {crs.value.trim() !== "" && (
          <label class="wide">
            <span>{t("exportOutside")}</span>
            <Pick
              value={outside.value} onPick={(it) => (outside.value = it)}
              options={[["keep", t("exportOutsideKeep")], ["drop", t("exportOutsideDrop")], ["null", t("exportOutsideNull")]]}
            />
          </label>
        )}
        <label class="wide">
          <span>{t("exportName")}</span>
          <input value={name.value} maxLength={100} dir="auto" placeholder={usualName(choices, ids.value)} onInput={({ currentTarget }) => (name.value = currentTarget.value)} />
        </label>
      </div>
      {state.value === "writing" && <Progress />}
      {fault.value !== "" && <p class="missing" role="alert" dir="auto">{fault.value}</p>}
      {report.value !== null && <Outcome report={report.value} />}
      <div class="dialog-actions">
        <button type="button" class="button plain" onClick={() => (exporting.value = null)}>{report.value === null ? t("cancel") : t("close")}</button>
        <button type="submit" class="button" disabled={state.value === "writing" || ids.value.length === 0}>
          <Icon name="download" />{t("exportStart")}
        </button>
      </div>
    </form>
  );
}

/** The share of rows that are written; without a share until they are counted. */
function Progress() {
  const written = writtenRows.value;
  const isCounted = written !== null && written.total > 0;
  return (
    <div class="export-progress">
      <progress class="step-progress" aria-label={t("exportWriting")} max={100} {...(isCounted && { value: (100 * written.rows) / written.total })} />
      <p class="quiet">{isCounted ? t("exportRows", { n: number(written.rows), total: number(written.total) }) : t("exportWriting")}</p>
    </div>
  );
}

/** The layers, and the tables without geometry that analyses of this map gave. */
function exportable(): { id: string; title: string; size: string }[] {
  const results = turns.value.flatMap(({ entries }) => entries).flatMap((entry) => (entry.kind === "analysis" ? entry.tables : []));
  return [
    ...layers.value.map(({ id, name, count }) => ({ id, title: name, size: t("featureCount", { n: count }) })),
    ...results.map(({ table, name, rows }) => ({ id: table, title: name ?? table, size: t("rowCount", { n: rows }) })),
  ];
}

/** The name of a file that the person gives none. */
function usualName(choices: readonly { id: string; title: string }[], ids: readonly string[]): string {
  const [first, second] = choices.filter(({ id }) => ids.includes(id));
  return first !== undefined && second === undefined ? first.title : "export";
}

function Outcome({ report }: { report: ExportReport }) {
  const size = report.bytes < 1e6 ? `${number(Math.ceil(report.bytes / 1000))} kB` : `${number(Math.round(report.bytes / 1e5) / 10)} MB`;
  return (
    <div class="dialog-outcome" role="status">
      <p><a class="link" href={fileAddress(report.link ?? "")} download dir="auto">{report.file_name}</a> <span class="quiet" dir="ltr">{size}</span></p>
      {report.notes?.map((note, at) => <p key={note} class="warn" dir="auto">{inOwnWords(note, report.wording?.[at])}</p>)}
    </div>
  );
}
