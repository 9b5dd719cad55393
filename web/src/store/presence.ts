/**
 * What passes and is not kept: the text that turns are writing, how far analyses are, who is here. Fed by transient events
 * only, each value a signal of its own, so that a delta touches the one answer that it belongs to, at most once a frame.
 */
import { type Signal, signal } from "@preact/signals";
import type { AiDelta, AnalysisProgress, DraftText, ExportProgress, Presence, Someone } from "../protocol/types";
import type { MapEvent } from "../protocol/messages";

/** A text from its beginning; null where something of it was missed, so that it is not shown until it comes whole. */
type Text = string | null;

/** Everybody on the map, with their names. */
export const known = signal<readonly Someone[]>([]);

/** How many people are on the map; of a large crowd only some are in `known`. */
export const counted = signal({ count: 0, viewers: 0 });

const texts = new Map<string, Text>();
const drafts = new Map<string, Signal<string>>();
const progress = new Map<string, Signal<AnalysisProgress | null>>();
const exports = new Map<string, Signal<ExportProgress | null>>();
const changed = new Set<string>();
/** Events with which the text of a turn has been recorded, or is over. */
const ENDS = new Set<MapEvent["event"]>(["ai_response", "tool_called", "turn_finished"]);
let isScheduled = false;

/** The text that the turn is writing now; empty when there is none, or not from its beginning. */
export const draftOf = (turnId: string): Signal<string> => entry(drafts, turnId, "");

/** How far the analysis is; null before the first report. */
export const progressOf = (analysisId: string): Signal<AnalysisProgress | null> => entry(progress, analysisId, null);

/** How far the file is that the turn writes; null before the first report. */
export const exportOf = (turnId: string): Signal<ExportProgress | null> => entry(exports, turnId, null);

/** How far the file is that this person asked for in the dialog; null before the first news. */
export const writtenRows = signal<ExportProgress | null>(null);

/** More of a text. Of one with a hole nothing is shown. */
export function hear({ turn_id: turnId, text, offset }: AiDelta): void {
  const before = texts.get(turnId) ?? (texts.has(turnId) || offset > 0 ? null : "");
  const start = offset === 0 ? "" : before;
  write(turnId, start === null || offset > start.length ? null : start.slice(0, offset) + text);
}

/** The texts as the server tells them at a join; others have a hole where the connection was lost. */
export function restart(drafts: readonly DraftText[]): void {
  for (const turnId of texts.keys()) write(turnId, null);
  for (const { turn_id, text } of drafts) write(turn_id, text);
}

/** A text that was recorded is gone from here at once: the record takes its place. */
export function record({ event, data }: MapEvent): void {
  if (!ENDS.has(event) || data.turn_id === null) return;
  texts.delete(data.turn_id);
  draftOf(data.turn_id).value = "";
  if (event !== "turn_finished") return;
  drafts.delete(data.turn_id);
  exports.delete(data.turn_id);
}

export function present({ people, known: named = [], count = people.length, viewers = 0 }: Presence): void {
  known.value = named;
  counted.value = { count, viewers };
}

export function tellProgress(news: AnalysisProgress): void {
  progressOf(news.analysis_id).value = news;
}

export function tellExport(news: ExportProgress): void {
  if (news.turn_id == null) writtenRows.value = news;
  else exportOf(news.turn_id).value = news;
}

function write(turnId: string, text: Text): void {
  texts.set(turnId, text);
  changed.add(turnId);
  if (isScheduled) return;
  isScheduled = true;
  // A page that nobody sees has no frames, and its answers can wait.
  requestAnimationFrame(() => {
    isScheduled = false;
    for (const id of changed) if (texts.has(id)) draftOf(id).value = texts.get(id) ?? "";
    changed.clear();
  });
}

function entry<Value>(all: Map<string, Signal<Value>>, id: string, initial: Value): Signal<Value> {
  const there = all.get(id) ?? signal(initial);
  all.set(id, there);
  return there;
}
