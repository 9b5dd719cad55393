/** The socket protocol. Generated from schema.json by `npm run protocol`; not edited by hand. */

export interface Protocol {
  requests: {
    join: Join;
    leave: MapRequest;
    chat: Chat;
    cancel: Cancel;
    approve: Approve;
    layer_add: LayerAdd;
    layer_update: LayerUpdate;
    layer_remove: LayerRemove;
    layer_reorder: LayerReorder;
    chart_add: ChartAdd;
    chart_refresh: ChartRequest;
    chart_remove: ChartRequest;
    result_drop: ResultDrop;
    recipe_save: RecipeSave;
    recipe_run: RecipeRun;
    recipe_rename: RecipeRename;
    recipe_remove: RecipeRemove;
    undo: MapRequest;
    redo: MapRequest;
    receipt: Receipt;
    view: View;
    find_place: FindPlace;
    restore: Restore;
    copy: MapRequest;
    share: Share;
    introduce: Introduce;
    gesture: Gesture;
  };
  events: {
    user_message: UserMessage;
    ai_response: AiResponse;
    layer_added: LayerAdded;
    layer_updated: LayerUpdated;
    layer_removed: LayerRemoved;
    layers_reordered: LayersReordered;
    map_reset: MapReset;
    chart_added: ChartAdded;
    chart_updated: ChartUpdated;
    chart_removed: ChartRemoved;
    tool_called: ToolCalled;
    tool_finished: ToolFinished;
    approval_requested: ApprovalRequested;
    approval_answered: ApprovalAnswered;
    analysis_started: AnalysisStarted;
    analysis_planned: AnalysisPlanned;
    analysis_finished: AnalysisFinished;
    analysis_failed: AnalysisFailed;
    result_dropped: ResultDropped;
    recipe_saved: RecipeSaved;
    recipe_renamed: RecipeRenamed;
    recipe_removed: RecipeRemoved;
    turn_finished: TurnFinished;
  };
  transient: {
    ai_delta: AiDelta;
    turn_waiting: TurnWaiting;
    analysis_progress: AnalysisProgress;
    view_requested: ViewRequested;
    presence: Presence;
    gestures: Gestures;
    access_withdrawn: AccessWithdrawn;
    server_closing: ServerClosing;
  };
  answers: {
    join: JoinAck;
    leave: Ack;
    chat: ChatAck;
    cancel: CancelAck;
    approve: ApproveAck;
    layer_add: ChangeAck;
    layer_update: ChangeAck;
    layer_remove: ChangeAck;
    layer_reorder: ChangeAck;
    chart_add: ChangeAck;
    chart_refresh: ChangeAck;
    chart_remove: ChangeAck;
    result_drop: ChangeAck;
    recipe_save: ChangeAck;
    recipe_run: ChatAck;
    recipe_rename: ChangeAck;
    recipe_remove: ChangeAck;
    undo: UndoAck;
    redo: UndoAck;
    receipt: Ack;
    view: Ack;
    find_place: PlacesAck;
    restore: ChangeAck;
    copy: CopyAck;
    share: ShareAck;
    introduce: Ack;
    gesture: Ack;
    error: ErrorAck;
  };
  http: {
    table: Table;
    chart_data: ChartData;
  };
}
/**
 * Enter a map; without `map_id` a new one is made. With `after_seq`, only what came later is sent.
 */
export interface Join {
  map_id?: string | null;
  after_seq?: number | null;
}
export interface MapRequest {
  map_id: string;
}
/**
 * A user's message. The same `client_id` on the same map is one turn, however often it is sent.
 */
export interface Chat {
  map_id: string;
  text: string;
  client_id?: string | null;
  focus?: Focus | null;
}
/**
 * What the user points at. The first that is there counts: selection, drawn area, viewport.
 */
