/** The colours of charts: those of the theme as the page has them now, and a set for series told apart by all eyes. */
import type { Colours } from "./plot";

/** Okabe and Ito, and grey for the others. */
export const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8f94"] as const;
export const MARK = "#ffb000";

export function coloursOf(element: HTMLElement): Colours {
  const colour = (name: string) => {
    // A new element each time: one that changed its colour would be on its way to it.
    const probe = document.createElement("i");
    probe.style.color = `var(--${name})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  return {
    text: colour("text-2"), line: colour("line"), accent: colour("accent"), surface: colour("surface"), mark: MARK, series: SERIES,
  };
}
