/** One chart: its title, the plot, what is under the pointer in words, its data as a table, and what can be done. */
import { batch, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { read } from "../connection/read";
import { language, t } from "../i18n/i18n";
import { describe } from "../data/cql2";
import { boxed, hinted, inspect } from "../instance/selection";
import type { Chart, ChartData } from "../protocol/types";
import { mayChangeNow } from "../instance/state";
import { connections } from "../store/store";
import { notifyFailure } from "../ui/canvas";
import { Icon } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { notify } from "../ui/toast";
import { charts, refreshChart, removeChart, saveChartRows } from "./actions";
import { seriesColour } from "./colours";
import { type Chosen, isSame, markedOf, type Parts, type Window } from "./hits";
import { featuresOf, type Found, layerOf, looked, partsOf } from "./links";
import { Plot } from "./plot";
import { shapeOf, type Stop, titleOf } from "./shape";
import { ChartTable } from "./table";
import { describeStop, noteOf } from "./words";

/** A message cannot carry more selected features. */
const MOST_SELECTED = 500;
const PAUSE = 90;

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
  const over = useSignal<Stop | null>(null);
  const pinned = useSignal<Chosen>(null);
  const onMap = useSignal("");
  const fromMap = useSignal<Found[]>([]);
  const shape = useMemo(() => shapeOf(chart, data), []);
  useEffect(() => () => clear(chart, onMap), []);
  useFeaturesOfMap(chart, fromMap);
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
  const hover = (stop: Stop | null) => (over.value = stop);
  const words = over.value !== null ? describeStop(chart, data, over.value) : null;
  return (
    <>
      {shape.series.length > 0 && <Legend names={shape.series} title={chart.color ?? ""} />}
      <div hidden={asTable}>
        <Plot
          shape={shape} label={t("chartLabel", { title: titleOf(chart) })} describeStop={(stop) => describeStop(chart, data, stop)} chosen={pinned.value}
          marked={markedOf(shape, over.value, pinned.value, fromMap.value)} hover={hover} choose={choose}
        />
      </div>
      <p class="chart-note" aria-live="polite">
        {words === null ? null : <span aria-hidden="true">{words}</span>}
        {words === null && (pinned.value !== null && onMap.value !== "" ? null : noteOf(chart))}
        {onMap.value !== "" && (words === null || pinned.value === null) && <span class="chart-linked">{words !== null && " · "}{onMap.value}</span>}
      </p>
      {asTable && <ChartTable chart={chart} data={data} point={hover} choose={choose} />}
    </>
  );
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

function partsIn(chosen: Exclude<Chosen, number | null>): Parts | Window {
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
  const { ids, total } = await found(chart, data, chosen).catch(() => ({ ids: [], total: 0 }));
  if (total > MOST_SELECTED) notify(t("chartTooMany", { n: total, most: MOST_SELECTED }));
  else if (total > 0) {
    inspect.value = null;
    boxed.value = { layerId: layer.id, ids };
  }
}

function Legend({ names, title }: { names: string[]; title: string }) {
  return (
    <ul class="chart-legend" aria-label={title}>
      {names.map((name, index) => (
        <li key={index} dir="auto"><i style={{ background: seriesColour(index) }} />{name}</li>
      ))}
    </ul>
  );
}

function actions(chart: Chart, data: ChartData | null, asTable: { value: boolean }): MenuItem[] {
  return [
    { label: asTable.value ? t("chartAsPlot") : t("chartAsTable"), icon: "table", act: () => (asTable.value = !asTable.value) },
    ...(mayChangeNow.value ? [{ label: t("chartRefresh"), icon: "retry" as const, act: () => void refreshChart(chart.id) }] : []),
    ...(["PNG", "SVG"] as const).map((format): MenuItem => ({
      label: t("chartSavePicture", { format }), icon: "download", disabled: data === null || chart.shown === 0,
      act: () => void picture(chart, data, format),
    })),
    { label: t("chartSaveRows"), icon: "download", act: () => saveChartRows(chart) },
    ...(mayChangeNow.value ? [{ label: t("remove"), icon: "trash" as const, danger: true, act: () => void removeChart(chart.id) }] : []),
  ];
}

async function picture(chart: Chart, data: ChartData | null, format: "PNG" | "SVG"): Promise<void> {
  if (data === null) return;
  const { saveChartPicture } = await import("./picture");
  await notifyFailure(saveChartPicture(chart, shapeOf(chart, data), format));
}