export interface Focus {
  layer_id?: string | null;
  feature_ids?: (number | string)[];
  area?: {
    [k: string]: unknown;
  } | null;
  bounds?: [number, number, number, number] | null;
  zoom?: number | null;
  seq?: number | null;
}
/**
 * Stop a turn; without `turn_id` the one that is running or waits for an answer.
 */
export interface Cancel {
  map_id: string;
  turn_id?: string | null;
}
/**
 * The answer to an `approval_requested`. Of several people's the first counts; the others get `conflict`.
 */
export interface Approve {
  map_id: string;
  turn_id: string;
  call_id: string;
  approved: boolean;
}
export interface LayerAdd {
  map_id: string;
  table: string;
  layer_id?: string | null;
  name?: string | null;
  filter?:
    | {
        [k: string]: unknown;
      }
    | string
    | null;
  style?: StyleSpec;
  visible?: boolean;
  opacity?: number;
}
/**
 * How a layer is asked to look. Sizes are CSS pixels; `color` is a CSS colour; `ramp` a named colour ramp.
 */
export interface StyleSpec {
  kind?: "single" | "categorical" | "graduated" | "proportional" | "heatmap";
  color?: string | null;
  column?: string | null;
  method?: "quantile" | "equal" | "jenks";
  classes?: number;
  breaks?: number[];
  values?: ValueColor[];
  ramp?: string | null;
  size?: number | null;
  label?: string | null;
  time?: string | null;
}
/**
 * A value of a categorical style and the CSS colour that it has.
 */
export interface ValueColor {
  value: boolean | number | string;
  color: string;
}
/**
 * Only fields that are sent change; `filter: null` removes the filter.
 *
 * `seen_version` is the version of the layer that the person saw: where its filter was changed since, a new filter
 * is refused with `conflict`.
 */
export interface LayerUpdate {
  map_id: string;
  layer_id: string;
  seen_version?: number | null;
  filter?:
    | {
        [k: string]: unknown;
      }
    | string
    | null;
  style?: StyleSpec | null;
  name?: string | null;
  visible?: boolean | null;
  opacity?: number | null;
}
export interface LayerRemove {
  map_id: string;
  layer_id: string;
}
/**
 * `order` is layer ids, bottom first.
 */
export interface LayerReorder {
  map_id: string;
  order: string[];
}
/**
 * A chart of a layer or of a table; `chart` says which columns play which role.
 */
export interface ChartAdd {
  map_id: string;
  chart: ChartDraft;
}
/**
 * A wish for a chart, either of a layer (of what it shows) or of a whole table.
 */
export interface ChartDraft {
  kind: "bar" | "line" | "scatter" | "histogram" | "box";
  layer_id?: string | null;
  table?: string | null;
  filter?:
    | {
        [k: string]: unknown;
      }
    | string
    | null;
  x?: string | null;
  y?: string | null;
  color?: string | null;
  aggregate?: ("count" | "sum" | "mean" | "median" | "minimum" | "maximum") | null;
  bins?: number | null;
  title?: string | null;
}
/**
 * `chart_refresh` reads the data of a chart anew, `chart_remove` takes it away.
 */
export interface ChartRequest {
  map_id: string;
  chart_id: string;
}
/**
 * Take a result of this map, and the steps that led to it, out of the database; no layer may show it.
 */
export interface ResultDrop {
  map_id: string;
  table: string;
}
/**
 * Save the plan of an analysis under a name; `parameters` of those that it suggests, all when null.
 */
export interface RecipeSave {
  map_id: string;
  analysis_id: string;
  name: string;
  parameters?: string[] | null;
}
/**
 * Run it with these values, as a turn of the map: its text says which. The same `client_id` is one turn.
 */
export interface RecipeRun {
  map_id: string;
  name: string;
  values?: {
    [k: string]: string | number | boolean;
  };
  client_id?: string | null;
}
export interface RecipeRename {
  map_id: string;
  name: string;
  new_name: string;
}
export interface RecipeRemove {
  map_id: string;
  name: string;
}
/**
 * A browser's word that a version of a layer drew, and how many features of it are in view.
 */
