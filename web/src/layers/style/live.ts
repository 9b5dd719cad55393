/**
 * A layer as it would look with another part of its style, computed on this page while a control is dragged. Pure; the
 * server computes the real style when the control is released, with the same proportions (server/gis/styles/drawing.py).
 */
import type { DrawLayer, Layer } from "../../protocol/types";

export interface Look {
  /** New colours, by the present ones. */
  colours?: ReadonlyMap<string, string>;
  /** Circle radius, line width, or greatest radius, in pixels. */
  size?: number;
  /** Width of outlines in pixels. */
  stroke?: number;
  strokeColour?: string;
  /** Where classes part. */
  breaks?: readonly number[];
  labelSize?: number;
  opacity?: number;
}

const OUTLINE_SHARE = 0.2;
const MAX_OUTLINE = 1.5;

export function withLook(layer: Layer, look: Look): Layer {
  const layers = (layer.style.layers ?? []).map((draw, index) => ({ ...draw, paint: paint(layer, draw, index, look), layout: layout(draw, look) }));
  return { ...layer, ...(look.opacity !== undefined && { opacity: look.opacity }), style: { ...layer.style, layers } };
}

function paint(layer: Layer, draw: DrawLayer, index: number, look: Look): Record<string, unknown> {
  const now: Record<string, unknown> = { ...draw.paint };
  for (const [name, value] of Object.entries(now)) {
    if (!name.endsWith("-color")) continue;
    const limited = look.breaks === undefined ? value : withBreaks(value, look.breaks);
    now[name] = look.colours === undefined ? limited : recoloured(limited, look.colours);
  }
  if (look.size !== undefined) Object.assign(now, sized(layer, draw, index, look.size));
  const isEdge = draw.type === "line" && (layer.geometry_type === "polygon" || (layer.geometry_type === "mixed" && index === 1));
  const outline = draw.type === "circle" ? "circle-stroke" : isEdge ? "line" : null;
  if (outline !== null && look.stroke !== undefined) now[`${outline}-width`] = look.stroke;
  if (outline !== null && look.strokeColour !== undefined) now[`${outline}-color`] = look.strokeColour;
  return now;
}

function layout(draw: DrawLayer, { labelSize }: Look): Record<string, unknown> {
  return draw.type === "symbol" && labelSize !== undefined ? { ...draw.layout, "text-size": labelSize } : { ...draw.layout };
}

function sized(layer: Layer, draw: DrawLayer, index: number, size: number): Record<string, unknown> {
  if (draw.type === "heatmap") {
    return { "heatmap-radius": ["interpolate", ["linear"], ["zoom"], 0, size / 2, 9, size, 15, size * 2] };
  }
  if (draw.type === "circle" && layer.style.kind === "proportional") {
    const radius = greatest(draw.paint?.["circle-radius"], size);
    return { "circle-radius": radius, ...(layer.style.stroke == null && { "circle-stroke-width": ["min", 0.75, ["*", OUTLINE_SHARE / 2, radius]] }) };
  }
  if (draw.type === "circle") {
    const width = Math.min(MAX_OUTLINE, size * OUTLINE_SHARE);
    const stroke = ["interpolate", ["linear"], ["zoom"], 2, 0, 6, width / 2, 12, width];
    return { "circle-radius": size, ...(layer.style.stroke == null && { "circle-stroke-width": stroke }) };
  }
  const isLine = draw.type === "line" && (layer.geometry_type === "line" || (layer.geometry_type === "mixed" && index === 2));
  return isLine && layer.style.kind !== "proportional" ? { "line-width": size } : {};
}

/** `["max", least, ["*", greatest, share]]` with another greatest radius. */
function greatest(radius: unknown, size: number): unknown {
  if (!Array.isArray(radius) || !Array.isArray(radius[2])) return size;
  return ["max", Math.min(1, size), ["*", size, (radius[2] as unknown[])[2]]];
}

function recoloured(value: unknown, colours: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return colours.get(value) ?? value;
  return Array.isArray(value) ? value.map((part) => recoloured(part, colours)) : value;
}

/** The `step` of classes in the expression, with other limits. */
function withBreaks(value: unknown, breaks: readonly number[]): unknown {
  if (!Array.isArray(value)) return value;
  const [operator, subject, first, ...stops] = value as unknown[];
  const isOfColumn = operator === "step" && Array.isArray(subject) && subject[0] === "get";
  if (!isOfColumn) return value.map((part) => withBreaks(part, breaks));
  const colours = [first, ...stops.filter((_, at) => at % 2 === 1)];
  return ["step", subject, first, ...breaks.flatMap((limit, at) => [limit, colours[Math.min(at + 1, colours.length - 1)]])];
}

/** `count` colours evenly along a ramp, its ends included; of one, the upper middle: as the server cuts ramps. */
export function along(ramp: readonly string[], count: number): string[] {
  const [fallback = "#808080"] = ramp;
  if (count <= 1) return [ramp[Math.floor((ramp.length * 2) / 3)] ?? fallback];
  return Array.from({ length: count }, (_, at) => {
    const position = (at / (count - 1)) * (ramp.length - 1);
    const below = Math.min(Math.floor(position), Math.max(0, ramp.length - 2));
    return mixed(ramp[below] ?? fallback, ramp[below + 1] ?? ramp[below] ?? fallback, position - below);
  });
}

function mixed(first: string, second: string, share: number): string {
  const channel = (colour: string, at: number) => parseInt(colour.slice(1 + at * 2, 3 + at * 2), 16);
  return `#${[0, 1, 2].map((at) => Math.round(channel(first, at) + (channel(second, at) - channel(first, at)) * share).toString(16).padStart(2, "0")).join("")}`;
}
