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
    layer_group: LayerGroup;
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
    export: Export;
    restore: Restore;
    copy: MapRequest;
    share: Share;
    introduce: Introduce;
    gesture: Gesture;
    map_describe: MapDescribe;
    bookmark_save: BookmarkSave;
    bookmark_remove: BookmarkRemove;
    thread_start: ThreadStart;
    comment_add: CommentAdd;
    comment_remove: CommentRemove;
    thread_resolve: ThreadResolve;
    thread_remove: ThreadRemove;
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
    map_described: MapDescribed;
    bookmark_saved: BookmarkSaved;
    bookmark_removed: BookmarkRemoved;
    thread_started: ThreadStarted;
    comment_added: CommentAdded;
    comment_removed: CommentRemoved;
    thread_resolved: ThreadResolved;
    thread_removed: ThreadRemoved;
  };
  transient: {
    ai_delta: AiDelta;
    turn_waiting: TurnWaiting;
    analysis_progress: AnalysisProgress;
    export_progress: ExportProgress;
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
    layer_group: ChangeAck;
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
    export: ExportAck;
    restore: ChangeAck;
    copy: CopyAck;
    share: ShareAck;
    introduce: Ack;
    gesture: Ack;
    map_describe: ChangeAck;
    bookmark_save: BookmarkAck;
    bookmark_remove: ChangeAck;
    thread_start: ThreadAck;
    comment_add: ThreadAck;
    comment_remove: ChangeAck;
    thread_resolve: ChangeAck;
    thread_remove: ChangeAck;
    error: ErrorAck;
  };
  http: {
    table: Table;
    chart_data: ChartData;
    map_summary: MapSummary;
  };
}
/**
 * Enter a map; without `map_id` a new map is created. With `after_seq`, only later events are returned.
 */
export interface Join {
  map_id?: string | null;
  after_seq?: number | null;
}
/**
 * A request about one map.
 */
export interface MapRequest {
  map_id: string;
}
/**
 * A user's message. Sending the same `client_id` on a map again returns the same turn.
 */
export interface Chat {
  map_id: string;
  text: string;
  client_id?: string | null;
  focus?: Focus | null;
}
/**
 * What the user points at. The first one present counts: selection, drawn area, viewport.
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
 * The answer to an `approval_requested`. The first answer counts; later ones get `conflict`.
 */
export interface Approve {
  map_id: string;
  turn_id: string;
  call_id: string;
  approved: boolean;
}
/**
 * Add a table as a layer. Omitted fields get defaults that fit the table.
 */
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
 * The requested style of a layer. Sizes are CSS pixels; `color` is a CSS colour; `ramp` a named colour ramp.
 */
