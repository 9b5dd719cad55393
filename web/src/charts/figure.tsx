/** One chart: its title, the plot, what is under the pointer in words, its data as a table, and what can be done. */
import { batch, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { read } from "../connection/read";
import { exact } from "../i18n/format";
import { direction, language, t } from "../i18n/i18n";
import { describe } from "../data/cql2";
import { boxed, hinted, inspect } from "../instance/selection";
import type { Chart, ChartData } from "../protocol/types";
import { mayChangeNow } from "../instance/state";
import { connections } from "../store/store";
import { palette } from "../theme/theme";
import { notifyFailure } from "../ui/canvas";
import { Icon } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { notify } from "../ui/toast";
import { charts, refreshChart, removeChart, saveChartRows } from "./actions";
import { coloursOf, SERIES } from "./colours";
import type { Window } from "./hits";
import { featuresOf, type Found, layerOf, looked, partsOf } from "./links";
import type { Marked, Plot } from "./plot";
import { idOf as idOfStop, placeOf, type Stop, stepped, stopsOf } from "./steps";
import { noteOf } from "./note";
import { keyOf, type Mark, nameOf, type Part, type Shape, shapeOf, titleOf } from "./shape";
import { ChartTable } from "./table";

/** More would be said to be selected than a message can carry. */
const MOST_SELECTED = 500;
const PAUSE = 90;
/** Parts that a screen reader finds at once. */
const MOST_OPTIONS = 200;

type Chosen = Mark | number | Part[] | Window | null;

export function ChartFigure({ chart }: { chart: Chart }) {
  const data = useSignal<ChartData | null>(null);
  const fault = useSignal<string | null>(null);
  const asTable = useSignal(false);
  useEffect(() => {
    let wanted = true;
    read<ChartData>(chart.data).then(
      (found) => { if (wanted) [data.value, fault.value] = [found, null]; },
      (error: Error) => { if (wanted) fault.value = error.message; },
    );
    return () => (wanted = false);
  }, [chart.data, connections.value]);
  const { value: drawn } = data;
  const isThere = charts.value.some((it) => it.id === chart.id);
  return (
    <figure class="chart" data-chart={chart.id}>
      <figcaption>
        <h3 dir="auto">{titleOf(chart)}</h3>
        {isThere && <Menu label={t("chartActions", { name: titleOf(chart) })} icon="more" items={() => actions(chart, drawn, asTable)} />}
      </figcaption>
      <Circumstances chart={chart} />
      {fault.value !== null && <p class="chart-note" role="alert">{fault.value}</p>}
      {drawn === null && fault.value === null && <div class="chart-space skeleton" aria-hidden="true"><i class="w90" /><i class="w70" /></div>}
      {drawn !== null && chart.shown === 0 && <p class="chart-note chart-nothing">{noteOf(chart)}</p>}
      {drawn !== null && chart.shown > 0 && <Drawing key={`${chart.data} ${language.value}`} chart={chart} data={drawn} asTable={asTable.value} />}
    </figure>
  );
}

/** Of what it is, and whether that has changed since. */
function Circumstances({ chart }: { chart: Chart }) {
  const layer = layerOf(chart);
  const changed = chart.layer_id === layer?.id && layer !== undefined
    && JSON.stringify(layer.filter ?? null) !== JSON.stringify(chart.layer_filter ?? null);
  const filters = [chart.layer_filter, chart.filter].filter((it) => it != null).map(describe);
  const name = chart.layer_id !== null && layer !== undefined ? layer.name : chart.table.replace(/^data\./, "");
  return (
    <div class="chart-of">
      <span dir="auto">{name} · {t("rowCount", { n: chart.rows })}{filters.length > 0 && ` · ${filters.join(", ")}`}</span>
      {changed && mayChangeNow.value && (
        <button type="button" class="link" onClick={() => void refreshChart(chart.id)}>
          <Icon name="retry" />{t("chartChanged")}
        </button>
      )}
    </div>
  );
}

function Drawing({ chart, data, asTable }: { chart: Chart; data: ChartData; asTable: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  // A chart may be in its answer and in the panel at once.
  const id = useId();
  const plot = useRef<Plot | null>(null);
  const over = useSignal<Mark | number | null>(null);
  const pinned = useSignal<Chosen>(null);
  const onMap = useSignal("");
  const fromMap = useSignal<Found[]>([]);
  const shape = useMemo(() => shapeOf(chart, data), []);
  useEffect(() => () => clear(chart, onMap), []);
  usePlot(box, plot, shape, over, (chosen) => choose(chosen));
  useFeaturesOfMap(chart, fromMap);
  useSignalEffect(() => {
    const wanted = markedOf(shape, over.value, pinned.value, fromMap.value);
    plot.current?.mark(wanted);
  });
  useSignalEffect(() => {
    // What was chosen stays on the map while the pointer reads on.
    const pointed = pinned.value ?? over.value;
    const timer = setTimeout(() => void show(chart, data, pointed, onMap), PAUSE);
    return () => clearTimeout(timer);
  });
  const choose = (given: Chosen) => {
    const chosen = isSame(given, pinned.value) ? null : given;
    pinned.value = chosen;
    if (chosen !== null) void select(chart, data, chosen);
    else boxed.value = null;
  };
  const words = over.value !== null ? said(chart, data, over.value) : null;
  const stops = useMemo(() => stopsOf(shape), []);
  const step = (by: number) => (over.value = stepped(stops, over.value, by));
  const keys = (event: KeyboardEvent) => {
    const act: Record<string, () => void> = {
      ArrowRight: () => step(1), ArrowDown: () => step(1), ArrowLeft: () => step(-1), ArrowUp: () => step(-1),
      Enter: () => choose(over.value), Escape: () => { over.value = null; choose(null); },
    };
    if (stops.length === 0 || act[event.key] === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act[event.key]?.();
  };
  return (
    <>
      {shape.series.length > 0 && <Legend names={shape.series} title={chart.color ?? ""} />}
      <div
        class="chart-plot" tabIndex={0} role="listbox" aria-roledescription={t("chart")} hidden={asTable} dir="ltr"
        aria-label={t("chartLabel", { title: titleOf(chart) })} aria-activedescendant={over.value === null ? undefined : idOf(id, over.value)}
        onKeyDown={keys} onBlur={() => (over.value = null)}
      >
        <div ref={box} aria-hidden="true" />
        <Marks id={id} chart={chart} data={data} stops={stops} over={over.value} chosen={pinned.value} />
      </div>
      <p class="chart-note" aria-live="polite">
        {words === null ? null : <span aria-hidden="true">{words}</span>}
        {words === null && (pinned.value !== null && onMap.value !== "" ? null : noteOf(chart))}
        {onMap.value !== "" && (words === null || pinned.value === null) && <span class="chart-linked">{words !== null && " · "}{onMap.value}</span>}
      </p>
      {asTable && <ChartTable chart={chart} data={data} point={(part) => (over.value = part)} choose={(part) => choose(part)} />}
    </>
  );
}

interface MarksProps {
  id: string;
  chart: Chart;
  data: ChartData;
  stops: readonly Stop[];
  over: Stop | null;
  chosen: Chosen;
}

/** What the picture shows, part by part, for those who do not see it; of very many points those around the one that is read. */
function Marks({ id, chart, data, stops, over, chosen }: MarksProps) {
  const at = over === null ? 0 : placeOf(stops, over);
  const first = stops.length <= MOST_OPTIONS ? 0 : Math.max(0, Math.min(at - MOST_OPTIONS / 2, stops.length - MOST_OPTIONS));
  return (
    <div class="hidden" role="presentation">
      {stops.slice(first, first + MOST_OPTIONS).map((stop, index) => (
        <div
          key={idOf(id, stop)} id={idOf(id, stop)} role="option" aria-selected={isSame(stop, chosen)}
          aria-posinset={first + index + 1} aria-setsize={stops.length}
        >
          {said(chart, data, stop)}
        </div>
      ))}
    </div>
  );
}

const idOf = (chart: string, stop: Stop): string => `${chart}-${idOfStop(stop)}`;

/** Makes the plot once its library is here, keeps it as wide as its box and in the colours of the theme. */
function usePlot(
  box: { current: HTMLDivElement | null }, plot: { current: Plot | null }, shape: Shape,
  over: { value: Mark | number | null }, choose: (chosen: Chosen) => void,
): void {
  useEffect(() => {
    let gone = false;
    let observer: ResizeObserver | undefined;
    void import("./plot").then(({ Plot }) => {
      const element = box.current;
      if (gone || element === null) return;
      plot.current = new Plot(element, shape, coloursOf(element), direction.value === "rtl", {
        hover: (found) => (over.value = found), choose: (chosen) => choose(chosen as Chosen),
      });
      observer = new ResizeObserver(() => plot.current?.resize(element.clientWidth));
      observer.observe(element);
    });
    return () => {
      gone = true;
      observer?.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [palette.value, direction.value]);
}

/** What the map points at, as parts of this chart. */
function useFeaturesOfMap(chart: Chart, found: { value: Found[] }): void {
  useSignalEffect(() => {
    const selection = looked.value;
    const mine = selection !== null && selection.layerId === layerOf(chart)?.id;
    let wanted = true;
    const timer = setTimeout(() => {
      if (!mine) found.value = found.value.length === 0 ? found.value : [];
      else void partsOf(chart, selection.ids).then((parts) => { if (wanted) found.value = parts; }, () => undefined);
    }, PAUSE);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  });
}

function markedOf(shape: Shape, over: Mark | number | null, pinned: Chosen, fromMap: Found[]): Marked {
  const keys = new Set<string>();
  const points: [number, number][] = [];
  const add = (chosen: Chosen) => {
    if (chosen === null) return;
    if (typeof chosen === "number") points.push([shape.points?.x[chosen] ?? 0, shape.points?.y[chosen] ?? 0]);
    else if (!Array.isArray(chosen)) keys.add(keyOf(chosen));
    else if (typeof chosen[0] === "object") {
      for (const part of chosen as Part[]) for (const mark of shape.marks) if (mark.place === part.place) keys.add(keyOf(mark));
    }
  };
  add(over);
  add(pinned);
  for (const [first, second] of fromMap) {
    if (shape.points !== null) points.push([first, second]);
    else keys.add(keyOf({ place: first, series: second }));
  }
  return { keys, points };
}

/** Whether a part is chosen that was chosen before: then it is let go. */
function isSame(a: Chosen, b: Chosen): boolean {
  if (a === null || b === null || Array.isArray(a) || Array.isArray(b)) return false;
  return typeof a === "number" || typeof b === "number" ? a === b : keyOf(a) === keyOf(b);
}

function partsIn(chosen: Mark | Part[] | Window): Part[] | Window {
  return Array.isArray(chosen) ? chosen : [{ place: chosen.place, series: chosen.series }];
}

async function found(chart: Chart, data: ChartData, chosen: NonNullable<Chosen>) {
  if (typeof chosen !== "number") return featuresOf(chart, partsIn(chosen));
  const id = data.points?.ids?.[chosen];
  return { ids: id === undefined ? [] : [id], total: id === undefined ? 0 : 1, most: 1 };
}

/** Makes conspicuous on the map what is pointed at in the chart, and says if that is not all of it. */
async function show(chart: Chart, data: ChartData, chosen: Chosen, words: { value: string }): Promise<void> {
  if (chosen === null) return clear(chart, words);
  const layer = layerOf(chart);
  if (layer === undefined) return void (words.value = t("chartNoLayer"));
  try {
    const { ids, total } = await found(chart, data, chosen);
    batch(() => {
      hinted.value = { layerId: layer.id, ids };
      words.value = total > ids.length ? t("chartMarkedSome", { n: ids.length, total }) : total === 0 ? "" : t("chartMarked", { n: total });
    });
  } catch (error) {
    words.value = error instanceof Error ? error.message : String(error);
  }
}

function clear(chart: Chart, words: { value: string }): void {
  if (hinted.value?.layerId === layerOf(chart)?.id) hinted.value = null;
  words.value = "";
}

/** What was chosen becomes the selection, so that "these" in a message means it; never a part of it only. */
async function select(chart: Chart, data: ChartData, chosen: NonNullable<Chosen>): Promise<void> {
  const layer = layerOf(chart);
  if (layer === undefined) return;
  const { ids, total } = await found(chart, data, chosen).catch(() => ({ ids: [] as number[], total: 0 }));
  if (total > MOST_SELECTED) notify(t("chartTooMany", { n: total, most: MOST_SELECTED }));
  else if (total > 0) {
    inspect.value = null;
    boxed.value = { layerId: layer.id, ids };
  }
}

/** What a part or a point is, in words. */
function said(chart: Chart, data: ChartData, over: Mark | number): string {
  if (typeof over === "number") {
    const [x, y] = [data.points?.x[over] ?? 0, data.points?.y[over] ?? 0];
    return `${chart.x}: ${data.time ? new Date(x * 1000).toISOString().slice(0, 10) : exact(x)} · ${chart.y}: ${exact(y)}`;
  }
  const place = nameOf(chart, data.x, over.place);
  const series = data.series === null ? "" : ` · ${nameOf(chart, data.series, over.series ?? 0)}`;
  const rows = t("rowCount", { n: over.count });
  const measured = chart.aggregate !== null && chart.aggregate !== "count" ? `${exact(over.value ?? 0)} · ` : "";
  const quartiles = over.box === null ? "" : `${t("chartQuartiles", {
    first: exact(over.box.first), median: exact(over.box.median), third: exact(over.box.third),
  })} · `;
  return `${place}${series}: ${measured}${quartiles}${rows}`;
}

function Legend({ names, title }: { names: string[]; title: string }) {
  return (
    <ul class="chart-legend" aria-label={title}>
      {names.map((name, index) => (
        <li key={index} dir="auto"><i style={{ background: SERIES[Math.min(index, SERIES.length - 1)] }} />{name}</li>
      ))}
    </ul>
  );
}

function actions(chart: Chart, data: ChartData | null, asTable: { value: boolean }): MenuItem[] {
  return [
    { label: asTable.value ? t("chartAsPlot") : t("chartAsTable"), icon: "table", act: () => (asTable.value = !asTable.value) },
    ...(mayChangeNow.value ? [{ label: t("chartRefresh"), icon: "retry" as const, act: () => void refreshChart(chart.id) }] : []),
    { label: t("chartSavePicture"), icon: "download", disabled: data === null || chart.shown === 0, act: () => void picture(chart, data) },
    { label: t("chartSaveRows"), icon: "download", act: () => saveChartRows(chart) },
    ...(mayChangeNow.value ? [{ label: t("remove"), icon: "trash" as const, danger: true, act: () => void removeChart(chart.id) }] : []),
  ];
}

async function picture(chart: Chart, data: ChartData | null): Promise<void> {
  if (data === null) return;
  const { saveChartPicture } = await import("./picture");
  await notifyFailure(saveChartPicture(chart, shapeOf(chart, data)));
}
