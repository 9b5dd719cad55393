/** The time slider of a layer: a histogram of its dates, a window to move, play, and the window as filter for all. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { locale, t } from "../i18n/i18n";
import { rangeIn, withoutRange, withRange } from "../data/range";
import { tableOf } from "../data/tables";
import { formatNumber } from "../i18n/format";
import type { Column, Layer } from "../protocol/types";
import { updateLayer } from "../session/commands";
import { connections, map, mayChange } from "../store/store";
import { readHistogram } from "../data/rows";
import { Pick } from "../ui/form";
import { ReturnFocus } from "../ui/focus";
import { HistogramRange } from "../ui/histogram";
import { IconButton } from "../ui/icons";
import { advanced, type Histogram, isWhole, playable, positionOf, rangeOf, type Scale, scaleOf, type Span, valueAt } from "../ui/scale";
import { calm } from "../browser/motion";
import { chooseTimeColumn, closeTime, shownTime, timeColumnOf, timeColumns, timeLayer } from "../instance/time";

const BINS = 60;
/** Milliseconds from one picture to the next. Who wants less motion gets steps instead of a film. */
const BEAT = { film: 200, steps: 1200 };

export function TimePanel() {
  const layer = timeLayer.value;
  if (layer === null || map.value === null) return null;
  const columns = timeColumns(tableOf(layer.table));
  const column = columns.find((it) => it.name === timeColumnOf(layer));
  return (
    <section class="time card" aria-label={t("timeOf", { name: layer.name })}>
      <ReturnFocus />
      <header>
        <h2 dir="auto">{layer.name}</h2>
        <ColumnPick layer={layer} columns={columns} />
        <IconButton icon="close" label={t("close")} onClick={closeTime} />
      </header>
      {column !== undefined && <Slider key={`${layer.id} ${column.name}`} mapId={map.value.mapId} layer={layer} column={column} />}
      {columns.length === 0 && <p class="quiet">{t("timeNone")}</p>}
    </section>
  );
}

/** The first column is taken until another is chosen. */
function ColumnPick({ layer, columns }: { layer: Layer; columns: Column[] }) {
  const chosen = timeColumnOf(layer);
  const [first] = columns;
  useEffect(() => {
    if (chosen === null && first !== undefined) chooseTimeColumn(layer.id, first.name);
  }, [layer.id, first?.name]);
  if (columns.length === 0) return null;
  return (
    <Pick
      value={chosen ?? ""} label={t("timeColumn")} onPick={(column) => chooseTimeColumn(layer.id, column)}
      options={columns.map(({ name }) => [name, name] as const)}
    />
  );
}

function Slider({ mapId, layer, column }: { mapId: string; layer: Layer; column: Column }) {
  const histogram = useSignal<Histogram | null>(null);
  const fault = useSignal<string | null>(null);
  const span = useSignal<Span>({ first: 0, last: 0 });
  const playing = useSignal(false);
  const scale = useComputed(() => histogram.value && scaleOf(column, histogram.value));
  const others = JSON.stringify(withoutRange(layer.filter, column.name));
  useEffect(() => {
    const reading = new AbortController();
    readHistogram(mapId, layer.id, { column: column.name, bins: BINS, filter: others }, reading.signal).then(
      (found) => {
        [histogram.value, fault.value] = [found, null];
        if (scale.value !== null) span.value = spanOf(scale.value, layer, column);
      },
      (error: Error) => { if (!reading.signal.aborted) fault.value = error.message; },
    );
    return () => reading.abort();
  }, [layer.table, others, connections.value]);
  useEffect(() => {
    if (scale.value !== null) show(layer.id, scale.value, span.value);
  }, [scale.value, span.value]);
  useEffect(() => () => { shownTime.value = null; }, []);
  usePlay(playing, () => { if (scale.value !== null) span.value = advanced(scale.value, span.value, calm() ? 1 : 0.25); });
  if (fault.value !== null) return <p role="alert">{fault.value}</p>;
  if (histogram.value === null) return <div class="skeleton" aria-hidden="true"><i class="w90" /></div>;
  if (scale.value === null) return <p class="quiet">{t("timeEmpty")}</p>;
  const [now, at] = [scale.value, span.value];
  const words = (value: number) => written(now, column, value, value);
  const range = written(now, column, valueAt(now, at.first), valueAt(now, at.last));
  const toggle = () => {
    if (!playing.value) span.value = playable(now, at);
    playing.value = !playing.value;
  };
  return (
    <>
      <div class="time-line">
        <IconButton icon={playing.value ? "pause" : "play"} class="time-play" label={playing.value ? t("pause") : t("play")} onClick={toggle} />
        <HistogramRange
          histogram={histogram.value} scale={now} span={at} words={words}
          change={(next) => { playing.value = false; span.value = next; }}
        />
      </div>
      <footer>
        <output dir="auto">{isWhole(now, at) ? t("timeAll", { range }) : range}</output>
        {mayChange.value && (
          <button type="button" class="button plain" disabled={isApplied(now, at, layer, column)} onClick={() => apply(now, at, layer, column)}>
            {t("timeApply")}
          </button>
        )}
      </footer>
    </>
  );
}

/** Calls at every beat while it plays; it pauses on a hidden page. */
function usePlay(playing: { value: boolean }, beat: () => void): void {
  const isOn = playing.value;
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(beat, calm() ? BEAT.steps : BEAT.film);
    const hidden = () => { if (document.hidden) playing.value = false; };
    document.addEventListener("visibilitychange", hidden);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", hidden);
    };
  }, [isOn]);
}

/** The window that the layer's filter says, else all of it. */
function spanOf(scale: Scale, layer: Layer, column: Column): Span {
  const range = rangeIn(layer.filter, column.name) ?? { from: -Infinity, to: Infinity };
  return { first: positionOf(scale, range.from), last: positionOf(scale, range.to) };
}

function show(layerId: string, scale: Scale, span: Span): void {
  shownTime.value = isWhole(scale, span) ? null : { layerId, ...rangeOf(scale, span) };
}

function isApplied(scale: Scale, span: Span, layer: Layer, column: Column): boolean {
  const { first, last } = spanOf(scale, layer, column);
  return first === span.first && last === span.last;
}

function apply(scale: Scale, span: Span, layer: Layer, column: Column): void {
  void updateLayer(layer.id, { filter: withRange(layer.filter, column, rangeOf(scale, span)) });
}

/** Dates as dates, what both have in common once; times with the hour where all is within a week. */
function written(scale: Scale, column: Column, from: number, to: number): string {
  if (scale.kind !== "date" && scale.kind !== "timestamp") {
    const year = (value: number) => formatNumber(`${column.name}_year`, value);
    return from === to ? year(from) : `${year(from)} – ${year(to)}`;
  }
  const isShort = scale.kind === "timestamp" && scale.step * scale.steps < 7 * 86_400;
  const format = new Intl.DateTimeFormat(locale.value, {
    dateStyle: "medium", ...(isShort && { timeStyle: "short" }), ...(scale.zone && { timeZone: scale.zone }),
  });
  return format.formatRange(from * 1000, to * 1000);
}