export interface Receipt {
  map_id: string;
  layer_id: string;
  version: number;
  features: number;
  error?: string | null;
}
/**
 * What part of the map is seen. From the first one on, the server counts on this browser's receipts.
 */
export interface View {
  map_id: string;
  /**
   * @minItems 4
   * @maxItems 4
   */
  bounds: [number, number, number, number];
  zoom: number;
}
/**
 * Places by name, in the tables that this server reads; `Paris, Texas` prefers rows that also say Texas.
 */
export interface FindPlace {
  map_id: string;
  text: string;
  limit?: number;
}
/**
 * Make the layers as they were after the event `seq`, by one change that one `undo` takes back.
 */
export interface Restore {
  map_id: string;
  seq: number;
}
/**
 * The map's view link: `view: true` makes one, `false` withdraws it, without `view` it is only told.
 */
export interface Share {
  map_id: string;
  view?: boolean | null;
}
/**
 * By what name the others on a map know this person; an empty one takes it away.
 */
export interface Introduce {
  name: string;
}
/**
 * What a person points at, for the others to see. Only fields that are sent change; null takes away.
 */
export interface Gesture {
  map_id: string;
  pointer?: [number, number] | null;
  selection?: Selection | null;
}
/**
 * Features of a layer that somebody points at.
 */
export interface Selection {
  layer_id: string;
  feature_ids: (number | string)[];
}
export interface UserMessage {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  text: string;
  client_id: string | null;
  focus: Focus | null;
  author: string | null;
}
/**
 * What the agent says. `final` is false for words before further tool calls of the same turn.
 *
 * The numbers of a final answer are checked against the results of the tools, and are its `figures`.
 * `memory` is what the model keeps with a final answer for later turns; it means nothing to clients.
 */
export interface AiResponse {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  type: "ai_response";
  message: string;
  final: boolean;
  figures: Figure[];
  sources: FigureSource[];
  memory: {
    [k: string]: unknown;
  };
}
/**
 * A number in the answer. `start` and `end` count its characters (Unicode code points) in `message`.
 */
export interface Figure {
  start: number;
  end: number;
  text: string;
  source: number | null;
  row: unknown;
  how: "stated" | "rounded" | "reckoned" | "likely";
  note: string;
}
/**
 * Where figures of an answer come from: a tool call, and the query behind it where that is known.
 */
export interface FigureSource {
  call_id: string;
  tool: string;
  summary: string;
  sql: string | null;
  table: string | null;
  filter: {
    [k: string]: unknown;
  } | null;
  key: string | null;
}
/**
 * `layer.order` is its place among the layers, 0 the bottom; those at and above that place move up.
 */
export interface LayerAdded {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  undo_of: number | null;
  redo: boolean;
  step: number | null;
  layer: Layer;
}
/**
 * A table or analysis result as drawn on one map. `tiles` is a URL template; the tile's layer is `features`.
 */
export interface Layer {
  id: string;
  table: string;
  name: string;
  geometry_type: "point" | "line" | "polygon" | "mixed" | "none";
  filter: {
    [k: string]: unknown;
  } | null;
  style: Style;
  visible: boolean;
  opacity: number;
  order: number;
  version: number;
  count: number;
  bounds: [number, number, number, number] | null;
  tiles: string;
  legend: Legend;
}
/**
 * A computed style: the request and the MapLibre layers that draw it, bottom first.
 */
export interface Style {
  kind: "single" | "categorical" | "graduated" | "proportional" | "heatmap";
  color: string | null;
  column: string | null;
  method: "quantile" | "equal" | "jenks";
  classes: number;
  breaks: number[];
  values: ValueColor[];
  ramp: string | null;
  size: number | null;
  label: string | null;
  time: string | null;
  layers: DrawLayer[];
}
/**
 * One MapLibre style layer, without its id and source, which the client sets.
 */
