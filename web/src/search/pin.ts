/** Marks the place that was searched for on the map. */
import type { Map as MapLibre } from "maplibre-gl";
import { keepMarkers } from "../map/drawing/markers";
import { pin } from "./state";
import type { Stop } from "../ui/stops";

const SHAPE = "M12 29S2 18.500 2 11.500a10 10 0 1 1 20 0C22 18.500 12 29 12 29ZM12 15a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7Z";

export function installPin(map: MapLibre): Stop {
  return keepMarkers(map, "bottom", element, () => {
    const found = pin.value;
    return new Map(found === null ? [] : [["", { at: [found.longitude, found.latitude], dress: (it) => name(it, found.name) }]]);
  });
}

function element(): HTMLElement {
  const element = document.createElement("div");
  element.className = "pin";
  element.setAttribute("role", "img");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 30");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPE);
  svg.append(path);
  const label = document.createElement("span");
  label.dir = "auto";
  element.append(svg, label);
  return element;
}

function name(element: HTMLElement, text: string): void {
  element.setAttribute("aria-label", text);
  const label = element.querySelector("span");
  if (label !== null) label.textContent = text;
}
