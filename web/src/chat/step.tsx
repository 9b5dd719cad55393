/** What the agent did, as quiet lines: one for each tool call or analysis, with details on demand. */
import { mayChange } from "../store/store";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { duration, number, t } from "../i18n/i18n";
import { approve } from "../session";
import type { AnalysisEntry, QuestionEntry, ToolEntry } from "../store/state";
import { Icon } from "../ui/icons";
import { Sql, SqlRows } from "./sql";

type Status = ToolEntry["status"];

export function ToolLine({ entry }: { entry: ToolEntry }) {
  return (
    <Line status={entry.status} title={readable(entry.name)} note={entry.summary} ms={entry.ms}>
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

export function AnalysisLine({ entry }: { entry: AnalysisEntry }) {
  const { progress } = entry;
  const running = entry.status === "running";
  const note = running && progress !== null
    ? t("progress", { step: progress.step, steps: progress.steps, name: progress.name })
    : entry.summary || entry.goal;
  return (
    <>
      <Line status={entry.status} title={t("analysis")} note={note} ms={progress?.elapsed_ms ?? null}>
        <Part title={t("toolArguments")}><p class="step-result">{entry.goal}</p></Part>
        {entry.plan.length > 0 && (
          <Part title={t("analysisPlan")}>
            <ol class="step-plan">{entry.plan.map((step, index) => <li key={index}>{summary(step)}</li>)}</ol>
          </Part>
        )}
        {entry.summary !== "" && <Part title={t("toolResult")}><p class="step-result">{entry.summary}</p></Part>}
        {entry.advice !== "" && <Part title={t("analysisAdvice")}><p class="step-result">{entry.advice}</p></Part>}
        <Evidence receipt={entry.receipt} />
      </Line>
      {running && (
        <progress
          class="step-progress" aria-label={note} max={100}
          {...(progress !== null && { value: progress.percent ?? (100 * (progress.step - 0.5)) / progress.steps })}
        />
      )}
    </>
  );
}

/** Something that the agent may only do when a person allows it. */
export function QuestionCard({ entry, turnId }: { entry: QuestionEntry; turnId: string }) {
  const card = useRef<HTMLDivElement>(null);
  const [sent, setSent] = useState(false);
  const answer = async (approved: boolean) => {
    // The buttons go away with the answer; who uses the keyboard stays where they are.
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

/** A step as it ran, as the server's receipt tells of it. */
interface StepReceipt {
  title?: string;
  operation?: string;
  rows?: number;
  duration_ms?: number;
  sql?: string;
  notes?: string[];
}

/** The SQL of each step and the rows that it gave, so that every number can be traced and made again. */
function Evidence({ receipt }: { receipt: Record<string, unknown> }) {
  const steps = Array.isArray(receipt["steps"]) ? (receipt["steps"] as StepReceipt[]) : [];
  if (steps.length === 0) return null;
  return (
    <Part title={t("analysisReceipt")}>
      <ol class="evidence">
        {steps.map((step, index) => (
          <li key={index}>
            <div class="evidence-head">
              <span dir="auto">{step.title ?? readable(step.operation ?? "")}</span>
              <span class="quiet">
                {step.rows !== undefined && t("rowCount", { n: step.rows })}
                {step.duration_ms !== undefined && ` · ${duration(step.duration_ms)}`}
              </span>
            </div>
            {step.notes?.map((note) => <p key={note} class="quiet" dir="auto">{note}</p>)}
            {step.sql !== undefined && <Sql text={step.sql} />}
          </li>
        ))}
      </ol>
    </Part>
  );
}

function Line({ status, title, note, ms, children }: {
  status: Status;
  title: string;
  note: string;
  ms: number | null;
  children: ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const words = { running: t("toolRunning"), ok: t("toolOk"), failed: t("toolFailed"), stopped: t("toolStopped") };
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

function Mark({ status }: { status: Status }) {
  if (status === "running") return <span class="spinner" />;
  return <Icon name={status === "ok" ? "check" : status === "failed" ? "alert" : "stop"} />;
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
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
  if (typeof value === "number") return number(value, { maximumFractionDigits: 6 });
  return JSON.stringify(value, null, 1);
}

/** One step of a plan in a line: its operation and what it is given. */
function summary(step: Record<string, unknown>): string {
  const name = step["name"] ?? step["operation"] ?? step["op"];
  const { name: _, operation: __, op: ___, ...rest } = step;
  const given = Object.entries(rest).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [name === undefined ? "" : readable(String(name)), given.join(", ")].filter(Boolean).join(" · ");
}

/** `add_map_layer` as a person would write it. */
export function readable(name: string): string {
  const words = name.replaceAll("_", " ").replace(/\bsql\b/, "SQL");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