export interface StyleSpec {
  kind?: "single" | "categorical" | "graduated" | "proportional" | "heatmap" | "hexbin" | "grid" | "cluster";
  color?: string | null;
  column?: string | null;
  statistic?: ("count" | "sum" | "mean" | "min" | "max") | null;
  method?: "quantile" | "equal" | "jenks";
  classes?: number | null;
  breaks?: number[];
  values?: ValueColor[];
  ramp?: string | null;
  size?: number | null;
  stroke?: number | null;
  stroke_color?: string | null;
  extrude?: string | null;
  extrude_scale?: number | null;
  hidden?: string[];
  blend?: "normal" | "multiply" | "screen" | "add";
  label?: string | null;
  label_size?: number | null;
  label_overlap?: boolean;
  label_min_zoom?: number | null;
  tooltip?: string[];
  min_zoom?: number | null;
  max_zoom?: number | null;
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
 * `seen_version` is the version of the layer that the person saw: if its filter was changed since, a new
 * filter is refused with `conflict`.
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
/**
 * Remove a layer.
 */
export interface LayerRemove {
  map_id: string;
  layer_id: string;
}
/**
 * `order` lists layer ids, bottom first.
 */
export interface LayerReorder {
  map_id: string;
  order: string[];
}
/**
 * Change several layers in one step: put them into the `group` of this name (null takes them out of theirs), show
 * or hide them. Only fields that are sent change. `order` may list ids of layers, bottom first, as in `layer_reorder`.
 */
export interface LayerGroup {
  map_id: string;
  layers: string[];
  group?: string | null;
  visible?: boolean | null;
  order?: string[];
}
/**
 * A chart of a layer or of a table; `chart` says which columns play which role.
 */
export interface ChartAdd {
  map_id: string;
  chart: ChartDraft;
}
/**
 * A requested chart, either of a layer (of what it shows) or of a whole table.
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
  period?: ("year" | "month") | null;
  title?: string | null;
}
/**
 * `chart_refresh` reads the data of a chart again, `chart_remove` removes it.
 */
export interface ChartRequest {
  map_id: string;
  chart_id: string;
}
/**
 * Drop a result of this map and the tables of its steps. Refused with `conflict` while a layer shows one.
 */
export interface ResultDrop {
  map_id: string;
  table: string;
}
/**
 * Save the plan of an analysis under a name. `parameters` selects from those that it suggests; null selects all.
 */
export interface RecipeSave {
  map_id: string;
  analysis_id: string;
  name: string;
  parameters?: string[] | null;
}
/**
 * Run a recipe with these values, as a turn of the map. The same `client_id` is one turn.
 */
export interface RecipeRun {
  map_id: string;
  name: string;
  values?: {
    [k: string]: string | number | boolean;
  };
  client_id?: string | null;
}
/**
 * Rename a recipe.
 */
export interface RecipeRename {
  map_id: string;
  name: string;
  new_name: string;
}
/**
 * Remove a recipe.
 */
export interface RecipeRemove {
  map_id: string;
  name: string;
}
/**
 * A browser has drawn a version of a layer, with this many features in view, or failed with `error`.
 */
export interface Receipt {
  map_id: string;
  layer_id: string;
  version: number;
  features: number;
  error?: string | null;
  drawn_from?: "all" | "some" | "sample";
}
/**
 * The visible part of the map. After the first one the server expects receipts from this browser.
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
 * Places by name in the tables of this server; `Paris, Texas` prefers rows that also contain Texas.
 */
export interface FindPlace {
  map_id: string;
  text: string;
  limit?: number;
}
/**
 * Write tables and layers into a file; the acknowledgement has the link to it.
 */
export interface Export {
  map_id: string;
  items: ExportItem[];
  format: "gpkg" | "geojson" | "geojsonl" | "fgb" | "parquet" | "shp" | "kml" | "csv" | "xlsx" | "json";
  file_name?: string | null;
  crs?: string | null;
  geometry?: ("shape" | "wkt" | "xy" | "none") | null;
  kind?: ("single" | "multi") | null;
  precision?: number | null;
  encoding?: string | null;
  members?: {
    [k: string]: unknown;
  };
  group_by?: string | null;
  outside?: ("drop" | "null") | null;
  zipped?: boolean;
}
/**
 * One table or layer in the file.
 */
export interface ExportItem {
  source: string;
  name?: string | null;
  columns?: string[] | null;
  filter?:
    | {
        [k: string]: unknown;
      }
    | string
    | null;
  format?: ("gpkg" | "geojson" | "geojsonl" | "fgb" | "parquet" | "shp" | "kml" | "csv" | "xlsx" | "json") | null;
}
/**
 * Restore the layers and charts as of the event `seq`, in one change that one `undo` takes back.
 */
export interface Restore {
  map_id: string;
  seq: number;
}
/**
 * The map's view link: `view: true` creates it, `false` withdraws it, without `view` it is returned.
 */
export interface Share {
  map_id: string;
  view?: boolean | null;
}
/**
 * The name that others on a map see for this person; an empty one removes it.
 */
export interface Introduce {
  name: string;
}
/**
 * What a person points at, for others to see. Only fields that are sent change; null clears one.
 */
export interface Gesture {
  map_id: string;
  pointer?: [number, number] | null;
  selection?: Selection | null;
}
/**
 * Features of a layer that a person points at.
 */
export interface Selection {
  layer_id: string;
  feature_ids: (number | string)[];
}
/**
 * Change what is known of the map. Only fields that are sent change.
 */
export interface MapDescribe {
  map_id: string;
  name?: string | null;
  base_map?: string | null;
  projection?: ("mercator" | "globe") | null;
}
/**
 * Save a view under a name; with `bookmark_id` in place of that bookmark.
 */
export interface BookmarkSave {
  map_id: string;
  name: string;
  view: Viewpoint;
  bookmark_id?: string | null;
}
/**
 * A camera and the layers that it shows.
 */
export interface Viewpoint {
  /**
   * @minItems 2
   * @maxItems 2
   */
  center: [number, number];
  zoom: number;
  bearing?: number;
  pitch?: number;
  layers?: string[];
}
export interface BookmarkRemove {
  map_id: string;
  bookmark_id: string;
}
/**
 * Pin a first comment to a place of the map or to a feature.
 */
export interface ThreadStart {
  map_id: string;
  place: CommentPlace;
  text: string;
}
/**
 * Where a thread of comments is pinned: a position, and the feature there if it is about one.
 */
export interface CommentPlace {
  /**
   * @minItems 2
   * @maxItems 2
   */
  position: [number, number];
  layer_id?: string | null;
  feature_id?: number | string | null;
  label?: string;
}
/**
 * Reply in a thread. A reply to a resolved thread opens it again.
 */
export interface CommentAdd {
  map_id: string;
  thread_id: string;
  text: string;
}
/**
 * Remove a comment; with the only comment of a thread the thread goes.
 */
export interface CommentRemove {
  map_id: string;
  thread_id: string;
  comment_id: string;
}
/**
 * Mark a thread as resolved, or open it again.
 */
export interface ThreadResolve {
  map_id: string;
  thread_id: string;
  resolved: boolean;
}
/**
 * Remove a thread with all its comments.
 */
export interface ThreadRemove {
  map_id: string;
  thread_id: string;
}
/**
 * A message of a person, which starts a turn.
 */
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
 * A message of the agent. `final` is false for text before further tool calls of the same turn.
 *
 * `figures` are the numbers of a final answer, checked against the results of tools. `memory` is what the
 * model keeps for later turns; clients ignore it.
 */
export interface AiResponse {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  type: "ai_response";
  message: string;
  wording: Part[];
  final: boolean;
  figures: Figure[];
  sources: FigureSource[];
  memory: {
    [k: string]: unknown;
  };
}
/**
 * A piece of a text that a template made. `start` and `end` are places in the text, in Unicode code points.
 */
export interface Part {
  code: string;
  start: number;
  end: number;
  values: {
    [k: string]: Slot;
  };
}
/**
 * A value in a part: its start and end in the text of the part, in Unicode code points.
 */
export interface Slot {
  start: number;
  end: number;
  number: number | null;
  wording: Part[];
}
/**
 * A number in the answer. `start` and `end` are offsets in `message`, in Unicode code points.
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
 * The source of figures of an answer: a tool call, and its query if it is known.
 */
export interface FigureSource {
  call_id: string;
  tool: string;
  summary: string;
  wording: Part[];
  sql: string | null;
  table: string | null;
  filter: {
    [k: string]: unknown;
  } | null;
  key: string | null;
}
/**
 * `layer.order` is its index among the layers, 0 at the bottom; layers at or above that index move up.
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
  group: string | null;
  version: number;
  count: number;
  estimated: boolean;
  data: string;
  bounds: [number, number, number, number] | null;
  tiles: string;
  legend: Legend;
}
/**
 * A computed style: the request and the MapLibre layers that draw it, bottom first.
 */
export interface Style {
  kind: "single" | "categorical" | "graduated" | "proportional" | "heatmap" | "hexbin" | "grid" | "cluster";
  color: string | null;
  column: string | null;
  statistic: ("count" | "sum" | "mean" | "min" | "max") | null;
  method: "quantile" | "equal" | "jenks";
  classes: number | null;
  breaks: number[];
  values: ValueColor[];
  ramp: string | null;
  size: number | null;
  stroke: number | null;
  stroke_color: string | null;
  extrude: string | null;
  extrude_scale: number | null;
  hidden: string[];
  blend: "normal" | "multiply" | "screen" | "add";
  label: string | null;
  label_size: number | null;
  label_overlap: boolean;
  label_min_zoom: number | null;
  tooltip: string[];
  min_zoom: number | null;
  max_zoom: number | null;
  time: string | null;
  layers: DrawLayer[];
}
/**
 * One MapLibre style layer, without its id and source, which the client sets.
 */
export interface DrawLayer {
  type: "fill" | "fill-extrusion" | "line" | "circle" | "symbol" | "heatmap";
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
 * Derived from the expression that draws the layer. `shape` is that of a swatch; `wording` is that of `note`.
 */
export interface Legend {
  title: string;
  kind: "single" | "categorical" | "graduated" | "proportional" | "heatmap" | "hexbin" | "grid" | "cluster";
  shape: "circle" | "line" | "fill" | "gradient";
  entries: LegendEntry[];
  note: string | null;
  wording: Part[];
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
  hidden: boolean;
}
/**
 * The whole layer as it is now; its index does not change.
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
  cause: "data" | null;
}
/**
 * A layer was removed.
 */
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
 * All layers were removed.
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
 * A chart was added after the existing ones. `chart.data` is the path of its data.
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
  period: ("year" | "month") | null;
  rows: number;
  usable: number;
  shown: number;
  note: string;
  wording: Part[];
  data: string;
}
/**
 * The whole chart as it is now; its index does not change.
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
/**
 * A chart was removed.
 */
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
/**
 * A tool call has started.
 */
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
/**
 * A tool call has ended.
 */
export interface ToolFinished {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  call_id: string;
  name: string;
  ok: boolean;
  summary: string;
  wording: Part[];
  ms: number;
  filled: {
    [k: string]: unknown;
  };
  result: string;
  sql: SqlShown | null;
  receipts: QueryReceipt[];
}
/**
 * A SELECT that the model wrote, and its first rows: plain JSON values in the order of the columns.
 */
export interface SqlShown {
  sql: string;
  columns: string[];
  rows: unknown[][];
  count: number;
  truncated: boolean;
}
/**
 * A query that ran in PostGIS, with its numbers: the source of a figure in an answer.
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
 * The turn waits until somebody on the map approves or denies this call. Later messages stay queued.
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
 * After the last answer the turn continues; a denied call fails with the error `denied`.
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
 * `plan` lists the steps known so far, each `{id, operation, title, arguments, engine}`; `engine` is null for
 * PostGIS and for steps of which it is not known yet.
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
 * The plan as it is now; it replaces the earlier one.
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
 * `rows` is the number of rows of the result. If it is 0, `emptied_by` names the step that removed the last
 * ones. `outputs` are further results, of earlier steps. `tables` are those results that have rows and no geometry,
 * to be shown as tables. `figures` are the numbers of the summary with their `sources`, as in `ai_response`.
 */
export interface AnalysisFinished {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  analysis_id: string;
  summary: string;
  wording: Part[];
  table: string | null;
  outputs: AnalysisOutput[];
  tables: AnalysisOutput[];
  receipt: {
    [k: string]: unknown;
  };
  rows: number | null;
  emptied_by: EmptiedBy | null;
  figures: Figure[];
  sources: FigureSource[];
}
/**
 * A table that is a result of an analysis.
 */
export interface AnalysisOutput {
  table: string;
  name: string | null;
  rows: number;
}
/**
 * The step that left no rows.
 */
export interface EmptiedBy {
  step: number;
  name: string;
}
/**
 * `step` and `name` are those of the step that failed or was stopped; null if no step caused the failure.
 * Finished steps are in `receipt`, and the last one's table is kept as the result.
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
  wording: Part[];
  advice_wording: Part[];
  name: string | null;
  table: string | null;
  receipt: {
    [k: string]: unknown;
  };
}
/**
 * The tables of an analysis were dropped; its receipt is kept.
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
 * A plan was saved on the map so that it can run again with other values.
 */
export interface RecipeSaved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  recipe: RecipeCard;
}
/**
 * A saved plan of an analysis as users and models see it: the titles of its steps, and its parameters.
 */
