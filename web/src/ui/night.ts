/**
 * Colour ramps on a dark map. The light end of a ramp would glare there and its dark end vanish, so all its colours are
 * brought into the range between; their order stays. Pure.
 */
import type { Layer } from "../protocol/types";

const DARKEST = 46;
const LIGHTEST = 218;
/** Colour of features without a value, between dark land and the ramp. */
const NO_DATA = "#4b545e";

const RAMPED = new Set(["graduated", "heatmap", "hexbin", "grid"]);

/** Whether the colours come from a ramp, not from choices one by one. */
export function isRamped({ style }: Pick<Layer, "style">): boolean {
  return RAMPED.has(style.kind) && style.color == null && (style.values ?? []).length === 0;
}

/** The colour on a dark map; what is not written as `#rrggbb` stays. */
export function nightColour(colour: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return colour;
  const channel = (at: number) => DARKEST + (parseInt(colour.slice(at, at + 2), 16) / 255) * (LIGHTEST - DARKEST);
  return `#${[1, 3, 5].map((at) => Math.round(channel(at)).toString(16).padStart(2, "0")).join("")}`;
}

/** The colours of an expression on a dark map; `noData` is the colour of what has no value. */
export function nightColours(value: unknown, noData: string | undefined): unknown {
  if (typeof value === "string") return value === noData ? NO_DATA : nightColour(value);
  return Array.isArray(value) ? value.map((part) => nightColours(part, noData)) : value;
}

export const noDataColour = ({ legend }: Layer): string | undefined => legend.entries.find(({ code }) => code === "no_data")?.color;

/** The layer with a legend in the colours that it has on a dark map. */
export function legendAtNight(layer: Layer): Layer {
  if (!isRamped(layer)) return layer;
  const entries = layer.legend.entries.map((entry) => ({ ...entry, color: nightColours(entry.color, noDataColour(layer)) as string }));
  return { ...layer, legend: { ...layer.legend, entries } };
}
