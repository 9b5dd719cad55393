/** Marks the place that was searched for on the map. */
import { effect } from "@preact/signals";
import { type Map as MapLibre, Marker } from "maplibre-gl";
import { pin } from "./state";
import type { Stop } from "../ui/stops";

const SHAPE = "M12 29S2 18.500 2 11.500a10 10 0 1 1 20 0C22 18.500 12 29 12 29ZM12 15a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7Z";

export function installPin(map: MapLibre): Stop {
  let marker: Marker | null = null;
  return effect(() => {
    marker?.remove();
    marker = pin.value === null ? null : markerOf(pin.value.name).setLngLat([pin.value.longitude, pin.value.latitude]).addTo(map);
  });
}

function markerOf(name: string): Marker {
  const element = document.createElement("div");
  element.className = "pin";
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", name);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 30");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPE);
  svg.append(path);
  const label = document.createElement("span");
  label.dir = "auto";
  label.textContent = name;
  element.append(svg, label);
  return new Marker({ element, anchor: "bottom" });
}
