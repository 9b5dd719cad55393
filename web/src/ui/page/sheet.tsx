/**
 * Where the conversation lives: a panel beside the map whose width can be dragged, or on a phone a sheet over the
 * map that is low, half or full. Both move by pointer and by keyboard.
 */
import { local } from "../../browser/storage";
import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { direction, t } from "../../i18n/i18n";

type Height = "low" | "half" | "full";

const PHONE = 700;
const WIDTH = { stored: "geoagent.chat-width", least: 320, most: 640, start: 392 };

export const height = signal<Height>("half");
const page = signal({ width: innerWidth, tall: innerHeight });
addEventListener("resize", () => (page.value = { width: innerWidth, tall: innerHeight }));

/** Pixels of the map that the sheet covers on a phone. */
export const covered = computed(() => {
  const { width, tall } = page.value;
  if (width > PHONE) return 0;
  return height.value === "low" ? 172 : height.value === "half" ? tall * 0.52 : tall - 64;
});
const width = signal(Number(local.getItem(WIDTH.stored)) || WIDTH.start);

export function Sheet({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    document.documentElement.style.setProperty("--chat-width", `${width.value}px`);
    local.setItem(WIDTH.stored, String(width.value));
  }, [width.value]);
  return (
    <aside class={`chat sheet-${height.value}`} ref={box} aria-label={t("chatPanel")}>
      <div
        class="resizer" role="separator" aria-orientation="vertical" aria-label={t("resize")} tabIndex={0}
        aria-valuenow={width.value} aria-valuemin={WIDTH.least} aria-valuemax={WIDTH.most}
        onPointerDown={resize} onKeyDown={(event) => nudge(event)}
      />
      <button
        type="button" class="handle" aria-label={height.value === "low" ? t("showChat") : t("hideChat")}
        aria-expanded={height.value !== "low"} onPointerDown={(event) => drag(event, box.current)} onClick={toggle}
      />
      {children}
    </aside>
  );
}

function limited(value: number): number {
  return Math.round(Math.max(WIDTH.least, Math.min(WIDTH.most, innerWidth * 0.6, value)));
}

function nudge(event: KeyboardEvent): void {
  const wider = direction.value === "rtl" ? "ArrowRight" : "ArrowLeft";
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  event.preventDefault();
  width.value = limited(width.value + (event.key === wider ? 16 : -16));
}

function resize(event: PointerEvent): void {
  const handle = event.currentTarget as HTMLElement;
  handle.setPointerCapture(event.pointerId);
  const move = ({ clientX }: PointerEvent) => {
    width.value = limited(direction.value === "rtl" ? clientX : innerWidth - clientX);
  };
  handle.addEventListener("pointermove", move);
  handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), { once: true });
}

let wasDragged = false;

function toggle(): void {
  if (!wasDragged) height.value = height.value === "low" ? "half" : height.value === "half" ? "full" : "low";
  wasDragged = false;
}

/** Follows the finger and settles at the nearest of the three heights. */
function drag(event: PointerEvent, sheet: HTMLElement | null): void {
  if (sheet === null) return;
  const handle = event.currentTarget as HTMLElement;
  const [startY, startHeight] = [event.clientY, sheet.clientHeight];
  handle.setPointerCapture(event.pointerId);
  const move = ({ clientY }: PointerEvent) => {
    if (Math.abs(clientY - startY) > 6) wasDragged = true;
    if (wasDragged) sheet.style.height = `${startHeight + startY - clientY}px`;
  };
  handle.addEventListener("pointermove", move);
  handle.addEventListener("lostpointercapture", () => {
    handle.removeEventListener("pointermove", move);
    if (!wasDragged) return;
    const share = sheet.clientHeight / innerHeight;
    sheet.style.height = "";
    height.value = share < 0.35 ? "low" : share < 0.72 ? "half" : "full";
  }, { once: true });
}
