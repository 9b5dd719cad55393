/** A statement that was run: its text to copy, and the first of its rows as a table. Values are text, never markup. */
import { exact } from "../../i18n/format";
import { t } from "../../i18n/i18n";
import type { SqlShown } from "../../protocol/types";
import { copy } from "../../ui/clipboard";
import { IconButton } from "../../ui/icons";

export function Sql({ text }: { text: string }) {
  return (
    <div class="sql">
      <pre tabIndex={0} dir="ltr">{text}</pre>
      <IconButton icon="copy" label={t("copySql")} onClick={() => void copy(text)} />
    </div>
  );
}

export function SqlRows({ shown }: { shown: SqlShown }) {
  const { columns, rows, count, truncated } = shown;
  if (rows.length === 0) return <p class="step-result">{t("rowCount", { n: 0 })}</p>;
  return (
    <div class="markdown">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t("toolResult")}>
        <table>
          <thead><tr>{columns.map((name, index) => <th key={index} scope="col" dir="auto">{name}</th>)}</tr></thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>{row.map((value, column) => <td key={column} dir="auto">{written(value)}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {(truncated || rows.length < count) && <p class="quiet">{t(truncated ? "rowsFirst" : "rowsOf", { n: rows.length, count })}</p>}
    </div>
  );
}

function written(value: unknown): string {
  if (value === null) return "–";
  return typeof value === "number" ? exact(value) : String(value);
}
