/** A pin on the map for each open thread, for the one that is read, and where one is being begun. */
import "../theme/comments.css";
import type { Map as MapLibre } from "maplibre-gl";
import { number, t } from "../i18n/i18n";
import { keepMarkers } from "../map/drawing/markers";
import type { CommentThread } from "../protocol/types";
import { threads } from "../store/store";
import { beginning, nameOf, openThread, pinsHidden, showThread } from "../instance/comments";
import type { Stop } from "../ui/stops";

const DRAFT = "";

export function installComments(map: MapLibre): Stop {
  return keepMarkers(map, "bottom-left", pin, () => {
    const pins = threads.value.filter(isShown).map((thread) => [thread.id, thread.place.position, thread] as const);
    const draft = beginning.value === null ? [] : [[DRAFT, beginning.value.position, undefined] as const];
    return new Map([...pins, ...draft].map(([id, at, thread]) => [id, { at, dress: (element) => dress(element, thread) }]));
  });
}

const isShown = ({ id, resolved }: CommentThread): boolean => id === openThread.value || (!resolved && !pinsHidden.value);

function pin(id: string): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "comment-pin";
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    if (id !== DRAFT) showThread(id);
  });
  return button;
}

/** `thread` is missing where one is being begun. */
function dress(element: HTMLElement, thread: CommentThread | undefined): void {
  const text = thread?.comments[0]?.text ?? t("commentNew");
  element.setAttribute("aria-label", thread === undefined ? text : t("commentPin", { text: [nameOf(thread.place), text].filter(Boolean).join(": ") }));
  element.title = text;
  element.classList.toggle("open", thread === undefined || thread.id === openThread.value);
  element.classList.toggle("resolved", thread?.resolved === true);
  // Drawn by the style sheet: the label says what is there.
  element.dataset["count"] = thread === undefined ? "+" : number(thread.comments.length);
}
