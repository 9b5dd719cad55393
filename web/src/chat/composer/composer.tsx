/**
 * The box one types into: Enter sends, Shift+Enter breaks the line, the up arrow brings earlier messages back, `/` and
 * `@` complete.
 */
import { effect, signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { direction, t } from "../../i18n/i18n";
import { tableOf, tables } from "../../data/tables";
import { dropFocus, focus, marked } from "../../instance/selection";
import { zoomToFeatures } from "../../session/camera";
import { say, stop } from "../../session/commands";
import { config } from "../../instance/state";
import { layers, map, running, turns } from "../../store/store";
import { session } from "../../browser/storage";
import { Icon } from "../../ui/icons";
import { type Completion, completions, wordAt } from "./complete";

const draft = signal("");
const focusWanted = signal(0);
const caret = signal(0);
const dismissed = signal<string | null>(null);
/** The map whose draft was brought back. */
let keptFor = "";
/** A page that is wide, with a pointer, begins in the box; on a phone the keyboard would hide the map. */
const begins = () => matchMedia("(hover: hover) and (min-width: 701px)").matches && document.activeElement === document.body;
let hasBegun = false;

/** What is being written survives a reload of the page. */
effect(() => {
  const mapId = map.value?.mapId;
  if (mapId === undefined) return;
  const key = `geoagent.draft.${mapId}`;
  if (keptFor !== mapId) {
    keptFor = mapId;
    if (draft.peek() === "") draft.value = session.getItem(key) ?? "";
  }
  session.setItem(key, draft.value);
});

/** Puts a text into the box, to be changed and sent. */
export function edit(text: string): void {
  draft.value = text;
  focusWanted.value += 1;
}

export function Composer() {
  const box = useRef<HTMLTextAreaElement>(null);
  const back = useSignal(0);
  const chosen = useSignal(0);
  const offers = offered();
  const turn = running.value;
  // Before the browser handles the next key, which is meant for the box.
  useLayoutEffect(() => {
    if (focusWanted.value > 0) box.current?.focus();
  }, [focusWanted.value]);
  useLayoutEffect(() => {
    if (!hasBegun && begins()) box.current?.focus({ preventScroll: true });
    hasBegun = true;
  }, []);
  useEffect(() => fit(box.current), [draft.value]);
  const send = () => {
    say(draft.value);
    draft.value = "";
    back.value = 0;
  };
  const take = (offer: Completion) => {
    const at = wordAt(draft.value, caret.value);
    if (at === null) return;
    const head = draft.value.slice(0, at.start) + offer.text;
    draft.value = `${head}${draft.value.slice(caret.value)}${offer.kind === "command" ? "" : " "}`;
    dismissed.value = offer.text;
    chosen.value = 0;
    box.current?.focus();
  };
  const typed = (event: KeyboardEvent) => {
    const handled = offers.length > 0
      ? completing(event.key, offers, chosen, take) || (event.key === "Enter" && submit(event, send))
      : recalling(event, back, box.current) || submit(event, send);
    if (handled) event.preventDefault();
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); send(); }}>
      {offers.length > 0 && <Offers offers={offers} chosen={chosen.value} take={take} />}
      <FocusChip />
      <div class="composer-row">
        <div
          class="composer-box" role="combobox" aria-label={t("placeholder")} aria-haspopup="listbox" aria-expanded={offers.length > 0}
          {...(offers.length > 0 && { "aria-owns": "offers", "aria-controls": "offers" })}
        >
          <textarea
            ref={box} id="message" rows={1} dir={draft.value === "" ? direction.value : "auto"} aria-label={t("placeholder")}
            placeholder={t("placeholder")} value={draft.value} maxLength={8000} enterkeyhint="send"
            aria-autocomplete="list"
            {...(offers.length > 0 && { "aria-controls": "offers", "aria-activedescendant": `offer-${chosen.value}` })}
            onInput={(event) => {
              draft.value = event.currentTarget.value;
              caret.value = event.currentTarget.selectionStart;
              dismissed.value = null;
              chosen.value = 0;
              back.value = 0;
            }}
            onKeyDown={typed} onBlur={() => setTimeout(() => leave(box.current), 150)}
          />
        </div>
        {turn !== undefined && (
          <button type="button" class="send" aria-label={t("stop")} title={t("stop")} onClick={() => stop(turn.id)}>
            <Icon name="stop" />
          </button>
        )}
        <button type="submit" class="send" aria-label={t("send")} title={t("send")} disabled={draft.value.trim() === ""}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