export interface RecipeCard {
  name: string;
  goal: string;
  steps: string[];
  parameters: RecipeParameter[];
}
/**
 * A value in a recipe that may be changed for a run. `default` is what the analysis used; `step` names its step.
 */
export interface RecipeParameter {
  name: string;
  kind: "number" | "length" | "text" | "choice" | "yes_no" | "table" | "column";
  default: string | number | boolean;
  step: string;
  description: string;
  options: string[];
}
/**
 * A recipe has another name.
 */
export interface RecipeRenamed {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  name: string;
  new_name: string;
}
/**
 * A recipe was removed.
 */
export interface RecipeRemoved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  name: string;
}
/**
 * A turn has ended.
 */
export interface TurnFinished {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  status: "done" | "cancelled" | "failed" | "interrupted";
  usage: TurnUsage;
}
/**
 * What a turn used: `cost` in US dollars (null if a part is unknown), `steps` replies of the model, `ms`
 * milliseconds.
 */
export interface TurnUsage {
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost: number | null;
  steps: number;
  ms: number;
}
/**
 * The whole description as it is now.
 */
export interface MapDescribed {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  name: string;
  base_map: string | null;
  projection: ("mercator" | "globe") | null;
}
/**
 * A new bookmark, behind the others, or one in place of that with its id.
 */
