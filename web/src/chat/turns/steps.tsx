/** The steps of an analysis by its receipt: what each read, its SQL and the rows that it gave. */
import { duration, inOwnWords, t } from "../../i18n/i18n";
import type { Part } from "../../protocol/types";
import { readable } from "./step";
import { Sql } from "./sql";

/** A step in the server's receipt. */
interface StepReceipt {
  table?: string;
  title?: string;
  operation?: string;
  rows?: number;
  duration_ms?: number;
  sql?: string;
  notes?: string[];
  /** Of each note. */
  wording?: Part[][];
  srid?: number;
  inputs?: { table: string; rows: number; exact?: boolean }[];
}

export const stepsOf = (receipt: Record<string, unknown>): StepReceipt[] =>
  Array.isArray(receipt["steps"]) ? (receipt["steps"] as StepReceipt[]) : [];

export function Steps({ receipt }: { receipt: Record<string, unknown> }) {
  return (
    <ol class="evidence">
      {stepsOf(receipt).map((step, index) => (
        <li key={index}>
          <div class="evidence-head">
            <span dir="auto">{step.title ?? readable(step.operation ?? "")}</span>
            <span class="quiet">
              {step.rows !== undefined && t("rowCount", { n: step.rows })}
              {step.duration_ms !== undefined && ` · ${duration(step.duration_ms)}`}
            </span>
          </div>
          <p class="quiet" dir="auto">{read(step)}</p>
          {step.notes?.map((note, at) => <p key={note} class="quiet" dir="auto">{inOwnWords(note, step.wording?.[at])}</p>)}
          {step.sql !== undefined && <Sql text={step.sql} />}
        </li>
      ))}
    </ol>
  );
}

function read({ inputs = [], srid = 0 }: StepReceipt): string {
  const tables = inputs.map(({ table, rows, exact }) => {
    const key = exact === true ? "inputRows" : "inputAbout";
    return t(key, { table, n: rows });
  });
  return [tables.length > 0 && t("inputsRead", { tables: tables.join(", ") }), srid > 0 && `EPSG:${srid}`].filter(Boolean).join(" · ");
}
