/** A pin on the map for each open thread, for the one that is read, and where one is being begun. */
import "../theme/comments.css";
import { effect } from "@preact/signals";
import { type Map as MapLibre, Marker } from "maplibre-gl";
import { number, t } from "../i18n/i18n";
import type { CommentThread } from "../protocol/types";
import { threads } from "../store/store";
import { beginning, nameOf, openThread, pinsHidden, showThread } from "../instance/comments";
import type { Stop } from "../ui/stops";

const DRAFT = "";

export function installComments(map: MapLibre): Stop {
  const markers = new Map<string, Marker>();
  return effect(() => {
    const shown = new Map(threads.value.filter(isShown).map((thread) => [thread.id, thread]));
    const places = new Map([...shown.values()].map(({ id, place }) => [id, place.position]));
    if (beginning.value !== null) places.set(DRAFT, beginning.value.position);
    for (const [id, marker] of markers) {
      if (places.has(id)) continue;
      marker.remove();
      markers.delete(id);
    }
    for (const [id, position] of places) {
      const marker = markers.get(id) ?? new Marker({ element: pin(id), anchor: "bottom-left" }).setLngLat(position).addTo(map);
      markers.set(id, marker.setLngLat(position));
      dress(marker.getElement(), shown.get(id));
    }
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
