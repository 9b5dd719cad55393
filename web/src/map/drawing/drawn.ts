/**
 * From the layers of a map to what MapLibre shall hold: sources and style layers, bottom first. Pure.
 * A style layer's id is `<layer id>:<n>`, its source is the layer's id.
 */
import type { VectorSourceSpecification } from "maplibre-gl";
import type { DrawLayer, Layer } from "../../protocol/types";
import { isRamped, nightColours, noDataColour } from "../../ui/night";
import { IDENTITY } from "../identity";
import type { Drawn, SpecLayer, SpecSource } from "./spec";
import { CASING, MARK, type Overlays, overlays } from "./overlays";

const OPACITY: Record<DrawLayer["type"], string[]> = {
  fill: ["fill-opacity"],
  "fill-extrusion": ["fill-extrusion-opacity"],
  line: ["line-opacity"],
  circle: ["circle-opacity", "circle-stroke-opacity"],
  symbol: ["text-opacity", "icon-opacity"],
  heatmap: ["heatmap-opacity"],
};

/** Labels on a dark map, as bright as its own names. */
const NIGHT_LABEL = { "text-color": "#e3e9ee", "text-halo-color": "#14191f" };
const MAX_TILE_ZOOM = 16;
/** The attribute of tiles that has the value of the time column as a number; as in `server/gis/styles/attributes.py`. */
export const TIME = "@time";

/** The attribute of a representative by which its circle is larger than that of a feature; as in `server/gis/styles/drawing.py`. */
const SIZE = "@size";

/** How the map is looked at, apart from what everybody sees. */
export interface Looking extends Overlays {
  /** The only layer to be shown. */
  isolated: string | null;
  /** Features to be made conspicuous. */
  marked: { layerId: string; ids: (string | number)[] } | null;
  /** Features that a chart points at, perhaps many. */
  hinted?: { layerId: string; ids: (string | number)[] } | null;
  /** The layer that is shown by time, and the column: its tiles carry the values. */
  timed?: { layerId: string; column: string } | null;
  /** The part of that layer's time that is shown, ends included; what has no time is not. */
  time?: { layerId: string; from: number; to: number } | null;
  /** Features that other people point at, each in the colour of the person. */
  others?: { layerId: string; ids: (string | number)[]; colour: string }[];
  /** The layers are of an earlier moment, so no receipts are sent. */
  isPast?: boolean;
  /** The base map is dark. */
  isDark?: boolean;
  /** The language in which labels write numbers. */
  locale?: string;
}

export const PLAIN: Looking = { isolated: null, marked: null };

export function drawn(layers: readonly Layer[], origin: string, looking: Looking = PLAIN): Drawn {
  const drawable = layers.filter((layer) => layer.geometry_type !== "none" && layer.tiles !== "");
  const over = overlays(looking);
  return {
    sources: new Map<string, SpecSource>([
      ...drawable.map((layer) => [layer.id, source(layer, origin, timeColumn(layer, looking))] as const), ...over.sources,
    ]),
    layers: [
      ...drawable.flatMap((layer) => {
        const visible = layer.visible && (looking.isolated === null || looking.isolated === layer.id);
        const moment = looking.time?.layerId === layer.id && timeColumn(layer, looking) !== null ? within(looking.time) : null;
        return layer.style.layers.map((draw, index) => styleLayer(layer, seenAs(layer, draw, looking), index, visible, moment));
      }),
      ...drawable.filter((layer) => layer.id === looking.hinted?.layerId).flatMap((layer) => hints(layer, looking)),
      ...marksOf(looking).flatMap((mark) => drawable.filter((layer) => layer.id === mark.layerId).flatMap((layer) => marks(layer, mark))),
      ...over.layers,
    ],
  };
}

/** As the page shows it: on a dark map, in its language. */
function seenAs(layer: Layer, draw: DrawLayer, { isDark, locale }: Looking): DrawLayer {
  const shown = isDark ? dimmed(layer, draw) : draw;
  if (shown.type !== "symbol") return shown;
  return {
    ...shown,
    paint: isDark ? { ...shown.paint, ...NIGHT_LABEL } : shown.paint,
    layout: locale === undefined ? shown.layout : withLocale(shown.layout, locale) as DrawLayer["layout"],
  };
}

