/** Bars over a window with two handles that are sliders, and a middle that moves both: by pointer, touch and keys. */
import { useRef } from "preact/hooks";
import { direction, t } from "../i18n/i18n";
import { type Histogram, type Scale, shifted, type Span, valueAt, withEnd } from "./scale";

interface Props {
  histogram: Histogram;
  scale: Scale;
  span: Span;
  change: (span: Span) => void;
  /** A value as text for people. */
  words: (value: number) => string;
}

export function HistogramRange({ histogram, scale, span, change, words }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [from, to] = [words(valueAt(scale, span.first)), words(valueAt(scale, span.last))];
  const left = (span.first / scale.steps) * 100;
  const width = ((span.last - span.first) / scale.steps) * 100;
  return (
    <div class="range" ref={box} title={histogram.sampled_from && t("rangeSample")}>
      <Bars histogram={histogram} scale={scale} span={span} />
      <div
        class="range-window" role="slider" tabIndex={0} aria-label={t("rangeWindow")} aria-valuemin={0} aria-valuemax={scale.steps}
        aria-valuenow={span.first} aria-valuetext={`${from} – ${to}`} style={{ insetInlineStart: `${left}%`, width: `${width}%` }}
        onPointerDown={(event) => drag(event, box.current, scale, span, change)}
        onKeyDown={(event) => {
          const by = stepsOf(event.key, span);
          if (by === 0) return;
          event.preventDefault();
          change(shifted(scale, span, by));
        }}
      />
      {(["first", "last"] as const).map((end) => (
        <input
          key={end} type="range" min={0} max={scale.steps} step={1} value={span[end]}
          aria-label={end === "first" ? t("rangeFrom") : t("rangeTo")} aria-valuetext={end === "first" ? from : to}
          onInput={(event) => {
            const next = withEnd(span, end, event.currentTarget.valueAsNumber);
            event.currentTarget.valueAsNumber = next[end];
            change(next);
          }}
        />
      ))}
    </div>
  );
}

function Bars({ histogram: { counts, from, to }, scale, span }: Pick<Props, "histogram" | "scale" | "span">) {
  if (from === null || to === null) return null;
  const most = Math.max(1, ...counts);
  const width = (to - from) / counts.length;
  const isInside = (index: number) => {
    const middle = from + (index + 0.5) * width;
    const slack = Math.max(scale.step, width) / 2;
    return middle >= valueAt(scale, span.first) - slack && middle <= valueAt(scale, span.last) + slack;
  };
  return (
    <svg class="range-bars" viewBox={`0 0 ${counts.length} 100`} preserveAspectRatio="none" aria-hidden="true">
      {counts.map((count, index) => {
        const height = count === 0 ? 0 : Math.max(3, (count / most) * 100);
        return <rect key={index} class={isInside(index) ? "inside" : ""} x={index + 0.06} y={100 - height} width={0.88} height={height} />;
      })}
    </svg>
  );
}

function stepsOf(key: string, { first, last }: Span): number {
  const forward = direction.value === "rtl" ? "ArrowLeft" : "ArrowRight";
  if (key === "ArrowLeft" || key === "ArrowRight") return key === forward ? 1 : -1;
  if (key === "ArrowUp" || key === "ArrowDown") return key === "ArrowUp" ? 1 : -1;
  if (key === "PageUp" || key === "PageDown") return (last - first + 1) * (key === "PageUp" ? 1 : -1);
  return key === "Home" ? -Infinity : key === "End" ? Infinity : 0;
}

/** Moves the window with the pointer. */
function drag(down: PointerEvent, box: HTMLElement | null, scale: Scale, span: Span, change: Props["change"]): void {
  const handle = down.currentTarget as HTMLElement;
  const across = box?.clientWidth ?? 1;
  handle.setPointerCapture(down.pointerId);
  const move = ({ clientX }: PointerEvent) => {
    const moved = (clientX - down.clientX) * (direction.value === "rtl" ? -1 : 1);
    change(shifted(scale, span, Math.round((moved / across) * scale.steps)));
  };
  handle.addEventListener("pointermove", move);
  handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), { once: true });
}
