/** One question and everything that came of it. */
import { charts } from "../../charts/actions";
import { looked } from "../../instance/figure";
import { inOwnWords, t, time } from "../../i18n/i18n";
import type { Chart, Figure } from "../../protocol/types";
import { bounds as viewed } from "../../instance/selection";
import { isInSight } from "../../geometry/sight";
import { zoomTo } from "../../session/camera";
import { discard, retry, say } from "../../session/commands";
import { loading } from "../../map/tiles/loading";
import { isMine } from "../../session/line";
import { drawnLast } from "../../instance/state";
import type { Outgoing } from "../../connection/connection";
import { draftOf } from "../../store/presence";
import type { Entry, Turn } from "../../store/state";
import { layers, mayChange, status } from "../../store/store";
import { copy } from "../../ui/clipboard";
import { Icon, IconButton } from "../../ui/icons";
import { lazy } from "../../ui/page/lazy";
import { memo } from "../../ui/memo";
import { edit } from "../composer/composer";
import { withoutDrawingNote } from "./drawing-note";
import { Markdown } from "./markdown";
import { isOpen } from "../suggestions/sayings";
import { AnalysisLine } from "./analysis";
import { QuestionCard, ToolLine } from "./step";

const ChartFigure = lazy(() => import("../../charts/figure").then((module) => module.ChartFigure));

const STARTS_ANALYSIS = new Set(["run_analysis", "run_recipe"]);

interface Props {
  turn: Turn;
  /** Which turn of how many this is, counted from 1. */
  place: number;
  count: number;
  isRunning: boolean;
  isLast: boolean;
  /** The turn before it waits until somebody answers a question. */
  isHeld: boolean;
}

export const TurnView = memo(function TurnView({ turn, place, count, isRunning, isLast, isHeld }: Props) {
  const isQueued = turn.end === null && !isRunning;
  const note = isQueued ? t(isHeld ? "queuedBehindQuestion" : "queued") : placeInQueue(turn);
  const answered = turn.entries.filter((entry) => entry.kind === "answer").map((entry) => entry.text).join("\n\n");
  return (
    <article class={isLast ? "turn turn-last" : "turn"} aria-posinset={place} aria-setsize={count} aria-label={turn.text.slice(0, 120)}>
      <Question text={turn.text} at={turn.at} author={isMine(turn) ? null : turn.author} note={note} />
      {turn.entries.filter(addsDetail).map((entry) => <EntryView key={`${entry.kind}${entry.seq}`} entry={entry} turnId={turn.id} answered={answered} />)}
      {turn.end === null && <Writing turn={turn} isRunning={isRunning} />}
      <Ending turn={turn} />
      {isLast && turn.end === "done" && <ZoomToResult turn={turn} />}
      {turn.end !== null && (
        <div class="turn-actions">
          {answered !== "" && <IconButton icon="copy" label={t("copyAnswer")} onClick={() => void copy(inLanguage(turn))} />}
          {mayChange.value && <IconButton icon="retry" label={t("askAgain")} onClick={() => say(turn.text)} />}
          {mayChange.value && isLast && <IconButton icon="edit" label={t("editMessage")} onClick={() => edit(turn.text)} />}
        </div>
      )}
    </article>
  );
});

/** The answers of the turn in the language of the page. */
function inLanguage({ entries }: Turn): string {
  return entries.flatMap((it) => (it.kind === "answer" ? [inOwnWords(it.text, it.wording)] : [])).join("\n\n");
}

/** The answer as it is being written: drawn apart from the rest of its turn, which stays as it is. */
function Writing({ turn, isRunning }: { turn: Turn; isRunning: boolean }) {
  const draft = draftOf(turn.id).value;
  if (draft !== "") return <div class="answer streaming"><Markdown text={draft} /></div>;
  if (!isRunning || turn.ahead !== null || working(turn)) return null;
  return <div class="thinking"><span class="dots" />{t("thinking")}</div>;
}

