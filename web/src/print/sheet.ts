/** What is where on a printed sheet, in millimetres, and which length its scale bar has. Pure. */

export const PAPERS = { A4: [210, 297], A3: [297, 420], Letter: [215.9, 279.4] } as const;
export type Paper = keyof typeof PAPERS;

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Sheet {
  width: number;
  height: number;
  map: Box;
}

const MARGIN = 10;
const TITLE = 14;
const FOOT = 14;

/** CSS pixels and printed pixels of a millimetre. */
export const CSS_PIXELS = 96 / 25.4;
export const DPI = 300;
export const PIXELS = DPI / 25.4;

/** Below the title, if there is one, and above the line with scale and sources. */
export function sheetOf(paper: Paper, isLandscape: boolean, hasTitle: boolean): Sheet {
  const [short, long] = PAPERS[paper];
  const [width, height] = isLandscape ? [long, short] : [short, long];
  const y = MARGIN + (hasTitle ? TITLE : 0);
  return { width, height, map: { x: MARGIN, y, width: width - 2 * MARGIN, height: height - y - MARGIN - FOOT } };
}

/** The longest of 1, 2 and 5 times a power of ten, in metres, that is not longer than this. */
export function roundLength(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  const factor = [5, 2, 1].find((it) => it * power <= metres) ?? 1;
  return factor * power;
}

/** The zoom at which a map of another size shows all that one of `from` pixels shows at `zoom`. */
export function zoomFor(zoom: number, from: { width: number; height: number }, to: { width: number; height: number }): number {
  return zoom + Math.log2(Math.min(to.width / from.width, to.height / from.height));
}
