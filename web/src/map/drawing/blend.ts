/**
 * How the colours of a style layer combine with what lies below it: `metadata.blend` of the layer. MapLibre has no such
 * property, so what it asks for before it draws a layer is answered differently for that layer.
 */
import type { Map as MapLibre } from "maplibre-gl";
import type { StyleSpec } from "../../protocol/types";

type Blend = Exclude<NonNullable<StyleSpec["blend"]>, "normal">;

/** Factors of WebGL for the colour that is drawn and the one that is there; colours have their alpha in them already. */
const FACTORS: Record<Blend, (gl: WebGL2RenderingContext) => [number, number]> = {
  multiply: (gl) => [gl.DST_COLOR, gl.ONE_MINUS_SRC_ALPHA],
  screen: (gl) => [gl.ONE, gl.ONE_MINUS_SRC_COLOR],
  add: (gl) => [gl.ONE, gl.ONE],
};

interface ColorMode {
  blendFunction: [number, number];
}

/** What MapLibre knows of the frame that it draws. */
interface Frame {
  readonly context: { readonly gl: WebGL2RenderingContext };
  colorModeForRenderPass(): ColorMode;
  getDepthModeForSublayer(...order: unknown[]): unknown;
  opaquePassEnabledForLayer(): boolean;
}

interface Painter {
  renderLayer(painter: Painter, tiles: unknown, layer: { metadata?: { blend?: Blend } }, places: unknown, frame: Frame): void;
}

export function installBlending(map: MapLibre): void {
  const install = () => {
    const { painter } = map as unknown as { painter: Painter };
    const draw = painter.renderLayer.bind(painter);
    painter.renderLayer = (own, tiles, layer, places, frame) => {
      const blend = layer.metadata?.blend;
      draw(own, tiles, layer, places, blend === undefined ? frame : blended(frame, blend));
    };
  };
  install();
  // After that MapLibre has another painter.
  map.on("webglcontextrestored", install);
}

/** The frame, except for how colours are blended. What is drawn changes the frame, so that it must not be a copy. */
function blended(frame: Frame, blend: Blend): Frame {
  const changed: Partial<Frame> = {
    // What is drawn in the pass of opaque colours is drawn before what lies below it.
    opaquePassEnabledForLayer: () => false,
    getDepthModeForSublayer: (...order) => frame.getDepthModeForSublayer(...order),
    colorModeForRenderPass: () => ({ ...frame.colorModeForRenderPass(), blendFunction: FACTORS[blend](frame.context.gl) }),
  };
  return new Proxy(frame, { get: (it, name) => Reflect.get(name in changed ? changed : it, name) as unknown });
}