/** Numbers of an expression, which the server leaves without a language. */
function withLocale(part: unknown, locale: string): unknown {
  if (Array.isArray(part)) {
    const [operator, value, options] = part as [unknown, unknown, object];
    return operator === "number-format" ? [operator, value, { ...options, locale }] : part.map((each) => withLocale(each, locale));
  }
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withLocale(value, locale)]));
}

interface Mark {
  layerId: string;
  ids: (string | number)[];
  colour: string;
  name: string;
}

/** Highlights: those of others below, one's own on top. */
function marksOf({ marked, others }: Looking): Mark[] {
  const own = marked === null ? [] : [{ ...marked, colour: MARK, name: "mark" }];
  return [...(others ?? []).map((mark, index) => ({ ...mark, name: `mark-${index}` })), ...own];
}

/** An outline in a separate colour around highlighted features, over all layers. */
function marks(layer: Layer, { ids, colour, name }: Mark): SpecLayer[] {
  const common = { source: layer.id, "source-layer": "features", filter: ["in", ["to-string", IDENTITY], ["literal", ids.map(String)]] };
  const circle = (part: string, stroke: string, width: number, opacity: number) => ({
    id: `${layer.id}:${name}-${part}`, type: "circle", ...common, layout: {},
    paint: { "circle-radius": 8, "circle-color": colour, "circle-opacity": opacity, "circle-stroke-color": stroke, "circle-stroke-width": width },
  });
  const line = (part: string, stroke: string, width: number) => ({
    id: `${layer.id}:${name}-${part}`, type: "line", ...common, layout: { "line-join": "round" },
    paint: { "line-color": stroke, "line-width": width },
  });
  const isPoint = layer.geometry_type === "point";
  const mixed = layer.geometry_type === "mixed";
  const circles = [circle("point-casing", CASING, 4.5, 0), circle("point", colour, 2.5, 0.25)];
  const lines = [line("line-casing", CASING, 6), line("line", colour, 3)];
  const points = circles.map((it) => ({ ...it, filter: ["all", ["==", ["geometry-type"], "Point"], common.filter] }));
  return (isPoint ? circles : mixed ? [...lines, ...points] : lines) as unknown as SpecLayer[];
}

/** The features that a chart points at, filled because there may be thousands. */
function hints(layer: Layer, { hinted }: Looking): SpecLayer[] {
  const isOne = isOneOf(hinted?.ids ?? []);
  const named = (name: string) => ({ id: `${layer.id}:mark-hint-${name}`, type: name, source: layer.id, "source-layer": "features", layout: {} });
  const circle = {
    ...named("circle"), filter: ["all", ["==", ["geometry-type"], "Point"], isOne],
    paint: { "circle-radius": 4.5, "circle-color": MARK, "circle-stroke-color": "#5c3d00", "circle-stroke-width": 0.75 },
  };
  const fill = {
    ...named("fill"), filter: ["all", ["==", ["geometry-type"], "Polygon"], isOne],
    paint: { "fill-color": MARK, "fill-opacity": 0.45 },
  };
  const line = { ...named("line"), filter: isOne, paint: { "line-color": MARK, "line-width": 2.5 } };
  const { geometry_type: type } = layer;
  const shapes = { point: [circle], line: [line], polygon: [fill, line], mixed: [fill, line, circle], none: [] }[type];
  return shapes as unknown as SpecLayer[];
}

/** `match` is fast for many ids. */
function isOneOf(ids: readonly (string | number)[]): unknown {
  return ids.length > 0 && ["match", ["to-string", IDENTITY], [...new Set(ids.map(String))], true, false];
}

function timeColumn(layer: Layer, { timed }: Looking): string | null {
  return timed?.layerId === layer.id ? timed.column : layer.style.time ?? null;
}

function source(layer: Layer, origin: string, time: string | null): VectorSourceSpecification {
  const address = layer.tiles.startsWith("/") ? origin + layer.tiles : layer.tiles;
  const isOwn = time === null || time === layer.style.time;
  const tiles = isOwn ? address : `${address}${address.includes("?") ? "&" : "?"}time=${encodeURIComponent(time)}`;
  return { type: "vector", tiles: [tiles], minzoom: 0, maxzoom: MAX_TILE_ZOOM };
}