export interface DrawLayer {
  type: "fill" | "line" | "circle" | "symbol" | "heatmap";
  paint: {
    [k: string]: unknown;
  };
  layout: {
    [k: string]: unknown;
  };
  filter: unknown[] | null;
  minzoom: number | null;
  maxzoom: number | null;
  source_layer: "features" | "points";
}
/**
 * Derived from the very expression that is drawn. `shape` says how a swatch looks.
 */
export interface Legend {
  title: string;
  kind: "single" | "categorical" | "graduated" | "proportional" | "heatmap";
  shape: "circle" | "line" | "fill" | "gradient";
  entries: LegendEntry[];
  note: string | null;
}
/**
 * One row of a legend. `size` is a circle's radius or a line's width in CSS pixels.
 */
export interface LegendEntry {
  label: string;
  code: "range" | "value" | "other" | "no_data" | "few" | "many" | "name" | "step";
  color: string;
  size: number | null;
  minimum: number | null;
  maximum: number | null;
  open: ("below" | "above" | "both") | null;
  whole: boolean;
  value: string | number | boolean | null;
  count: number | null;
}
/**
 * The whole layer as it is now; its place does not change.
 */
export interface LayerUpdated {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  undo_of: number | null;
  redo: boolean;
  step: number | null;
  layer: Layer;
  author: string | null;
}
export interface LayerRemoved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  undo_of: number | null;
  redo: boolean;
  step: number | null;
  layer_id: string;
}
/**
 * All layer ids, bottom first.
 */
export interface LayersReordered {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  undo_of: number | null;
  redo: boolean;
  step: number | null;
  order: string[];
}
/**
 * All layers are gone.
 */
export interface MapReset {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  undo_of: number | null;
  redo: boolean;
  step: number | null;
}
/**
 * Behind the charts that are there. What it draws is to be had from `chart.data`.
 */
export interface ChartAdded {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  undo_of: number | null;
  redo: boolean;
  step: number | null;
  chart: Chart;
}
/**
 * A chart on a map, as of the moment when its data was read. `data` is the URL of its `ChartData`.
 */
export interface Chart {
  id: string;
  version: number;
  kind: "bar" | "line" | "scatter" | "histogram" | "box";
  title: string;
  titled: boolean;
  table: string;
  layer_id: string | null;
  layer_filter: {
    [k: string]: unknown;
  } | null;
  filter: {
    [k: string]: unknown;
  } | null;
  x: string | null;
  y: string | null;
  color: string | null;
  aggregate: ("count" | "sum" | "mean" | "median" | "minimum" | "maximum") | null;
  bins: number | null;
  rows: number;
  usable: number;
  shown: number;
  note: string;
  data: string;
}
/**
 * The whole chart as it is now, in the place that it had.
 */
export interface ChartUpdated {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  undo_of: number | null;
  redo: boolean;
  step: number | null;
  chart: Chart;
}
export interface ChartRemoved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  undo_of: number | null;
  redo: boolean;
  step: number | null;
  chart_id: string;
}
export interface ToolCalled {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  call_id: string;
  name: string;
  arguments: {
    [k: string]: unknown;
  };
}
export interface ToolFinished {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  call_id: string;
  name: string;
  ok: boolean;
  summary: string;
  ms: number;
  filled: {
    [k: string]: unknown;
  };
  result: string;
  sql: SqlShown | null;
  receipts: QueryReceipt[];
}
/**
 * A SELECT that the model wrote and its first rows, values as plain JSON in the order of the columns.
 */
export interface SqlShown {
  sql: string;
  columns: string[];
  rows: unknown[][];
  count: number;
  truncated: boolean;
}
/**
 * A question to PostGIS as it was asked, and the numbers that it gave: where a figure of an answer comes from.
 */
export interface QueryReceipt {
  sql: string;
  table: string | null;
  filter: {
    [k: string]: unknown;
  } | null;
  rows: number | null;
  values: {
    [k: string]: number;
  };
  column: string | null;
  key: string | null;
  cells: [
    unknown,
    {
      [k: string]: number;
    }
  ][];
  texts: string[][];
  notes: string[];
}
/**
 * The turn waits until somebody on the map allows this call, or does not. Later messages stay queued.
 */
