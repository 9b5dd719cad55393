/** The conversation: messages and steps, newest at the bottom, and the box for the next message. */
import { computed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n/i18n";
import { tableOf } from "../data/tables";
import { say } from "../session/commands";
import { loadEarlier } from "../session/history";
import { config } from "../instance/state";
import { ViewerNote } from "../share/viewer";
import { isGone, layers, map, mayChange, outbox, question, turns } from "../store/store";
import { Icon } from "../ui/icons";
import { lazy } from "../ui/page/lazy";
import { Composer } from "./composer/composer";
import { plainText } from "./turns/markdown";
import { readable } from "./turns/step";
import { asRequest, nextSteps, spoken } from "./suggestions/suggest";
import { PendingView } from "./turns/turn";

const TurnList = lazy(() => import("./turns/list").then((module) => module.TurnList));

const NEAR = 48;
/** Pixels above the question that a phone scrolls to. */
const GAP = 8;
/** Milliseconds after touching the list in which a scroll counts as made by the user. */
const HAND = 500;

const size = computed(() => {
  const last = turns.value.at(-1);
  return `${turns.value.length} ${last?.entries.length} ${last?.end} ${outbox.value.length}`;
});

const isPhone = () => innerWidth <= 700;

/** Where the last question is at the top, or the end, whichever comes first; never further up than now. Without any: the top. */
function startOfLast(box: HTMLElement): number {
  const last = [...box.querySelectorAll("article.turn")].at(-1);
  const end = box.scrollHeight - box.clientHeight;
  if (last === undefined) return outbox.peek().length > 0 ? end : 0;
  const question = box.scrollTop + last.getBoundingClientRect().top - box.getBoundingClientRect().top - GAP;
  return Math.max(Math.min(end, question), Math.min(box.scrollTop, end));
}

export function Conversation() {
  const list = useRef<HTMLDivElement>(null);
  const top = useRef(0);
  const tall = useRef(0);
  const hand = useRef(-HAND);
  const touched = () => void (hand.current = performance.now());
  const atEnd = useSignal(true);
  /** The first turn that came while the reader was further up. */
  const unread = useSignal<string | null>(null);
  const seen = useRef(0);
  const scroll = () => {
    const box = list.current;
    if (box === null) return;
    // A reader leaves the end only by scrolling up: content that has grown below (a chart) does not count.
    // Nor does a scroll by the browser, which adjusts the position when content above turns out to be shorter.
    const byHand = performance.now() - hand.current < HAND || box.scrollHeight === tall.current;
    const isUp = box.scrollTop < top.current && byHand;
    top.current = box.scrollTop;
    tall.current = box.scrollHeight;
    if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR) atEnd.value = true;
    else if (isUp) atEnd.value = false;
    if (atEnd.value) unread.value = null;
  };
  const jump = () => {
    const box = list.current;
    if (box !== null) box.scrollTo({ top: isPhone() ? startOfLast(box) : box.scrollHeight, behavior: "instant" });
  };
  useLayoutEffect(() => {
    const all = turns.peek();
    if (!atEnd.peek() && unread.peek() === null && all.length > 0) unread.value = (all[seen.current] ?? all.at(-1))?.id ?? null;
    if (atEnd.peek()) seen.current = all.length;
  }, [size.value]);
  useLayoutEffect(() => {
    // A reader at the end of the list stays there when it grows.
    const observer = new ResizeObserver(() => atEnd.peek() && jump());
    for (const element of [list.current, list.current?.firstElementChild]) if (element) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (outbox.value.length > 0) jump();
  }, [outbox.value.length]);
  const all = turns.value;
  return (
    <div class="conversation">
      <div class="messages" ref={list} onScroll={scroll} onWheel={touched} onTouchMove={touched}
        onKeyDown={touched} onPointerDown={touched} tabIndex={0} role="region" aria-label={t("chat")}>
        <div class="messages-inner">
          {map.value !== null && all.length === 0 && outbox.value.length === 0 && <Welcome />}
          {map.value === null && !isGone.value && <Loading />}
          {map.value?.complete === false && (
            <button
              type="button" class="earlier"
              onClick={() => void loadEarlier().then(() => (seen.current = turns.peek().length))}
            >
              {t("showEarlier")}
            </button>
          )}
          {all.length > 0 && <TurnList turns={all} box={list} atEnd={atEnd.value} unreadFrom={unread.value} />}
          {mayChange.value && outbox.value.length === 0 && all.at(-1)?.end === "done" && <NextSteps />}
          {outbox.value.map((message) => <PendingView key={message.clientId} message={message} />)}
        </div>
      </div>
      {!atEnd.value && (
        <button type="button" class="jump" onClick={() => { atEnd.value = true; jump(); }}>
          <Icon name="down" />{unread.value !== null ? t("newMessages") : t("jumpToLatest")}
        </button>
      )}
      <Announcer />
      {!isGone.value && (mayChange.value ? <Composer /> : <ViewerNote />)}
    </div>
  );
}

function Welcome() {
  if (!mayChange.value) return null;
  return (
    <div class="welcome">
      <h2>{t("welcomeTitle")}</h2>
      <p>{t("welcomeText")}</p>
      <ul class="suggestions" aria-label={t("suggestions")}>
        {config.value.requests.map(asRequest).map((it) => (
          <li key={it.message}>
            <button type="button" class="suggestion" dir="auto" onClick={() => say(spoken(it, config.value.model))}>
              <span>{it.label}</span><Icon name="chevronRight" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function NextSteps() {
  return (
    <ul class="next-steps" aria-label={t("nextSteps")}>
      {nextSteps(layers.value, tableOf, config.value.requests.map(asRequest)).map((it) => (
        <li key={it.message}><button type="button" class="chip" dir="auto" onClick={() => say(spoken(it, config.value.model))}>{it.label}</button></li>
      ))}
    </ul>
  );
}

function Loading() {
  return (
    <div class="skeleton" aria-hidden="true">
      <i class="w50" /><i class="w90" /><i class="w70" />
    </div>
  );
}

/** Reads finished answers and questions to those who listen; the streaming text itself would be noise. */
function Announcer() {
  const last = turns.value.findLast((turn) => turn.end !== null);
  const entry = last?.entries.findLast((it) => it.kind === "answer");
  const fresh = useRef(last?.id);
  const text = last !== undefined && last.id !== fresh.current && entry?.kind === "answer" ? plainText(entry.text, entry.wording) : "";
  const asked = question.value === undefined ? "" : t("mayI", { name: readable(question.value.name) });
  return <div class="hidden" role="status" aria-live="polite">{asked || text}</div>;
}
