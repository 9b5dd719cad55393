/**
 * The turns of the conversation, of which only those in sight and some around them are in the page: thousands are as
 * fast as ten. What is read keeps its place when turns before it come or change their height.
 */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { t } from "../../i18n/i18n";
import type { Turn } from "../../store/state";
import { question, running } from "../../store/store";
import { TurnView } from "./turn";
import { type Anchor, anchorAt, starts, windowOf } from "./window";

/** Pixels beyond what is in sight. */
const AROUND = 800;

export function TurnList({ turns, box, atEnd, unreadFrom }: {
  turns: readonly Turn[];
  box: RefObject<HTMLDivElement | null>;
  /** The reader is at the end and stays there, whatever comes. */
  atEnd: boolean;
  /** The first turn that came while its reader was elsewhere. */
  unreadFrom: string | null;
}) {
  const [, again] = useReducer((count: number) => count + 1, 0);
  const list = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const anchor = useRef<Anchor | null>(null);
  const observer = useRef<ResizeObserver | null>(null);
  // Drawn again with every piece of a streamed answer, while the turns stay the same.
  const keys = useMemo(() => turns.map((turn) => turn.id), [turns]);
  const places = starts(keys, heights.current);
  const high = box.current?.clientHeight ?? innerHeight;
  const total = places.at(-1) ?? 0;
  const kept = keys.indexOf(anchor.current?.key ?? "");
  const top = atEnd || kept < 0 ? total - high : (places[kept] ?? 0) + (anchor.current?.below ?? 0);
  const { first, end, before, after } = windowOf(places, top, top + high, AROUND);
  const known = useRef({ keys, places });
  known.current = { keys, places };

  observer.current ??= new ResizeObserver((changes) => {
    let changed = false;
    for (const { target, borderBoxSize } of changes) {
      const key = (target as HTMLElement).dataset["turn"] ?? "";
      const height = borderBoxSize[0]?.blockSize ?? 0;
      if (height > 0 && heights.current.get(key) !== height) changed = Boolean(heights.current.set(key, height));
    }
    if (changed) again(0);
  });
  useEffect(() => () => observer.current?.disconnect(), []);
  useEffect(() => {
    const scroller = box.current;
    const scrolled = () => {
      const now = known.current;
      anchor.current = anchorAt(now.keys, now.places, offset(scroller, list.current));
      again(0);
    };
    // Before anybody else hears of it: an old anchor would pull back who has just left the end.
    scroller?.addEventListener("scroll", scrolled, { passive: true, capture: true });
    return () => scroller?.removeEventListener("scroll", scrolled, { capture: true });
  }, []);
  useLayoutEffect(() => {
    const scroller = box.current;
    if (atEnd || scroller === null || kept < 0) return;
    const off = top - offset(scroller, list.current);
    if (Math.abs(off) >= 1) scroller.scrollTop += off;
  }, [top, atEnd]);
  return (
    <div
      ref={list} role="feed" aria-label={t("chat")}
      style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}
    >
      {turns.slice(first, end).map((turn, index) => (
        <div key={turn.id} data-turn={turn.id} ref={(slot) => void (slot !== null && observer.current?.observe(slot))}>
          {turn.id === unreadFrom && <div class="unread" role="separator">{t("newMessages")}</div>}
          <TurnView
            turn={turn} place={first + index + 1} count={turns.length} isRunning={turn === running.value}
            isLast={turn === turns.at(-1)} isHeld={question.value !== undefined}
          />
        </div>
      ))}
    </div>
  );
}

/** How far the upper edge of what is in sight lies below the beginning of the list. */
function offset(scroller: HTMLElement | null, list: HTMLElement | null): number {
  if (scroller === null || list === null) return 0;
  return scroller.getBoundingClientRect().top + scroller.clientTop - list.getBoundingClientRect().top;
}
