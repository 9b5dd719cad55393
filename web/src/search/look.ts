/** Looks at coordinates, and marks them. */
import { number } from "../i18n/i18n";
import { zoomTo } from "../session/camera";
import type { Reading } from "./coordinates";
import { pin } from "./state";

/** Degrees around a coordinate that are looked at. */
const AROUND = 0.04;

export function lookAt(reading: Reading): void {
  const { longitude, latitude } = reading;
  pin.value = { name: asText(reading), longitude, latitude };
  zoomTo([longitude - AROUND, latitude - AROUND, longitude + AROUND, latitude + AROUND]);
}

/** `47.375° N, 8.54° E`, with letters in every language, so that it can be copied anywhere. */
export function asText({ latitude, longitude }: Reading): string {
  const degrees = (value: number) => number(Math.abs(value), { maximumFractionDigits: 6, numberingSystem: "latn" });
  return `${degrees(latitude)}° ${latitude < 0 ? "S" : "N"}, ${degrees(longitude)}° ${longitude < 0 ? "W" : "E"}`;
}
