/** What the swatches of a legend are drawn with, so that they look as the shapes on the map do. Pure. */
import type { DrawLayer, Layer } from "../../protocol/types";

/** What a swatch is drawn with, as the shapes on the map are. */
export interface Ink {
  opacity: number;
  /** Null if features differ in colour. */
  edge: { color: string; opacity: number } | null;
}

const DRAWN_BY: Record<Layer["legend"]["shape"], DrawLayer["type"][]> = {
  circle: ["circle"], line: ["line"], fill: ["fill", "fill-extrusion"], gradient: ["heatmap"],
};

/** From the paint that draws the layer. What is drawn last is what the legend is about: faint shapes below it come first. */
export function inkOf({ style, legend: { shape }, opacity }: Layer): Ink {
  const last = (types: DrawLayer["type"][]) => style.layers.findLast(({ type }) => types.includes(type));
  const part = (paint: DrawLayer["paint"] | undefined, name: string) => opacity * (typeof paint?.[name] === "number" ? paint[name] : 1);
  const body = last(DRAWN_BY[shape]);
  const [around, name] = shape === "fill" ? [last(["line"]), "line"] : [shape === "circle" ? body : undefined, "circle-stroke"];
  const color = around?.paint[`${name}-color`];
  return {
    opacity: part(body?.paint, `${body?.type}-opacity`),
    edge: typeof color === "string" ? { color, opacity: part(around?.paint, `${name}-opacity`) } : null,
  };
}
