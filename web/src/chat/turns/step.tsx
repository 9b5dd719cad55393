/** What the agent did, as quiet lines: one for each tool call or analysis, with details on demand. */
import { mayChange } from "../../store/store";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { exact } from "../../i18n/format";
import { duration, inOwnWords, number, t, toolWords } from "../../i18n/i18n";
import { approve } from "../../session/commands";
import { exportOf } from "../../store/presence";
import type { AnalysisEntry, QuestionEntry, ToolEntry } from "../../store/state";
import { Icon } from "../../ui/icons";
import { Sql, SqlRows } from "./sql";

type Status = AnalysisEntry["status"] | "refused";

/** `answered` is the turn's answer so far: a step does not repeat it. */
export function ToolLine({ entry, turnId, answered }: { entry: ToolEntry; turnId: string; answered: string }) {
  const written = entry.status === "running" && entry.name === "export" ? exportOf(turnId).value : null;
  const own = entry.status !== "running" && repeats(entry.summary, answered) ? "" : inOwnWords(entry.summary, entry.wording);
  const note = written === null ? own : t("exportRows", { n: number(written.rows), total: number(written.total) });
  return (
    <Line status={statusOf(entry)} title={readable(entry.name)} note={note} ms={entry.ms}>
      {entry.sql !== null ? (
        <>
          <Part title={t("statement")}><Sql text={entry.sql.sql} /></Part>
          <Part title={t("toolResult")}><SqlRows shown={entry.sql} /></Part>
        </>
      ) : (
        <Detail title={t("toolArguments")} value={entry.arguments} />
      )}
      <Detail title={t("toolFilled")} value={entry.filled} />
      {entry.sql === null && (entry.result || entry.summary) !== "" && (
        <Part title={t("toolResult")}><p class="step-result" dir="auto">{entry.result || entry.summary}</p></Part>
      )}
    </Line>
  );
}

/** Something that the agent may only do when a person allows it. */
export function QuestionCard({ entry, turnId }: { entry: QuestionEntry; turnId: string }) {
  const card = useRef<HTMLDivElement>(null);
  const [sent, setSent] = useState(false);
  const answer = async (approved: boolean) => {
    // The buttons disappear with the answer; keyboard users keep their place.
    card.current?.focus();
    setSent(true);
    if (!(await approve(turnId, entry.callId, approved))) setSent(false);
  };
  return (
    <div ref={card} class="ask" role="group" tabIndex={-1} aria-label={t("mayI", { name: readable(entry.name) })}>
      <p><strong>{t("mayI", { name: readable(entry.name) })}</strong></p>
      <Detail title={t("toolArguments")} value={entry.arguments} />
      {entry.approved === null && mayChange.value ? (
        <div class="ask-answers">
          <button type="button" class="button" disabled={sent} onClick={() => void answer(true)}>{t("allow")}</button>
          <button type="button" class="button plain" disabled={sent} onClick={() => void answer(false)}>
            {t("doNotAllow")}
          </button>
        </div>
      ) : (
        <p class="quiet">{entry.approved === null ? t("viewOnly") : entry.approved ? t("allowed") : t("notAllowed")}</p>
      )}
    </div>
  );
}

export function Line({ status, title, note, ms, children }: {
  status: Status;
  title: string;
  note: string;
  ms: number | null;
  children: ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const words = {
    running: t("toolRunning"), ok: t("toolOk"), failed: t("toolFailed"), stopped: t("toolStopped"), empty: t("analysisEmpty"), refused: t("toolRefused"),
  };
  return (
    <div class={`step step-${status}`}>
      <button type="button" class="step-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="step-mark"><Mark status={status} /><span class="hidden">{words[status]}</span></span>
        <span class="step-title">{title}</span>
        <span class="step-note" dir="auto">{note}</span>
        {ms !== null && status !== "running" && <span class="step-time">{duration(ms)}</span>}
        <Icon name="chevron" />
      </button>
      {open && <div class="step-details">{children}</div>}
    </div>
  );
}

/** A refusal is a call that worked, but not what the person asked for. */
const statusOf = ({ name, status }: ToolEntry): Status => (name === "cannot_do" && status === "ok" ? "refused" : status);

const MARKS = { ok: "check", failed: "alert", stopped: "stop", empty: "empty", refused: "empty" } as const;

function Mark({ status }: { status: Status }) {
  if (status === "running") return <span class="spinner" />;
  return <Icon name={MARKS[status]} />;
}

export function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="step-part">
      <h4>{title}</h4>
      {children}
    </section>
  );
}

/** Arguments or evidence: name and value, one a line; nothing when there is nothing. */
function Detail({ title, value }: { title: string; value: Record<string, unknown> }) {
  const rows = Object.entries(value).filter(([, it]) => it !== null && it !== undefined);
  if (rows.length === 0) return null;
  return (
    <Part title={title}>
      <dl class="step-values">
        {rows.map(([name, it]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{shown(it)}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return exact(value);
  if (Array.isArray(value) && value.every((it) => it === null || typeof it !== "object")) return value.map(shown).join(", ");
  return JSON.stringify(value, null, 1);
}

/** Whether most words of the summary are in the answer. */
export function repeats(summary: string, answer: string): boolean {
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const known = new Set(words(answer));
  const own = words(summary);
  return own.length > 0 && own.filter((word) => known.has(word)).length >= 0.6 * own.length;
}

/** `add_map_layer` as a person would write it. */
export function readable(name: string): string {
  if (name === "cannot_do") return t("toolNotPossible");
  const own = toolWords(name);
  if (own !== undefined) return own;
  const words = name.replaceAll("_", " ").replace(/\bsql\b/, "SQL");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