export interface BookmarkSaved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  bookmark: Bookmark;
}
/**
 * A saved view of the map.
 */
export interface Bookmark {
  id: string;
  name: string;
  view: Viewpoint;
}
export interface BookmarkRemoved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  bookmark_id: string;
}
/**
 * A new thread with its first comment.
 */
export interface ThreadStarted {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  thread: CommentThread;
}
/**
 * Comments on one place of the map, oldest first.
 */
export interface CommentThread {
  id: string;
  place: CommentPlace;
  comments: Comment[];
  resolved: boolean;
  resolved_by: string | null;
}
/**
 * What a person wrote in a thread.
 */
export interface Comment {
  id: string;
  text: string;
  author: string | null;
  at: string;
}
/**
 * A reply; the thread is open again if it was resolved.
 */
export interface CommentAdded {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  thread_id: string;
  comment: Comment;
}
/**
 * One comment of a thread was removed; others are left.
 */
export interface CommentRemoved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  thread_id: string;
  comment_id: string;
}
/**
 * The thread was resolved, or opened again.
 */
export interface ThreadResolved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  thread_id: string;
  resolved: boolean;
  author: string | null;
}
/**
 * The thread was removed with all its comments.
 */
export interface ThreadRemoved {
  map_id: string;
  seq: number;
  turn_id: string | null;
  at: string;
  thread_id: string;
}
/**
 * More of the text that a turn is streaming. A new text begins at offset 0 after each `ai_response` and
 * `tool_called` of the turn.
 */