export interface ApprovalRequested {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  call_id: string;
  name: string;
  arguments: {
    [k: string]: unknown;
  };
}
/**
 * After the last answer the turn goes on; a call that was not allowed fails with error `denied`.
 */
export interface ApprovalAnswered {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  call_id: string;
  approved: boolean;
}
/**
 * `plan` is the steps as far as they are known, each `{id, operation, title, arguments}`.
 */
export interface AnalysisStarted {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  analysis_id: string;
  goal: string;
  plan: {
    [k: string]: unknown;
  }[];
  steps_known: boolean;
}
/**
 * The plan as it stands now, in place of the one before.
 */
export interface AnalysisPlanned {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  analysis_id: string;
  plan: {
    [k: string]: unknown;
  }[];
  steps_known: boolean;
}
/**
 * `rows` is how many the result has. With none, `emptied_by` says which step took the last ones away. `figures` are
 * the numbers of the summary with their `sources`, as in `ai_response`.
 */
export interface AnalysisFinished {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  analysis_id: string;
  summary: string;
  table: string | null;
  receipt: {
    [k: string]: unknown;
  };
  rows: number | null;
  emptied_by: EmptiedBy | null;
  figures: Figure[];
  sources: FigureSource[];
}
/**
 * The step after which no row was left.
 */
export interface EmptiedBy {
  step: number;
  name: string;
}
/**
 * `step` and `name` are of the step that failed or was stopped; null when no step is to blame. Steps that
 * had finished are in `receipt`, and the last one's table is kept as the result.
 */
export interface AnalysisFailed {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  analysis_id: string;
  step: number | null;
  reason: string;
  advice: string;
  name: string | null;
  table: string | null;
  receipt: {
    [k: string]: unknown;
  };
}
/**
 * The tables of an analysis are gone; its receipt stays.
 */
export interface ResultDropped {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  analysis_id: string;
  table: string;
}
/**
 * A plan was saved on the map, to be run again with other values.
 */
export interface RecipeSaved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  recipe: RecipeCard;
}
/**
 * A saved plan of an analysis as people and models are told of it: titles of its steps, and its parameters.
 */
export interface RecipeCard {
  name: string;
  goal: string;
  steps: string[];
  parameters: RecipeParameter[];
}
/**
 * A place in a recipe that may be given anew. `default` is what the analysis used; `step` names where it stands.
 */
export interface RecipeParameter {
  name: string;
  kind: "number" | "length" | "text" | "choice" | "yes_no" | "table" | "column";
  default: string | number | boolean;
  step: string;
  description: string;
  options: string[];
}
export interface RecipeRenamed {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  name: string;
  new_name: string;
}
export interface RecipeRemoved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  name: string;
}
export interface TurnFinished {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  status: "done" | "cancelled" | "failed" | "interrupted";
  usage: TurnUsage;
}
export interface TurnUsage {
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost: number | null;
  steps: number;
  ms: number;
}
/**
 * More of the text that a turn writes now. A text begins anew, at offset 0, after each `ai_response` and
 * `tool_called` of its turn.
 */
export interface AiDelta {
  map_id: string;
  turn_id: string;
  text: string;
  offset: number;
}
/**
 * The server has no place for the map's next turn yet: so many turns start before it. Null: it starts now.
 *
 * Told when the place changes, and every few seconds for those who have just come.
 */
export interface TurnWaiting {
  map_id: string;
  turn_id: string;
  ahead: number | null;
}
/**
 * How far the running step is: `step` of `steps`, counted from 1, `name` is its title.
 */
