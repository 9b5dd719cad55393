/**
 * The turns of the conversation. Only the visible ones and some around them are in the page, so thousands are as
 * fast as ten. What is read keeps its place when turns before it come or change their height.
 */
import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n/i18n";
import type { Turn } from "../../store/state";
import { question, running } from "../../store/store";
import { useVirtualizer } from "../../ui/virtual";
import { TurnView } from "./turn";

/** Pixels of a turn that was never seen. */
const GUESS = 160;
/** Turns kept in the page before and after the visible ones. */
const AROUND = 5;

export function TurnList({ turns, box, atEnd, unreadFrom }: {
  turns: readonly Turn[];
  box: RefObject<HTMLDivElement | null>;
  /** The reader is at the end, where the panel keeps them. */
  atEnd: boolean;
  /** The first turn that came while its reader was elsewhere. */
  unreadFrom: string | null;
}) {
  const list = useRef<HTMLDivElement>(null);
  const [above, setAbove] = useState(0);
  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => box.current,
    // The same while the turns are, though they are drawn again with every piece of a streamed answer.
    getItemKey: useCallback((index: number) => turns[index]?.id ?? index, [turns]),
    estimateSize: () => GUESS,
    // Show the last question; on a wide page, the panel takes readers at the end there.
    initialOffset: () => (turns.length - 1) * GUESS,
    scrollMargin: above,
    overscan: AROUND,
    // The turns in view stay in place when earlier ones are added. The panel keeps readers at the end there.
    anchorTo: "end",
    scrollEndThreshold: -Infinity,
  });
  useLayoutEffect(() => {
    const now = offset(box.current, list.current);
    if (now === above) return;
    if (above > 0 && !atEnd) box.current?.scrollBy(0, now - above);
    setAbove(now);
  });
  const shown = virtualizer.getVirtualItems();
  const [first, last] = [shown[0], shown.at(-1)];
  const before = (first?.start ?? above) - above;
  const after = virtualizer.getTotalSize() + above - (last?.end ?? above);
  return (
    <div ref={list} role="feed" aria-label={t("chat")} style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
      {shown.map(({ index, key }) => {
        const turn = turns[index];
        return turn !== undefined && (
          <div key={key} data-index={index} ref={virtualizer.measureElement}>
            {turn.id === unreadFrom && <div class="unread" role="separator">{t("newMessages")}</div>}
            <TurnView
              turn={turn} place={index + 1} count={turns.length} isRunning={turn === running.value}
              isLast={turn === turns.at(-1)} isHeld={question.value !== undefined}
            />
          </div>
        );
      })}
    </div>
  );
}

/** Pixels from the top of the scrolled content to the list. */
function offset(scroller: HTMLElement | null, list: HTMLElement | null): number {
  if (scroller === null || list === null) return 0;
  return Math.round(list.getBoundingClientRect().top - scroller.getBoundingClientRect().top - scroller.clientTop + scroller.scrollTop);
}