/** Completions go with the focus, unless it has come back in the meantime. */
function leave(box: HTMLTextAreaElement | null): void {
  if (document.activeElement !== box) dismissed.value = draft.value;
}

function offered(): Completion[] {
  const at = dismissed.value === null ? wordAt(draft.value, caret.value) : null;
  if (at === null) return [];
  const shown = layers.value.map((layer) => tableOf(layer.table));
  return completions(at.word, {
    layers: layers.value.map((layer) => layer.name),
    tables: at.word.startsWith("@") ? tables().map((table) => table.id) : [],
    columns: shown.flatMap((table) => table?.columns.map((column) => column.name) ?? []),
    sql: config.value.sql,
  });
}

function completing(
  key: string,
  offers: Completion[],
  chosen: { value: number },
  take: (offer: Completion) => void,
): boolean {
  const count = offers.length;
  const offer = offers[chosen.value];
  if (key === "ArrowDown") chosen.value = (chosen.value + 1) % count;
  else if (key === "ArrowUp") chosen.value = (chosen.value + count - 1) % count;
  else if ((key === "Tab" || key === "Enter") && offer !== undefined) take(offer);
  else if (key === "Escape") dismissed.value = draft.value;
  else return false;
  return true;
}

function submit({ key, shiftKey, isComposing }: KeyboardEvent, send: () => void): boolean {
  if (key !== "Enter" || shiftKey || isComposing) return false;
  send();
  return true;
}

/** The up arrow in an empty box brings the last message back, once more the one before it. */
function recalling({ key }: KeyboardEvent, back: { value: number }, box: HTMLTextAreaElement | null): boolean {
  const goes = key === "ArrowUp" ? draft.value === "" || (back.value > 0 && box?.selectionStart === 0) || back.value > 0 : back.value > 0;
  if ((key !== "ArrowUp" && key !== "ArrowDown") || !goes) return false;
  const earlier = turns.value.map((turn) => turn.text).reverse();
  back.value = Math.max(0, Math.min(earlier.length, back.value + (key === "ArrowUp" ? 1 : -1)));
  draft.value = earlier[back.value - 1] ?? "";
  return true;
}

function Offers({ offers, chosen, take }: { offers: Completion[]; chosen: number; take: (offer: Completion) => void }) {
  const words = { command: "", layer: t("kindLayer"), table: t("kindTable"), column: t("kindColumn") };
  return (
    <ul class="offers card" id="offers" role="listbox" aria-label={t("completions")}>
      {offers.map((offer, index) => (
        <li
          key={offer.label} id={`offer-${index}`} role="option" aria-selected={index === chosen}
          onPointerDown={(event) => { event.preventDefault(); take(offer); }}
        >
          <bdi>{offer.label}</bdi><span class="quiet">{offer.help === undefined ? words[offer.kind] : t(offer.help)}</span>
        </li>
      ))}
    </ul>
  );
}

/** What "here", "these" and "this area" mean in the next message; the user may leave it out. */
function FocusChip() {
  if (focus.value === null) return null;
  const { layer_id, feature_ids, area } = focus.value;
  const layer = layers.value.find((it) => it.id === layer_id)?.name ?? layer_id;
  const text = layer ? t("focusSelection", { n: feature_ids?.length ?? 0, layer }) : area ? t("focusArea") : t("thisView");
  return (
    <div class={layer || area ? "chip focus-chip strong" : "chip focus-chip"} title={t("focusMeans", { text })}>
      <Icon name={layer ? "select" : area ? "polygon" : "focus"} />
      <span>{text}</span>
      {marked.value !== null && (
        <button type="button" aria-label={t("zoomToSelection")} title={t("zoomToSelection")} onClick={() => marked.value && void zoomToFeatures(marked.value)}>
          <Icon name="target" />
        </button>
      )}
      <button type="button" aria-label={t("removeFocus", { text })} title={t("removeFocus", { text })} onClick={dropFocus}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** The box grows with its text, up to a third of the page. */
function fit(box: HTMLTextAreaElement | null): void {
  if (box === null) return;
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight, innerHeight / 3)}px`;
}