export interface AnalysisProgress {
  map_id: string;
  analysis_id: string;
  step: number;
  steps: number;
  name: string;
  percent: number | null;
  rows: number | null;
  elapsed_ms: number;
  estimate_ms: number | null;
  phase: "waiting" | "reconnecting" | "preparing" | "computing" | "storing";
  steps_known: boolean;
}
export interface ViewRequested {
  map_id: string;
  turn_id: string | null;
  /**
   * @minItems 4
   * @maxItems 4
   */
  bounds: [number, number, number, number];
}
/**
 * Who is on the map now. `people` are ids, `known` says more of them; of a crowd of more than 50 both name 50.
 */
export interface Presence {
  map_id: string;
  people: string[];
  known: Someone[];
  count: number;
  viewers: number;
}
/**
 * A connection. `id` means nothing elsewhere; `name` is empty until the person gave one.
 */
export interface Someone {
  id: string;
  name: string;
  viewer: boolean;
}
/**
 * What people on the map have just pointed at, gathered, a few times a second at most.
 */
export interface Gestures {
  map_id: string;
  people: Pointing[];
}
/**
 * What one person points at and sees now. Only fields that are there changed; null takes away.
 */
export interface Pointing {
  person: string;
  pointer: [number, number] | null;
  selection: Selection | null;
  bounds: [number, number, number, number] | null;
}
/**
 * The view link by which this client came shows nothing any more.
 */
export interface AccessWithdrawn {
  map_id: string;
}
/**
 * This server ends, and closes the connection; connect again after this time, which differs between clients.
 */
export interface ServerClosing {
  reconnect_after_ms: number;
}
/**
 * With `after_seq` the events after it, at most a page of them: then `more` is true, `seq` is the last
 * one's, and the next `join` with that `after_seq` brings the next page. A client that is ahead of the map
 * (the database was restored) gets a snapshot as well, and starts anew from it.
 *
 * To lose nothing and see nothing twice: keep `last`, the seq up to which the map is known. Apply a live
 * event when its seq is `last + 1`, ignore it when it is not above `last`, else `join` with
 * `after_seq: last`.
 */
export interface JoinAck {
  ok: true;
  map_id: string;
  seq: number;
  snapshot: Snapshot | null;
  events: EventEnvelope[] | null;
  more: boolean;
  progress: AnalysisProgress[];
  drafts: DraftText[];
  may_change: boolean;
  person: string;
  gestures: Pointing[];
  max_bytes: number;
}
/**
 * A map as of `seq`: layers bottom first, chat as the events that made it, turns under way.
 */
export interface Snapshot {
  map_id: string;
  seq: number;
  layers: Layer[];
  charts: Chart[];
  chat: EventEnvelope[];
  chat_complete: boolean;
  turns: TurnState[];
  progress: AnalysisProgress[];
  recipes: RecipeCard[];
  can_undo: boolean;
  can_redo: boolean;
}
/**
 * An event inside a `join` acknowledgement: its name, and its payload as it was sent live.
 */
export interface EventEnvelope {
  event: string;
  data: {
    [k: string]: unknown;
  };
}
/**
 * `waiting` is a turn with open `questions`; the turns behind it stay queued until they are answered.
 */
export interface TurnState {
  turn_id: string;
  text: string;
  status: "queued" | "running" | "waiting";
  questions: Question[];
}
/**
 * A call that may only run when somebody on the map allows it.
 */
export interface Question {
  call_id: string;
  name: string;
  arguments: {
    [k: string]: unknown;
  };
}
/**
 * The text that a turn has written so far; `ai_delta` goes on from its end.
 */
export interface DraftText {
  turn_id: string;
  text: string;
}
export interface Ack {
  ok: true;
}
/**
 * `seq` is the user message's. `ahead` turns, of this map and others, start before this one.
 */
export interface ChatAck {
  ok: true;
  turn_id: string;
  seq: number;
  ahead: number;
}
/**
 * `cancelled` is false when there was nothing to cancel.
 */
export interface CancelAck {
  ok: true;
  cancelled: boolean;
  turn_id: string | null;
}
/**
 * `seq` is that of the `approval_answered`.
 */