export interface AiDelta {
  map_id: string;
  turn_id: string;
  text: string;
  offset: number;
}
/**
 * The server is busy: `ahead` turns start before the map's next turn; null when it starts.
 *
 * Sent when the number changes, and every few seconds for people who have just joined.
 */
export interface TurnWaiting {
  map_id: string;
  turn_id: string;
  ahead: number | null;
}
/**
 * Progress of the running step: `step` of `steps`, counted from 1, with the title `name`.
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
  engine: string | null;
}
/**
 * How far a file is that a turn writes; or a request `export`, which only its own connection is sent.
 */
export interface ExportProgress {
  map_id: string;
  turn_id: string | null;
  name: string;
  rows: number;
  total: number;
}
/**
 * The turn asks browsers to show these bounds (EPSG:4326).
 */
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
 * Who is on the map. `people` are ids and `known` their details; of more than 50 people both list 50.
 */
export interface Presence {
  map_id: string;
  people: string[];
  known: Someone[];
  count: number;
  viewers: number;
}
/**
 * A connection. `id` has no meaning outside of this map; `name` is empty until the person gave one.
 */
export interface Someone {
  id: string;
  name: string;
  viewer: boolean;
}
/**
 * What people on the map pointed at since the last of these events, which is sent a few times a second at most.
 */
export interface Gestures {
  map_id: string;
  people: Pointing[];
}
/**
 * What one person points at and sees. Only changed fields are present; null clears one.
 */
export interface Pointing {
  person: string;
  pointer: [number, number] | null;
  selection: Selection | null;
  bounds: [number, number, number, number] | null;
}
/**
 * The view link that this client used was withdrawn.
 */
export interface AccessWithdrawn {
  map_id: string;
}
/**
 * This server shuts down and closes the connection. Connect again after this delay; each client has its own.
 */
export interface ServerClosing {
  reconnect_after_ms: number;
}
/**
 * A map, or with `after_seq` the events after it.
 *
 * If `more` is true, this is one page of events: `seq` is that of its last event, and the next `join` with
 * that `after_seq` returns the next page. A client that is ahead of the map (the database was restored) gets a
 * snapshot as well and starts from it.
 *
 * To miss no event and apply none twice: keep `last`, the seq up to which the map is known. Apply a live event
 * if its seq is `last + 1`, ignore it if its seq is `last` or less, otherwise `join` with `after_seq: last`.
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
 * A map as of `seq`: its layers (bottom first), its chat as events, and its open turns.
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
  document: MapDocument;
  threads: CommentThread[];
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
 * A turn that has not ended. A `waiting` turn has open `questions`; the turns behind it stay queued until
 * they are answered.
 */
