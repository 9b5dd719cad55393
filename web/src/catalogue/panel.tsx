/** The tables that can be drawn: search them, see what they hold, put them on the map, or bring a file. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Markdown } from "../chat/turns/markdown";
import { compact } from "../i18n/format";
import { number, rounded, t } from "../i18n/i18n";
import { findTables } from "../data/tables";
import type { LakeSource, Table } from "../protocol/types";
import { zoomTo } from "../session/camera";
import { addLayer } from "../session/commands";
import { results } from "../store/store";
import { previewedShapes } from "../instance/preview";
import { openTable } from "../instance/table";
import { Icon, IconButton } from "../ui/icons";
import { SidePanel } from "../ui/page/side-panel";
import { look } from "./preview";
import { LakeForm } from "./lake-form";
import { QualityLine } from "./quality";
import { Recipes } from "./recipes";
import { DropResult } from "./result";
import { offer } from "./offers";
import { shareUpload, uploads } from "./upload";

const PAUSE = 200;
const MOST = 200;

export function Catalogue() {
  const words = useSignal("");
  const found = useSignal<{ tables: Table[]; total: number } | null>(null);
  const open = useSignal<string | null>(null);
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => {
    void look(open.value);
    return () => void look(null);
  }, [open.value]);
  useEffect(() => {
    let isLate = false;
    const ask = async () => {
      const answer = await findTables(words.value.trim(), MOST);
      if (!isLate) found.value = answer;
    };
    const timer = setTimeout(() => void ask(), PAUSE);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [words.value, uploads.value, results.value]);
  return (
    <SidePanel title={t("catalogue")} class="catalogue">
      <div class="catalogue-tools">
        <input
          type="search" placeholder={t("searchTables")} aria-label={t("searchTables")} value={words.value} dir="auto"
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
        <button type="button" class="button plain" onClick={() => file.current?.click()}>
          <Icon name="upload" />{t("uploadFile")}
        </button>
        <input
          ref={file} type="file" multiple hidden aria-hidden="true"
          onChange={({ currentTarget }) => {
            offer(currentTarget.files ?? []);
            currentTarget.value = "";
          }}
        />
      </div>
      {words.value === "" && <LakeForm />}
      {words.value === "" && <Recipes />}
      {found.value?.total === 0 && <p class="quiet side-note">{t("noTables")}</p>}
      {found.value !== null && found.value.total > found.value.tables.length && (
        <p class="quiet side-note">{t("tablesCut", { n: number(found.value.tables.length), total: number(found.value.total) })}</p>
      )}
      <ul class="table-list" tabIndex={0}>{found.value?.tables.map((table) => (
        <Entry key={table.id} table={table} open={open.value === table.id} onToggle={() => (open.value = open.value === table.id ? null : table.id)} />
      ))}</ul>
    </SidePanel>
  );
}

/** An upload is this map's own until somebody here shares it. */
function ShareUpload({ table }: { table: string }) {
  const isShared = useSignal(false);
  if (isShared.value) return null;
  const share = async () => (isShared.value = await shareUpload(table));
  return <IconButton icon="people" label={`${t("shareUpload")}: ${table}`} onClick={() => void share()} />;
}

/** Lines that an editor wrapped go on: in the chat each would be a line of its own. */
function flowing(markdown: string): string {
  return markdown.replace(/^(?!#)(.*\S)\n *(?=[\p{L}(`])/gmu, "$1 ");
}

function lakeHint({ files, rows, sample_rows: sample }: LakeSource): string {
  return `${t("lakeFiles", { n: files, rows: number(rows) })} ${sample < rows ? t("lakeSample", { n: number(sample) }) : ""}`;
}

function Entry({ table, open, onToggle }: { table: Table; open: boolean; onToggle: () => void }) {
  // A result is called what its last step was: its comment begins with that.
  const name = (table.is_result && table.comment?.split(": ")[0]) || table.id.replace(/^(data|analysis)\./, "");
  const columns = table.columns.filter((column) => column.kind !== "geometry");
  return (
    <li class="table-entry">
      <div class="table-line">
        <button type="button" class="table-name" aria-expanded={open} onClick={onToggle}>
          <Icon name="chevron" /><span dir="auto">{name}</span>
        </button>
        <span class="quiet">{table.lake == null ? t("tableRows", { n: rounded(table.row_estimate) }) : t("lakeRows", { n: compact(table.row_estimate) })}</span>
        {table.lake != null && <span class="lake-mark" title={lakeHint(table.lake)}>{t("lakeTable")}</span>}
        {open && table.bounds != null && (
          <IconButton icon="target" label={`${t("zoomTo")}: ${table.id}`} onClick={() => zoomTo(table.bounds ?? null)} />
        )}
        {table.geometry_column === null ? (
          <>
            <span class="quiet">{t("notDrawable")}</span>
            <IconButton
              icon="table" label={`${t("openTable")}: ${table.id}`}
              onClick={() => openTable({ table: table.id, name, count: table.row_estimate, estimated: table.lake == null })}
            />
          </>
        ) : (
          <IconButton icon="plus" label={`${t("addToMap")}: ${table.id}`} onClick={() => void addLayer(table.id)} />
        )}
        {table.is_result && <DropResult table={table.id} />}
        {table.is_private && <ShareUpload table={table.id} />}
      </div>
      {table.comment !== null && !table.is_result && <p class="table-comment" dir="auto">{table.comment}</p>}
      {open && previewedShapes.value.notes.map(({ title, body }) => (
        <div key={title} class="noted" dir="auto">{!body.startsWith("#") && <strong>{title}</strong>}<Markdown text={flowing(body)} /></div>
      ))}
      {open && <QualityLine table={table.id} />}
      {open && (
        <dl class="table-columns">
          {columns.map((column) => (
            <div key={column.name}>
              <dt dir="auto">{column.name} <span class="quiet">{column.kind}</span></dt>
              <dd dir="auto">{column.comment ?? column.samples.slice(0, 3).join(", ")}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