export interface ApproveAck {
  ok: true;
  seq: number;
}
/**
 * `seq` is the map's after the change.
 */
export interface ChangeAck {
  ok: true;
  seq: number;
  layer_id: string | null;
  chart_id: string | null;
}
/**
 * `what` was undone or redone, in words.
 */
export interface UndoAck {
  ok: true;
  seq: number;
  what: string;
}
/**
 * Best first; empty when no row of any table has such a name.
 */
export interface PlacesAck {
  ok: true;
  places: Place[];
}
/**
 * A named place found in the person's own tables.
 */
export interface Place {
  name: string;
  table: string;
  kind: string;
  /**
   * @minItems 4
   * @maxItems 4
   */
  bounds: [number, number, number, number];
  longitude: number;
  latitude: number;
  detail: string;
  population: number | null;
  whole: boolean;
}
/**
 * The id of a new map with the same layers.
 */
export interface CopyAck {
  ok: true;
  map_id: string;
}
/**
 * `view_key` takes the place of the map's id in `/m/{map_id}`; null when there is no view link.
 */
export interface ShareAck {
  ok: true;
  view_key: string | null;
}
export interface ErrorAck {
  ok: false;
  error: Fault;
}
/**
 * Why a request was refused. `code` is for programs, `message` tells people what was wrong.
 */
export interface Fault {
  code:
    | "invalid_payload"
    | "unknown_map"
    | "unknown_layer"
    | "unknown_table"
    | "unknown_chart"
    | "unknown_recipe"
    | "not_found"
    | "invalid_filter"
    | "invalid_style"
    | "conflict"
    | "not_joined"
    | "nothing_to_undo"
    | "unavailable"
    | "forbidden"
    | "read_only"
    | "too_large"
    | "rate_limited"
    | "busy"
    | "internal";
  message: string;
  retry_after: number | null;
}
/**
 * An entry of the registry. `id` is `schema.name`, each part quoted as SQL would where it holds `.` or `"`.
 */
export interface Table {
  id: string;
  schema_name: string;
  name: string;
  kind: "table" | "view" | "materialized view" | "foreign table";
  columns: Column[];
  key: string[];
  geometry_column: string | null;
  geometry_type: string | null;
  srid: number;
  bounds: [number, number, number, number] | null;
  row_estimate: number;
  comment: string | null;
  is_result: boolean;
  is_private: boolean;
}
export interface Column {
  name: string;
  kind: "text" | "integer" | "number" | "boolean" | "date" | "timestamp" | "geometry" | "json" | "other";
  sql_type: string;
  comment: string | null;
  nullable: boolean;
  samples: string[];
  minimum: number | string | null;
  maximum: number | string | null;
}
/**
 * What a chart draws. `values` and `counts` have a row for each series, and in it an entry for each place.
 */
export interface ChartData {
  x: Axis | null;
  series: Axis | null;
  time: boolean;
  values: (number | null)[][];
  counts: number[][];
  boxes: (Box | null)[];
  points: Points | null;
}
/**
 * Where rows go. `keys` are a category's values as text (null for rows without one); behind them is one place
 * for `others` further values, if there are any. `edges` are those of bins: a bin holds its lower edge, the last
 * one also its upper edge.
 */
export interface Axis {
  kind: "category" | "number" | "time";
  column: string;
  keys: (string | null)[];
  others: number;
  edges: number[];
}
/**
 * Five numbers of a group: the quartiles, and the farthest values within 1.5 times their distance. What lies
 * beyond is counted, and the farthest of it listed, with the ids of their features where they have one.
 */
export interface Box {
  low: number;
  first: number;
  median: number;
  third: number;
  high: number;
  count: number;
  outliers: number;
  farthest: number[];
  ids: number[];
}
/**
 * Points of a scatter plot, by column. `ids` are the ids of their features, where they have one.
 */
export interface Points {
  x: number[];
  y: number[];
  series: number[];
  ids: number[];
}
