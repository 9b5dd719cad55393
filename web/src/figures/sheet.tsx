/**
 * Where a number of an answer comes from: the tool, its SQL, the rows behind it, and the way to them on the map. Of
 * a number that was found in no result it says just that.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { Sql } from "../chat/turns/sql";
import { readable } from "../chat/turns/step";
import { Steps, stepsOf } from "../chat/turns/steps";
import { inOwnWords, t } from "../i18n/i18n";
import { formatValue } from "../i18n/format";
import type { AnalysisEntry } from "../store/state";
import { connections, map, mayChange, turns } from "../store/store";
import { onEscape, useFocusOnOpen } from "../ui/focus";
import { Icon, IconButton } from "../ui/icons";
import { notify } from "../ui/toast";
import { drawnBy, show } from "./show";
import { readRows, type Rows } from "./rows";
import { type Looked, looked } from "../instance/figure";

const PAGE = 6;

export function FigureSheet() {
  const value = looked.value;
  if (value === null) return null;
  return <Opened key={`${value.seq} ${value.figure.start}`} value={value} />;
}

function Opened({ value }: { value: Looked }) {
  const box = useRef<HTMLElement>(null);
  const { figure, source, opener } = value;
  const sure = source !== null && figure.how !== "likely";
  const close = () => {
    looked.value = null;
    opener.focus();
  };
  useFocusOnOpen(box);
  return (
    <section
      ref={box} class="figure-sheet card" role="dialog" tabIndex={-1} aria-labelledby="figure-title"
      onKeyDown={onEscape(close)}
    >
      <header>
        <div>
          <h2 id="figure-title" dir="auto">{figure.text}</h2>
          <p class={sure ? "figure-verdict" : "figure-verdict warn"}>
            <Icon name={sure ? "check" : "alert"} />
            {source === null ? t("figureUnfounded") : t(sure ? "figureFrom" : "figureLikely", { tool: readable(source.tool) })}
          </p>
        </div>
        <IconButton icon="close" label={t("close")} onClick={close} />
      </header>
      <div class="figure-body">
        {source === null ? <p>{t("figureUnfoundedText")}</p> : <Evidence value={value} />}
      </div>
    </section>
  );
}

function Evidence({ value }: { value: Looked }) {
  const { figure, source } = value;
  if (source === null) return null;
  const analysis = analysisOf(value);
  return (
    <>
      {analysis === undefined && source.summary && <p dir="auto">{inOwnWords(source.summary, source.wording)}</p>}
      {figure.how === "likely" && <p>{t("figureLikelyText")}</p>}
      {figure.note && <p class="quiet" dir="auto">{t(figure.how === "rounded" ? "figureExactly" : "figureReckoned", { note: figure.note })}</p>}
      {source.table && <Behind value={value} />}
      {analysis !== undefined ? (
        <section>
          <h3>{t("analysisReceipt")}</h3>
          <Steps receipt={analysis.receipt} />
        </section>
      ) : source.sql && (
        <section>
          <h3>SQL</h3>
          <Sql text={source.sql} />
        </section>
      )}
      {!source.table && !source.sql && <p class="quiet">{t("figureNoQuery")}</p>}
    </>
  );
}

/** The analysis of the answer's turn that made the rows behind the figure. */
function analysisOf({ seq, source }: Looked): AnalysisEntry | undefined {
  const turn = turns.value.find(({ entries }) => entries.some((entry) => entry.seq === seq));
  return turn?.entries
    .filter((entry) => entry.kind === "analysis")
    .find(({ receipt }) => stepsOf(receipt).some(({ table }) => table != null && table === source?.table));
}

/** The rows behind the figure, a few at a time, and the button that leads to them on the map. */
function Behind({ value }: { value: Looked }) {
  const mapId = map.value?.mapId ?? "";
  const [offset, setOffset] = useState(0);
  const [page, setPage] = useState<Rows | null>(null);
  const [first, setFirst] = useState<Rows | null>(null);
  const [fault, setFault] = useState("");
  useEffect(() => {
    let isCurrent = true;
    readRows(mapId, value, offset, PAGE).then(
      (rows) => {
        if (!isCurrent) return;
        setPage(rows);
        setFault("");
        if (offset === 0) setFirst(rows);
      },
      (error: Error) => { if (isCurrent) setFault(error.message); },
    );
    return () => { isCurrent = false; };
  }, [offset, connections.value]);
  if (fault !== "") return <p class="quiet" role="alert">{fault}</p>;
  if (page === null || first === null) return <div class="skeleton" aria-hidden="true"><i class="w90" /><i class="w70" /></div>;
  const onMap = drawnBy(first) !== undefined;
  const go = () => show(mapId, value, first).catch((error: Error) => notify(error.message, "error"));
  return (
    <section>
      <div class="figure-rows-head">
        <h3>{t("rowCount", { n: first.total })}</h3>
        {first.drawable && first.total > 0 && (onMap || mayChange.value) && (
          <button type="button" class={onMap ? "button" : "button plain"} onClick={() => void go()}>
            <Icon name={onMap ? "target" : "plus"} />{onMap ? t("figureShow") : t("figureAdd")}
          </button>
        )}
      </div>
      {page.rows.length > 0 && <Table page={page} />}
      {first.total > PAGE && (
        <div class="figure-pages">
          <IconButton icon="chevronLeft" label={t("previous")} disabled={offset === 0} onClick={() => setOffset(offset - PAGE)} />
          <span aria-live="polite">
            {t("figurePage", { from: offset + 1, to: offset + page.rows.length, count: first.total })}
          </span>
          <IconButton
            icon="chevronRight" label={t("next")} disabled={offset + PAGE >= first.total}
            onClick={() => setOffset(offset + PAGE)}
          />
        </div>
      )}
    </section>
  );
}

function Table({ page: { table, columns: every, rows } }: { page: Rows }) {
  // Results have a row number of their own, which is not part of what was asked for.
  const columns = table.startsWith("analysis.") ? every.filter((name) => name !== "fid") : every;
  const kind = (name: string) => (rows.some((row) => typeof row[name] === "number") ? "number" : "");
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("rows")}>
      <table>
        <thead><tr>{columns.map((name) => <th key={name} scope="col" dir="auto" class={kind(name)}>{name}</th>)}</tr></thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((name) => <td key={name} dir="auto" class={kind(name)}>{formatValue(name, row[name])}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
