/** The colours of charts: those of the page, in which a chart turns dark with it, and those of pictures on white. */
export interface Colours {
  text: string;
  line: string;
  accent: string;
}

export const OF_PAGE: Colours = { text: "var(--text-2)", line: "var(--line)", accent: "var(--accent)" };
export const ON_WHITE: Colours = { text: "#3c474e", line: "#dfe3e4", accent: "#0f6e63" };

/** Colour-blind safe colours of series, by Okabe and Ito; grey for the other values. */
const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8f94"] as const;
export const MARK = "#ffb000";

export const seriesColour = (series: number): string => SERIES[Math.min(series, SERIES.length - 1)] ?? SERIES[0];
