/**
 * What the client knows about one map. Values only, never changed in place: `apply` makes the next state from an
 * event, and every view is drawn from it. Nothing in here comes from anywhere but the server's events.
 */
import type {
  AnalysisOutput, Chart, CommentThread, EventEnvelope, Figure, FigureSource, Focus, Layer, MapDocument, Part, RecipeCard, Snapshot,
  SqlShown, TurnFinished, TurnUsage,
} from "../protocol/types";

export interface AnswerEntry {
  kind: "answer";
  seq: number;
  text: string;
  /** How the server made the text. */
  wording: Part[];
  /** Its numbers, each with a place in `sources`, or found in no result. */
  figures: Figure[];
  sources: FigureSource[];
}

export interface ToolEntry {
  kind: "tool";
  seq: number;
  callId: string;
  name: string;
  arguments: Record<string, unknown>;
  filled: Record<string, unknown>;
  status: "running" | "ok" | "failed" | "stopped";
  summary: string;
  /** How the server made the summary. */
  wording: Part[];
  /** The result as the model read it, perhaps cut. */
  result: string;
  /** Of a call that ran SQL: the statement as it ran, and its first rows. */
  sql: SqlShown | null;
  ms: number | null;
  at: string;
}

export interface AnalysisEntry {
  kind: "analysis";
  seq: number;
  id: string;
  goal: string;
  plan: Record<string, unknown>[];
  /** False while the plan may grow. */
  stepsKnown: boolean;
  /** `empty` found nothing: it worked, and no row was left. */
  status: "running" | "ok" | "empty" | "failed" | "stopped";
  summary: string;
  /** How the server made the summary. */
  wording: Part[];
  advice: string;
  adviceWording: Part[];
  /** The result, as long as it is kept. */
  table: string | null;
  /** Results without geometry, which are shown as tables. */
  tables: AnalysisOutput[];
  /** The step after which no row was left. */
  emptiedBy: { step: number; name: string } | null;
  /** The step that failed or was stopped. */
  failedAt: { step: number; name: string } | null;
  receipt: Record<string, unknown>;
}

/** A tool call that runs only after somebody on the map approves it. */
export interface QuestionEntry {
  kind: "question";
  seq: number;
  callId: string;
  name: string;
  arguments: Record<string, unknown>;
  /** Null while it waits for an answer. */
  approved: boolean | null;
}

/** A chart that was made for the answer, in its first version. */
export interface ChartEntry {
  kind: "chart";
  seq: number;
  chart: Chart;
}

export type Entry = AnswerEntry | ToolEntry | AnalysisEntry | QuestionEntry | ChartEntry;

export type TurnEnd = TurnFinished["status"];

/** One user message and all that the agent did about it. `end` is null while it waits or runs. */
export interface Turn {
  id: string;
  text: string;
  clientId: string | null;
  /** The name of the author, if they gave one. */
  author: string | null;
  focus: Focus | null;
  at: string;
  entries: Entry[];
  end: TurnEnd | null;
  /** How many turns, also of other maps, start before it; null once it has started, or while it is not known. */
  ahead: number | null;
  usage: TurnUsage | null;
}

export interface MapState {
  mapId: string;
  /** The number of the last event that is in this state. */
  seq: number;
  /** Bottom first. */
  layers: Layer[];
  /** Oldest first. */
  charts: Chart[];
  turns: Turn[];
  /** Plans that were saved on the map, by name. */
  recipes: RecipeCard[];
  /** Name, base map, projection and saved views. */
  document: MapDocument;
  /** Comments on the map, oldest first. */
  threads: CommentThread[];
  canUndo: boolean;
  canRedo: boolean;
  /** False when older chat was left out of the snapshot. */
  complete: boolean;
}

const NO_DOCUMENT: MapDocument = { name: "", base_map: null, projection: null, bookmarks: [] };

export function emptyState(mapId: string): MapState {
  return {
    mapId, seq: 0, layers: [], charts: [], turns: [], recipes: [], document: NO_DOCUMENT, threads: [], canUndo: false, canRedo: false, complete: true,
  };
}

/** The turn that runs is the first that has not ended: turns of a map run one at a time, in the order of arrival. */
export function runningTurn(state: MapState): Turn | undefined {
  return state.turns.find((turn) => turn.end === null);
}

/** The question that must be answered before the turn continues. */
export function openQuestion(turn: Turn): QuestionEntry | undefined {
  return turn.entries.find((entry) => entry.kind === "question" && entry.approved === null) as QuestionEntry | undefined;
}

export type { EventEnvelope, Focus, Layer, Snapshot };