/** A message of this page that the server has not confirmed yet. */
export function PendingView({ message }: { message: Outgoing }) {
  const sending = message.isPutOff ? t("serverBusy") : t("sending");
  const note = message.fault !== null ? null : status.value === "online" ? sending : t("waitingForConnection");
  return (
    <article class="turn">
      <Question text={message.text} at="" author={null} note={note} />
      {message.fault !== null && (
        <div class="ending ending-failed" role="alert">
          <Icon name="alert" />
          <span>{t("notSent")}: {message.fault.message}</span>
          <button type="button" class="link" onClick={() => retry(message.clientId)}>{t("retry")}</button>
          <button type="button" class="link" onClick={() => discard(message.clientId)}>{t("discard")}</button>
        </div>
      )}
    </article>
  );
}

/** Of the map's next turn, while the server works on others. */
function placeInQueue({ ahead }: Turn): string | null {
  if (ahead === null) return null;
  return ahead === 0 ? t("waitingNext") : t("waitingAhead", { n: ahead });
}

function Question({ text, at, author, note }: { text: string; at: string; author: string | null; note: string | null }) {
  return (
    <div class="question">
      {author === null ? <h3 class="hidden">{t("youSaid")}</h3> : <h3 class="author" dir="auto">{author}</h3>}
      <div class={note === null ? "bubble" : "bubble waiting"} dir="auto" title={at === "" ? "" : time(at)}>{text}</div>
      {note !== null && <div class="question-note">{note}</div>}
    </div>
  );
}

function EntryView({ entry, turnId, answered }: { entry: Entry; turnId: string; answered: string }) {
  if (entry.kind === "tool") return <ToolLine entry={entry} turnId={turnId} answered={answered} />;
  if (entry.kind === "analysis") return <AnalysisLine entry={entry} answered={answered} />;
  if (entry.kind === "chart") return <AnsweredChart chart={entry.chart} />;
  if (entry.kind === "question") return <QuestionCard entry={entry} turnId={turnId} />;
  const look = (figure: Figure, opener: HTMLElement) => {
    const source = figure.source == null ? null : (entry.sources[figure.source] ?? null);
    looked.value = { seq: entry.seq, figure, source, opener };
  };
  const { text, wording } = loading.value.has(drawnLast.value.get(turnId) ?? "") ? entry : withoutDrawingNote(entry);
  return (
    <div class="answer">
      <Markdown text={text} figures={entry.figures} wording={wording} onFigure={look} {...(mayChange.value && { onSay: propose })} />
    </div>
  );
}

/** Says it for the person; what has a gap is for them to complete. */
function propose(words: string): void {
  if (isOpen(words)) edit(words);
  else say(words);
}

/** The current values where it was refreshed, those of the answer where it was removed. */
function AnsweredChart({ chart }: { chart: Chart }) {
  const now = charts.value.find((it) => it.id === chart.id) ?? chart;
  return <ChartFigure key={now.version} chart={now} />;
}

/** Where the answer drew something out of sight: the way there. */
function ZoomToResult({ turn }: { turn: Turn }) {
  const bounds = layers.value.findLast((layer) => layer.visible && layer.id === drawnLast.value.get(turn.id))?.bounds;
  const seen = viewed.value?.bounds;
  if (bounds == null || seen === undefined || isInSight(bounds, seen)) return null;
  return (
    <button type="button" class="chip zoom-result" onClick={() => zoomTo(bounds)}><Icon name="target" />{t("zoomToResult")}</button>
  );
}

function Ending({ turn }: { turn: Turn }) {
  if (turn.end === null || turn.end === "done") return null;
  const words = { cancelled: t("turnCancelled"), failed: t("turnFailed"), interrupted: t("turnInterrupted") };
  const mayRetry = mayChange.value && turn.end !== "cancelled";
  return (
    <div class={`ending ending-${turn.end}`}>
      <Icon name={turn.end === "cancelled" ? "stop" : "alert"} />
      <span>{words[turn.end]}</span>
      {mayRetry && <button type="button" class="link" onClick={() => say(turn.text)}>{t("retry")}</button>}
    </div>
  );
}

/** False for the tool call that started an analysis, once the entry of that analysis follows. */
function addsDetail(entry: Entry, at: number, entries: readonly Entry[]): boolean {
  return entry.kind !== "tool" || !STARTS_ANALYSIS.has(entry.name) || entries[at + 1]?.kind !== "analysis";
}

function working(turn: Turn): boolean {
  return turn.entries.some((entry) =>
    entry.kind === "question" ? entry.approved === null
    : entry.kind !== "answer" && entry.kind !== "chart" && entry.status === "running",
  );
}
