/** Pointers of others on the map, my own for them, and a camera that follows somebody. */
import { effect } from "@preact/signals";
import type { Map as MapLibre } from "maplibre-gl";
import { marked } from "../instance/selection";
import { keepMarkers } from "../map/drawing/markers";
import { pointer as own } from "../map/interaction/session";
import type { MapView } from "../map/view";
import type { Bounds } from "../geometry/types";
import type { Gesture, Someone } from "../protocol/types";
import { mayChange, status } from "../store/store";
import { colourOf, editors, following, gestures, nameOf } from "./people";
import { type Stop, together } from "../ui/stops";

/** Milliseconds between two words about my pointer, or my camera, while they move. */
const PAUSE = 120;
const MOST_SELECTED = 200;
const LONGEST_ID = 40;

interface Wire {
  gesture: (gesture: Omit<Gesture, "map_id">) => void;
  seen: (bounds: Bounds, zoom: number) => void;
}

export function installPeople(view: MapView, wire: Wire): Stop {
  tellCamera(view, wire);
  return together(tellPointer(wire), tellSelection(wire), showPointers(view.map), follow(view));
}

/** Nothing is sent while nobody else is there. */
const isSeen = (): boolean => editors.peek().length > 0 && mayChange.peek() && status.peek() === "online";

function tellPointer(wire: Wire): Stop {
  const tell = paced((pointer: [number, number] | null) => isSeen() && wire.gesture({ pointer }));
  return effect(() => tell(own.value && [rounded(own.value.position[0]), rounded(own.value.position[1])]));
}

/** The server repeats it to those who come later, so once is enough. */
function tellSelection(wire: Wire): Stop {
  let isSent = false;
  return effect(() => {
    const mark = marked.value;
    if (!mayChange.value || status.value !== "online" || (mark === null && !isSent)) return;
    isSent = mark !== null;
    const ids = mark?.ids.filter((id) => typeof id === "number" || id.length <= LONGEST_ID).slice(0, MOST_SELECTED);
    wire.gesture({ selection: mark === null ? null : { layer_id: mark.layerId, feature_ids: ids ?? [] } });
  });
}

function tellCamera(view: MapView, wire: Wire): void {
  const tell = paced(() => isSeen() && following.peek() === null && wire.seen(view.bounds(), view.map.getZoom()));
  view.map.on("move", () => tell());
}

function showPointers(map: MapLibre): Stop {
  return keepMarkers(map, "top-left", pointer, () => new Map(editors.value.flatMap((person) => {
    const at = gestures.value.get(person.id)?.pointer;
    return at == null ? [] : [[person.id, { at, dress: (element) => dress(element, person) }]];
  })));
}

/** An arrow and a name. Those who do not see the map find everybody in the list of people. */
function pointer(): HTMLElement {
  const element = document.createElement("div");
  element.className = "pointer";
  element.setAttribute("aria-hidden", "true");
  const arrow = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  arrow.setAttribute("viewBox", "0 0 16 16");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", "M1 1 14 6.500 8 8.200 5.500 14z");
  arrow.append(path);
  const label = document.createElement("span");
  label.dir = "auto";
  element.append(arrow, label);
  return element;
}

function dress(element: HTMLElement, person: Someone): void {
  element.style.setProperty("--person", colourOf(person));
  element.dataset["person"] = person.id;
  const label = element.querySelector("span");
  if (label !== null && label.textContent !== nameOf(person)) label.textContent = nameOf(person);
}

/** My camera goes where theirs goes, until I move it myself. */
function follow(view: MapView): Stop {
  let seen = "";
  const stopFollowing = effect(() => {
    const id = following.value;
    const bounds = id === null ? null : gestures.value.get(id)?.bounds;
    const key = `${id} ${bounds?.join()}`;
    if (bounds == null || key === seen) return;
    seen = key;
    view.accompany(bounds);
  });
  const stop = () => void (following.value = null);
  view.map.on("dragstart", stop);
  view.map.on("movestart", (event) => (event as { originalEvent?: Event }).originalEvent !== undefined && stop());
  // A turn of the wheel is the user's own move before the map has thought about it.
  view.map.getCanvasContainer().addEventListener("wheel", stop, { passive: true });
  return stopFollowing;
}

const rounded = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;

/** Calls at most once in `PAUSE`, the last time with the last word. */
function paced<Arguments extends unknown[]>(act: (...given: Arguments) => void): (...given: Arguments) => void {
  let waiting: Arguments | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    timer = undefined;
    if (waiting === null) return;
    act(...waiting);
    waiting = null;
    timer = setTimeout(run, PAUSE);
  };
  return (...given) => {
    waiting = given;
    if (timer === undefined) run();
  };
}
