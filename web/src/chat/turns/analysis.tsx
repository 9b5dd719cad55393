/** An analysis as it runs and as it ended: its plan, how far it is, what it found or why not, and the evidence. */
import { useSignal } from "@preact/signals";
import { duration, inOwnWords, number, t } from "../../i18n/i18n";
import { downloadReceipt } from "../../session/exports";
import type { AnalysisProgress } from "../../protocol/types";
import { progressOf } from "../../store/presence";
import type { AnalysisEntry } from "../../store/state";
import { mayChange } from "../../store/store";
import { Icon } from "../../ui/icons";
import { hasTable, Markdown } from "./markdown";
import { RecipeForm } from "./recipe-form";
import { ResultTable } from "./result-table";
import { Line, Part, readable, repeats } from "./step";
import { Steps, stepsOf } from "./steps";

export function AnalysisLine({ entry, answered }: { entry: AnalysisEntry; answered: string }) {
  const { status } = entry;
  const progress = progressOf(entry.id).value;
  const running = status === "running";
  const ended = endNote(entry);
  const isRepeated = status !== "empty" && repeats(ended, answered);
  const note = running ? progressNote(entry, progress) : isRepeated ? "" : ended;
  const share = running && progress !== null ? overall(progress) : null;
  return (
    <>
      <Line status={status} title={t("analysis")} note={note} ms={spent(entry, progress)}>
        <Part title={t("toolArguments")}><p class="step-result" dir="auto">{entry.goal}</p></Part>
        {running && <Plan entry={entry} />}
        {status === "empty" && <Part title={t("analysisEmpty")}><p class="step-result" dir="auto">{emptied(entry)}</p></Part>}
        {entry.summary !== "" && <Part title={reasonTitle(entry)}><Markdown text={entry.summary} wording={entry.wording} /></Part>}
        {entry.advice !== "" && <Part title={t("analysisAdvice")}><p class="step-result" dir="auto">{inOwnWords(entry.advice, entry.adviceWording)}</p></Part>}
        <Evidence entry={entry} />
      </Line>
      {entry.tables.map((result) => <ResultTable key={result.table} result={result} isAnswered={hasTable(answered) || (answered !== "" && result.rows === 1)} />)}
      {running && <progress class="step-progress" aria-label={note} max={100} {...(share !== null && { value: share })} />}
    </>
  );
}

function Plan({ entry }: { entry: AnalysisEntry }) {
  const now = progressOf(entry.id).value?.step ?? 1;
  if (entry.plan.length === 0) return null;
  return (
    <Part title={t("analysisPlan")}>
      <ol class="step-plan">
        {entry.plan.map((step, index) => (
          <li
            key={index} class={index + 1 < now ? "done" : index + 1 > now ? "next" : ""} dir="auto"
            {...(index + 1 === now && { "aria-current": "step" })}
          >
            <span>{stepTitle(step)}</span>{index + 1 < now && <Icon name="check" />}
          </li>
        ))}
      </ol>
      {!entry.stepsKnown && <p class="quiet">{t("analysisMayGrow")}</p>}
    </Part>
  );
}

function stepTitle(step: Record<string, unknown>): string {
  const title = String(step["title"] ?? readable(String(step["operation"] ?? "")));
  return step["engine"] ? `${title} · ${String(step["engine"])}` : title;
}

/** Of the whole plan, from 0 to 100; null while nothing can be known. */
function overall(progress: AnalysisProgress): number | null {
  if (progress.percent === null && progress.steps === 1) return null;
  return (100 * (progress.step - 1) + (progress.percent ?? 0)) / progress.steps;
}

function progressNote({ goal, stepsKnown }: AnalysisEntry, progress: AnalysisProgress | null): string {
  if (progress === null) return goal;
  const { step, steps, name, percent, rows, phase, estimate_ms: left, engine } = progress;
  const words = [stepsKnown ? t("progress", { step, steps, name }) : t("progressOpen", { step, name })];
  if (engine) words.push(engine);
  if (phase === "waiting") words.push(t("progressWaiting"));
  if (phase === "reconnecting") words.push(t("progressReconnecting"));
  if (percent !== null && percent > 0 && percent < 100) words.push(number(percent / 100, { style: "percent" }));
  if (rows !== null && rows > 0) words.push(t("rowCount", { n: rows }));
  if (left !== null && left > 2000) words.push(t("progressLeft", { time: duration(left) }));
  return words.join(" · ");
}

function endNote(entry: AnalysisEntry): string {
  if (entry.status === "empty") return emptied(entry);
  const [first] = inOwnWords(entry.summary, entry.wording).split("\n", 1);
  if (entry.failedAt !== null) return `${t("progressOpen", entry.failedAt)}: ${first}`;
  return first || entry.goal;
}

const emptied = ({ emptiedBy }: AnalysisEntry): string => (emptiedBy === null ? t("analysisEmpty") : t("emptiedBy", emptiedBy));

function reasonTitle({ status, failedAt }: AnalysisEntry): string {
  if (status !== "failed") return t("toolResult");
  return failedAt === null ? t("analysisReason") : t("progressOpen", failedAt);
}

/** How long all steps took together. */
function spent({ receipt }: AnalysisEntry, progress: AnalysisProgress | null): number | null {
  const steps = stepsOf(receipt);
  if (steps.length === 0) return progress?.elapsed_ms ?? null;
  return steps.reduce((sum, step) => sum + (step.duration_ms ?? 0), 0);
}

/** The steps that ran, the receipt as a file, and the way to keep them as a recipe. */
function Evidence({ entry: { id, receipt, status } }: { entry: AnalysisEntry }) {
  const saves = useSignal(false);
  if (stepsOf(receipt).length === 0) return null;
  return (
    <Part title={t("analysisReceipt")}>
      <Steps receipt={receipt} />
      <div class="evidence-files">
        <span class="quiet">{t("receiptDownload")}</span>
        {["json", "sql"].map((format) => (
          <button
            key={format} type="button" class="link" aria-label={`${t("receiptDownload")}: ${format.toUpperCase()}`}
            onClick={() => downloadReceipt(id, format)}
          >
            <Icon name="download" />{format.toUpperCase()}
          </button>
        ))}
        {status === "failed" || saves.value || !mayChange.value ? null : (
          <button type="button" class="link" onClick={() => (saves.value = true)}><Icon name="book" />{t("saveRecipe")}</button>
        )}
      </div>
      {saves.value && <RecipeForm analysisId={id} done={() => (saves.value = false)} />}
    </Part>
  );
}