export interface TurnState {
  turn_id: string;
  text: string;
  status: "queued" | "running" | "waiting";
  questions: Question[];
}
/**
 * A tool call that only runs after somebody on the map approves it.
 */
export interface Question {
  call_id: string;
  name: string;
  arguments: {
    [k: string]: unknown;
  };
}
export interface MapDocument {
  name: string;
  base_map: string | null;
  projection: ("mercator" | "globe") | null;
  bookmarks: Bookmark[];
}
/**
 * The text that a turn has streamed so far; `ai_delta` continues it.
 */
export interface DraftText {
  turn_id: string;
  text: string;
}
/**
 * A request that succeeded.
 */
export interface Ack {
  ok: true;
}
/**
 * `seq` is that of the user message. `ahead` turns, of this map and others, start before this one.
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
 * `seq` is that of the event `approval_answered`.
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
 * `what` describes the change that was undone or redone.
 */
export interface UndoAck {
  ok: true;
  seq: number;
  what: string;
  wording: Part[];
}
/**
 * Places, best match first; empty if nothing has such a name. Tables in `not_searched` did not answer in time.
 */
export interface PlacesAck {
  ok: true;
  places: Place[];
  not_searched: string[];
}
/**
 * A named place found in the user's tables.
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
 * A file that was written.
 */
export interface ExportAck {
  ok: true;
  file: ExportReport;
}
/**
 * A file that was written, and where it is.
 */
export interface ExportReport {
  file_name: string;
  bytes: number;
  layers: ExportedLayer[];
  notes: string[];
  wording: Part[][];
  link: string;
  expires_at: string;
}
/**
 * What was written of one table or layer.
 */
export interface ExportedLayer {
  name: string;
  rows: number;
  columns: string[];
  geometry: string | null;
  crs: string | null;
}
/**
 * The id of a new map with the same layers and charts.
 */
export interface CopyAck {
  ok: true;
  map_id: string;
}
/**
 * `view_key` replaces the map's id in `/m/{map_id}`; null if there is no view link.
 */
export interface ShareAck {
  ok: true;
  view_key: string | null;
}
/**
 * `seq` is the map's after the change.
 */
export interface BookmarkAck {
  ok: true;
  seq: number;
  bookmark_id: string;
}
/**
 * `seq` is the map's after the change.
 */
export interface ThreadAck {
  ok: true;
  seq: number;
  thread_id: string;
  comment_id: string;
}
/**
 * A request that was refused.
 */
export interface ErrorAck {
  ok: false;
  error: Fault;
}
/**
 * Why a request was refused. `code` is for programs, `message` is for people.
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
  wording: Part[];
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
  references: [string, string, string][];
  geometry_column: string | null;
  geometry_type: string | null;
  srid: number;
  bounds: [number, number, number, number] | null;
  row_estimate: number;
  comment: string | null;
  is_result: boolean;
  is_private: boolean;
  lake: LakeSource | null;
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
 * The files of a lake table, of whose rows PostGIS holds a sample.
 */
export interface LakeSource {
  rows: number;
  sample_rows: number;
  files: number;
  bytes: number;
  version: string;
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
 * An axis. `keys` are a category's values as text (null for rows without one); `others` further values share
 * one place after them. `edges` are those of bins: a bin includes its lower edge, the last one also its upper
 * edge.
 */
export interface Axis {
  kind: "category" | "number" | "time";
  column: string;
  keys: (string | null)[];
  others: number;
  edges: number[];
}
/**
 * Five numbers of a group: the quartiles, and the farthest values within 1.5 times their distance. Values beyond
 * are counted, and the farthest of them listed, with the ids of their features where they have one.
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
  ids: (number | string)[];
}
/**
 * Points of a scatter plot, by column. `ids` are the ids of their features, where they have one.
 */
export interface Points {
  x: number[];
  y: number[];
  series: number[];
  ids: (number | string)[];
}
/**
 * What a list of maps shows of one. `map_id` is the key by which it was asked for.
 */
export interface MapSummary {
  map_id: string;
  name: string;
  layers: number;
  changed_at: string;
  may_change: boolean;
}
