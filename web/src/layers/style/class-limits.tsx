/** A histogram of the column with the limits of the classes as handles: by pointer, touch, keys, or as numbers. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { direction, number, t } from "../../i18n/i18n";
import { map } from "../../store/store";
import { readHistogram } from "../../data/rows";
import type { Histogram } from "../../ui/scale";
import { tableOf } from "../../data/tables";
import { type Change, useHeld } from "./controls";
import { type Axis, axisOf, domainOf, type Domain, limitsOf, moved } from "./classes/limits";
import type { PartProps } from "./part";

const BINS = 48;

export function ClassLimits({ layer, change, preview }: PartProps) {
  const { legend, style } = layer;
  const domain = domainOf(legend);
  const histogram = useHistogram(layer, domain);
  const draft = useSignal<number[] | null>(null);
  const box = useRef<HTMLDivElement>(null);
  if (domain === null) return null;
  const limits = draft.value ?? limitsOf(legend);
  const colours = legend.entries.filter(({ code }) => code === "range").map(({ color }) => color);
  const isWhole = tableOf(layer.table)?.columns.find(({ name }) => name === style.column)?.kind === "integer";
  const move = (at: number, value: number) => {
    draft.value = moved(draft.value ?? limits, at, value, domain, isWhole);
    preview({ breaks: draft.value });
  };
  const share = () => {
    const breaks = draft.value;
    if (breaks === null) return;
    void change({ breaks, hidden: [] }).then(() => {
      if (draft.peek() === breaks) draft.value = null;
    });
  };
  const give = () => {
    draft.value = null;
    preview(null);
  };
  // Of the limits that are shared: it stays as it is while one of them is dragged.
  const axis = axisOf(limitsOf(legend), domain);
  const words = (value: number) => number(value, { maximumSignificantDigits: 6 });
  return (
    <div class="class-limits">
      <div class="limits-plot" ref={box}>
        <Bars histogram={histogram} axis={axis} limits={limits} colours={colours} />
        {limits.map((limit, at) => (
          <span
            key={at} class="limit" role="slider" tabIndex={0} aria-label={t("classLimit", { n: number(at + 1) })} style={{ insetInlineStart: `${axis.place(limit) * 100}%` }}
            aria-valuemin={domain.from} aria-valuemax={domain.to} aria-valuenow={limit} aria-valuetext={words(limit)} title={words(limit)}
            onPointerDown={(event) => drag(event, box.current, axis, (value) => move(at, value), share, give)}
            onKeyDown={(event) => {
              const by = stepOf(event.key) * (event.shiftKey ? 10 : 1);
              if (event.key === "Escape" && draft.value !== null) {
                event.stopPropagation();
                give();
              }
              if (by === 0) return;
              event.preventDefault();
              move(at, limit + by * (isWhole ? Math.max(1, Math.round((domain.to - domain.from) / 100)) : (domain.to - domain.from) / 100));
            }}
            onKeyUp={(event) => stepOf(event.key) !== 0 && share()}
          />
        ))}
      </div>
      <div class="limit-boxes">
        {limits.map((limit, at) => (
          <LimitBox
            key={at} label={t("classLimit", { n: number(at + 1) })} limit={limit} change={(value) => change({ breaks: [...limits].with(at, value), hidden: [] })}
            isBetween={(value) => value > (limits[at - 1] ?? -Infinity) && value < (limits[at + 1] ?? Infinity)}
          />
        ))}
      </div>
    </div>
  );
}

interface BoxProps {
  label: string;
  limit: number;
  /** Whether a number lies between the limits beside this one. */
  isBetween: (value: number) => boolean;
  change: Change<number>;
}

function LimitBox({ label, limit, isBetween, change }: BoxProps) {
  const { now, hold, share, drop } = useHeld(String(limit), (text) => change(Number(text)));
  return (
    <input
      type="number" step="any" value={now} aria-label={label} onInput={(event) => hold(event.currentTarget.value)}
      onChange={({ currentTarget: { value, valueAsNumber } }) => (isBetween(valueAsNumber) ? share(value) : drop())}
    />
  );
}

function Bars({ histogram, axis, limits, colours }: { histogram: Histogram | null; axis: Axis; limits: readonly number[]; colours: readonly string[] }) {
  const { counts, from, to } = histogram ?? { counts: [], from: null, to: null };
  if (from === null || to === null) return <svg class="limits-bars" aria-hidden="true" />;
  const most = Math.max(1, ...counts);
  const width = (to - from) / counts.length;
  return (
    <svg class="limits-bars" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {counts.map((count, at) => {
        const start = from + at * width;
        // Square roots: a bar of few is still seen beside one of many.
        const height = Math.sqrt(count / most) * 100;
        const colour = colours[limits.filter((limit) => limit <= start + width / 2).length] ?? "currentColor";
        const [left, right] = [axis.place(start) * 100, axis.place(start + width) * 100];
        return <rect key={at} x={left} y={100 - height} width={(right - left) * 0.92} height={height} fill={colour} />;
      })}
    </svg>
  );
}

/** How the values of the style's column within the domain are spread, of the features that the layer's filter lets through. */
function useHistogram(layer: PartProps["layer"], domain: Domain | null): Histogram | null {
  const found = useSignal<Histogram | null>(null);
  const { column } = layer.style;
  const [filter, end] = [JSON.stringify(layer.filter ?? null), domain?.to ?? null];
  useEffect(() => {
    if (column == null || end === null || map.value === null) return undefined;
    const reading = new AbortController();
    const within = { op: "<=", args: [{ property: column }, end] };
    const both = layer.filter == null ? within : { op: "and", args: [layer.filter, within] };
    readHistogram(map.value.mapId, layer.id, { column, bins: BINS, filter: JSON.stringify(both) }, reading.signal).then(
      (next) => (found.value = next),
      // The limits can be moved without bars, too.
      () => undefined,
    );
    return () => reading.abort();
  }, [layer.id, column, filter, end]);
  return found.value;
}

function stepOf(key: string): number {
  const forward = direction.value === "rtl" ? "ArrowLeft" : "ArrowRight";
  if (key === "ArrowLeft" || key === "ArrowRight") return key === forward ? 1 : -1;
  return key === "ArrowUp" ? 1 : key === "ArrowDown" ? -1 : 0;
}

function drag(
  down: PointerEvent, box: HTMLElement | null, axis: Axis, move: (value: number) => void, share: () => void, give: () => void,
): void {
  const handle = down.currentTarget as HTMLElement;
  if (box === null) return;
  handle.setPointerCapture(down.pointerId);
  const over = new AbortController();
  const { signal } = over;
  handle.addEventListener("pointermove", ({ clientX }) => {
    const { left, right, width } = box.getBoundingClientRect();
    const way = direction.value === "rtl" ? right - clientX : clientX - left;
    move(axis.valueAt(way / width));
  }, { signal });
  const end = (finish: () => void) => () => {
    over.abort();
    finish();
  };
  handle.addEventListener("pointerup", end(share), { signal });
  handle.addEventListener("pointercancel", end(give), { signal });
}
