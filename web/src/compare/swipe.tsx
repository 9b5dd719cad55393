/**
 * Two layers, or two moments of the history, side by side: a second map lies over the first and is cut off at a line
 * that can be dragged. The first map has the camera; the second follows.
 */
import "../theme/compare.css";
import { effect, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t, time } from "../i18n/i18n";
import { MapView } from "../map/view";
import { view as mainView } from "../session/camera";
import { areaShape } from "../instance/selection";
import { base, compared, isDark, isShown, past } from "../instance/state";
import { layers } from "../store/store";
import { palette } from "../theme/theme";
import { IconButton } from "../ui/icons";
import { layersOf, otherLayer, type Side } from "../instance/sides";

/** Per cent of the map's width by which an arrow key moves the line. */
const STEP = 2;
const QUIET = { receipt: () => undefined, moved: () => undefined, projected: () => undefined };

export function Swipe() {
  const box = useRef<HTMLDivElement>(null);
  const at = useSignal(50);
  useEffect(() => (box.current === null ? undefined : openSecond(box.current, () => at.peek())), []);
  useEffect(endWithoutSides, [layers.value, past.value, compared.value]);
  const line = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => line.current?.focus({ preventScroll: true }), []);
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {};
    handle.setPointerCapture(event.pointerId);
    const move = ({ clientX }: PointerEvent) => (at.value = limited(((clientX - left) / width) * 100));
    handle.addEventListener("pointermove", move);
    handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), { once: true });
  };
  return (
    <div class="compare" dir="ltr">
      <div ref={box} class="compare-map" aria-hidden="true" style={{ clipPath: `inset(0 0 0 ${at.value}%)` }} />
      <div
        ref={line} class="compare-line" role="separator" tabIndex={0} aria-orientation="vertical" aria-label={t("compareLine")}
        aria-valuenow={Math.round(at.value)} aria-valuemin={0} aria-valuemax={100} style={{ left: `${at.value}%` }}
        onPointerDown={drag}
        onKeyDown={({ key }) => {
          if (key === "ArrowLeft") at.value = limited(at.value - STEP);
          if (key === "ArrowRight") at.value = limited(at.value + STEP);
          if (key === "Home") at.value = 0;
          if (key === "End") at.value = 100;
          if (key === "Escape") compared.value = null;
        }}
      />
      <div class="compare-bar card" role="group" aria-label={t("compare")}>
        <Choice side="left" />
        <span class="quiet" aria-hidden="true">|</span>
        <Choice side="right" />
        <IconButton icon="close" label={t("compareEnd")} onClick={() => (compared.value = null)} />
      </div>
    </div>
  );
}

const limited = (value: number): number => Math.max(0, Math.min(100, value));

/** Which layer, or which moment, is on this side. */
function Choice({ side }: { side: Side }) {
  const pair = compared.value;
  if (pair === "now") return <span dir="auto">{side === "left" ? time(past.value?.at ?? "") : t("compareNow")}</span>;
  if (pair === null) return null;
  const other = side === "left" ? "right" : "left";
  const choose = (id: string) => {
    // The layer of the other side is exchanged with this one.
    compared.value = { ...pair, [side]: id, ...(pair[other] === id && { [other]: pair[side] }) };
  };
  return (
    <select aria-label={t(side === "left" ? "compareLeft" : "compareRight")} value={pair[side]} onChange={(event) => choose(event.currentTarget.value)}>
      {layers.value.filter(({ geometry_type }) => geometry_type !== "none").toReversed().map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
    </select>
  );
}

/** The comparison ends with one of its layers, or with the look at the past. */
function endWithoutSides(): void {
  const pair = compared.value;
  if (pair === "now" && past.value === null) compared.value = null;
  if (pair === null || pair === "now") return;
  const known = (id: string) => layers.value.some((layer) => layer.id === id);
  const [left, right] = [known(pair.left) ? pair.left : undefined, known(pair.right) ? pair.right : undefined];
  if (left !== undefined && right !== undefined) return;
  const stays = left ?? right;
  const next = stays === undefined ? undefined : otherLayer(layers.value, stays);
  compared.value = stays === undefined || next === undefined ? null : { left: left ?? next, right: right ?? next };
}

/** Makes the second map; returns a function that removes it. */
function openSecond(box: HTMLElement, at: () => number): (() => void) | undefined {
  const main = mainView;
  if (main === null) return undefined;
  const second = new MapView(box, { palette: palette.peek(), base: base.peek(), camera: main.camera(), isBare: true }, QUIET);
  const follow = () => second.map.jumpTo({ ...main.camera(), padding: main.map.getPadding() });
  const project = () => second.project(main.map.getProjection()?.type === "globe" ? "globe" : "mercator");
  main.map.on("move", follow);
  main.map.on("projectiontransition", project);
  project();
  main.beside = { view: second, begins: () => (at() / 100) * box.clientWidth };
  const stops = [
    effect(() => second.paint(palette.value)),
    effect(() => second.rebase(base.value)),
    effect(() => second.show(rightLayers(), { isolated: null, marked: null, isPast: true, isDark: isDark.value, area: areaShape.value })),
  ];
  return () => {
    for (const stop of stops) stop();
    main.beside = null;
    main.map.off("move", follow);
    main.map.off("projectiontransition", project);
    second.map.remove();
  };
}

function rightLayers() {
  const shown = layers.value.map((layer) => ({ ...layer, visible: isShown(layer) }));
  const pair = compared.value;
  return pair === null || pair === "now" ? shown : layersOf(shown, pair, "right");
}