/** Numbers as text, because JSON has no infinity. */
function within({ from, to }: { from: number; to: number }): unknown[] {
  const time = ["get", TIME];
  const ends = [...(Number.isFinite(from) ? [[">=", time, from]] : []), ...(Number.isFinite(to) ? [["<=", time, to]] : [])];
  return ["all", ["has", TIME], ...ends];
}

/** As in `server/gis/styles/drawing.py`. */
const OUTLINE = "#ffffff";
const DARK_OUTLINE = "#0b0f14";

/** On a dark map: ramps without glare, and default outlines are dark, because a white one would outshine its area. */
export function dimmed(layer: Layer, whole: DrawLayer): DrawLayer {
  const { style } = layer;
  const draw = isRamped(layer) ? { ...whole, paint: nightPaint(layer, whole) } : whole;
  if (style.stroke_color != null) return draw;
  const name = draw.type === "circle" ? "circle-stroke-color" : "line-color";
  // In a layer of one colour, outlines have that colour.
  const isOutline = draw.type === "circle" || (draw.type === "line" && style.kind !== "single");
  return isOutline && draw.paint[name] === OUTLINE ? { ...draw, paint: { ...draw.paint, [name]: DARK_OUTLINE } } : draw;
}

function nightPaint(layer: Layer, { paint }: DrawLayer): Record<string, unknown> {
  const noData = noDataColour(layer);
  const isOfRamp = (name: string, value: unknown) => name.endsWith("-color") && !name.startsWith("text") && value !== OUTLINE;
  return Object.fromEntries(Object.entries(paint).map(([name, value]) => [name, isOfRamp(name, value) ? nightColours(value, noData) : value]));
}

function styleLayer(layer: Layer, draw: DrawLayer, index: number, visible: boolean, moment: unknown[] | null): SpecLayer {
  const paint: Record<string, unknown> = { ...draw.paint };
  if (layer.opacity !== 1) {
    for (const name of OPACITY[draw.type]) paint[name] = scaled(paint[name] ?? 1, layer.opacity);
  }
  if (draw.type === "circle") paint["circle-radius"] = sizedByWeight(paint["circle-radius"]);
  return {
    id: `${layer.id}:${index}`,
    type: draw.type,
    source: layer.id,
    "source-layer": draw.source_layer ?? "features",
    ...(isBlended(layer, draw) && { metadata: { blend: layer.style.blend } }),
    paint,
    layout: { ...draw.layout, visibility: visible ? "visible" : "none" },
    ...filtered(draw.filter, moment),
    ...(draw.minzoom != null && { minzoom: draw.minzoom }),
    ...(draw.maxzoom != null && { maxzoom: draw.maxzoom }),
  } as SpecLayer;
}

/** Labels are read, so they keep their colours. */
const isBlended = ({ style }: Layer, { type }: DrawLayer): boolean => (style.blend ?? "normal") !== "normal" && type !== "symbol";

function filtered(own: unknown[] | null | undefined, moment: unknown[] | null): { filter?: unknown[] } {
  if (moment === null) return own == null ? {} : { filter: own };
  return { filter: own == null ? moment : ["all", own, moment] };
}

/** Where large tables are thinned, the area of a circle shows how many features it represents, unless it shows a value. */
export function sizedByWeight(radius: unknown): unknown {
  if (radius === undefined || JSON.stringify(radius).includes('"get"')) return radius;
  return scaled(radius, ["case", ["has", SIZE], ["get", SIZE], 1]);
}

/** A number or an expression times a factor; zoom may only be read at the top, so its steps are scaled one by one. */
export function scaled(value: unknown, factor: number | unknown[]): unknown {
  if (typeof value === "number") return typeof factor === "number" ? value * factor : ["*", value, factor];
  if (!Array.isArray(value)) return value;
  const [operator] = value as unknown[];
  const input = operator === "interpolate" ? value[2] : operator === "step" ? value[1] : null;
  if (!Array.isArray(input) || input[0] !== "zoom") return ["*", factor, value];
  const firstOutput = operator === "interpolate" ? 4 : 2;
  return value.map((part, index) =>
    index >= firstOutput && (index - firstOutput) % 2 === 0 ? scaled(part, factor) : part,
  );
}

/** Whether the layer is seen and names its areas, so that the base map need not name countries. */
export const namesAreas = ({ visible, geometry_type, style }: Layer): boolean =>
  visible && (geometry_type === "polygon" || geometry_type === "mixed") && style.label != null;
