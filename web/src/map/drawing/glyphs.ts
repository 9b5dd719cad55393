/**
 * MapLibre draws the signs of labels one by one. On a page that is read from right to left a canvas mirrors brackets, which
 * belongs to whole lines only.
 */
import type { Map as MapLibre } from "maplibre-gl";

interface GlyphManager {
  createRasterizer(...options: unknown[]): { ctx: { direction: CanvasDirection } };
}

export function installGlyphs(map: MapLibre): void {
  map.on("style.load", () => {
    const { glyphManager } = map.style as unknown as { glyphManager: GlyphManager };
    const create = glyphManager.createRasterizer;
    glyphManager.createRasterizer = (...options) => {
      const made = create(...options);
      made.ctx.direction = "ltr";
      return made;
    };
  });
}
