/** A result without geometry, in the conversation: its first rows, unless the answer has them, and what can be done with them. */
import { useEffect, useState } from "preact/hooks";
import { startChart } from "../../charts/actions";
import { formatValue } from "../../i18n/format";
import { t } from "../../i18n/i18n";
import type { AnalysisOutput } from "../../protocol/types";
import { exporting } from "../../ui/page/dialogs";
import { connections, map, mayChange } from "../../store/store";
import { type Page, readRows } from "../../data/rows";
import { openTable } from "../../instance/table";
import { Icon } from "../../ui/icons";

const SHOWN = 8;

export function ResultTable({ result: { table, name, rows }, isAnswered }: { result: AnalysisOutput; isAnswered: boolean }) {
  const title = name ?? table.replace(/^analysis\./, "");
  // With a view link, only tables of layers can be read.
  const may = mayChange.value;
  return (
    <section class="result-table" aria-label={t("tableOf", { name: title })}>
      <header>
        <h4 dir="auto">{title}</h4>
        <span class="quiet">{t("rowCount", { n: rows })}</span>
      </header>
      {may && !isAnswered && <Rows table={table} />}
      {may && (
        <div class="result-table-actions">
          <Action icon="table" label={t("openTable")} act={() => openTable({ table, name: title, count: rows, estimated: false })} />
          <Action icon="chart" label={t("chartNew")} act={() => startChart({ table })} />
          <Action icon="download" label={t("exportStart")} act={() => (exporting.value = [table])} />
        </div>
      )}
    </section>
  );
}

function Action({ icon, label, act }: { icon: "table" | "chart" | "download"; label: string; act: () => void }) {
  return <button type="button" class="link" onClick={act}><Icon name={icon} />{label}</button>;
}

function Rows({ table }: { table: string }) {
  const [page, setPage] = useState<Page | null>(null);
  const [fault, setFault] = useState("");
  useEffect(() => {
    const over = new AbortController();
    readRows(map.value?.mapId ?? "", { kind: "tables", id: table }, { limit: SHOWN }, over.signal).then(
      (found) => { setPage(found); setFault(""); },
      (error: Error) => { if (!over.signal.aborted) setFault(error.message); },
    );
    return () => over.abort();
  }, [table, connections.value]);
  if (fault !== "" && page === null) return <p class="quiet" role="alert" dir="auto">{fault}</p>;
  if (page === null) return <div class="skeleton" aria-hidden="true"><i class="w90" /><i class="w70" /></div>;
  const isNumber = (name: string) => page.rows.some((row) => typeof row[name] === "number");
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("rows")}>
      <table>
        <thead>
          <tr>{page.columns.map((name) => <th key={name} scope="col" dir="auto" class={isNumber(name) ? "number" : ""}>{name}</th>)}</tr>
        </thead>
        <tbody>
          {page.rows.map((row, index) => (
            <tr key={index}>
              {page.columns.map((name) => <td key={name} dir="auto" class={isNumber(name) ? "number" : ""}>{formatValue(name, row[name])}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
      {page.total > page.rows.length && <p class="quiet">{t("firstRows", { n: page.rows.length, total: page.total })}</p>}
    </div>
  );
}
