/**
 * State that is not stored: the text that turns are writing, the progress of analyses, the people on the map. Updated by
 * transient events only. Each value is a separate signal, so a delta redraws only its own answer, at most once a frame.
 */
import { type Signal, signal } from "@preact/signals";
import type { AiDelta, AnalysisProgress, DraftText, ExportProgress, Presence, Someone } from "../protocol/types";
import type { MapEvent } from "../protocol/messages";

/** A text from its beginning; null if a part was missed: then nothing is shown until the whole text arrives. */
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
/** Events after which the text of a turn is recorded or has ended. */
const ENDS = new Set<MapEvent["event"]>(["ai_response", "tool_called", "turn_finished"]);
let isScheduled = false;

/** The text that the turn is writing now; empty without one, or if its beginning is missing. */
export const draftOf = (turnId: string): Signal<string> => entry(drafts, turnId, "");

/** Progress of the analysis; null before the first report. */
export const progressOf = (analysisId: string): Signal<AnalysisProgress | null> => entry(progress, analysisId, null);

/** Progress of the file that the turn writes; null before the first report. */
export const exportOf = (turnId: string): Signal<ExportProgress | null> => entry(exports, turnId, null);

/** Progress of the file that this person requested in the dialog; null before the first report. */
export const writtenRows = signal<ExportProgress | null>(null);

/** Adds a piece of text to its turn. A text with a missing piece is not shown. */
export function addDelta({ turn_id: turnId, text, offset }: AiDelta): void {
  const before = texts.get(turnId) ?? (texts.has(turnId) || offset > 0 ? null : "");
  const start = offset === 0 ? "" : before;
  write(turnId, start === null || offset > start.length ? null : start.slice(0, offset) + text);
}

/** Replaces all texts by those that the server sent with a join; others miss what came while offline. */
export function restart(drafts: readonly DraftText[]): void {
  for (const turnId of texts.keys()) write(turnId, null);
  for (const { turn_id, text } of drafts) write(turn_id, text);
}

/** Deletes the text of a turn that has been recorded. */
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

export function setProgress(news: AnalysisProgress): void {
  progressOf(news.analysis_id).value = news;
}

export function setExportProgress(news: ExportProgress): void {
  if (news.turn_id == null) writtenRows.value = news;
  else exportOf(news.turn_id).value = news;
}

function write(turnId: string, text: Text): void {
  texts.set(turnId, text);
  changed.add(turnId);
  if (isScheduled) return;
  isScheduled = true;
  // A hidden page has no frames; its answers can wait.
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
