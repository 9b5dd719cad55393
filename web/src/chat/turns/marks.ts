/**
 * Figures in the text of an answer: signs around them that Markdown leaves alone, and the buttons that the signs
 * become once the HTML is safe. The text stays as it was for everything else (copying, reading aloud).
 */
import type { Figure } from "../../protocol/types";

/** Of the private use area, which no text has any business with; those of the text itself are replaced. */
const [OPEN, MIDDLE, CLOSE] = ["\uE000", "\uE001", "\uE002"] as const;
const MARK = /\uE000(\d+)\uE001([^\uE000-\uE002]*)\uE002/g;
const FOREIGN = /[\uE000-\uE002]/g;

/**
 * The characters of the text, those of figures with marks. Places count characters as the server does: code points.
 * Figures that are not there are left out.
 */
export function marked(text: string, figures: readonly Figure[]): string[] {
  const signs = Array.from(text.replace(FOREIGN, "\uFFFD"));
  const made = [...signs];
  let at = 0;
  figures.forEach(({ start, end, text: own }, index) => {
    if (start < at || end <= start || signs.slice(start, end).join("") !== own) return;
    made[start] = `${OPEN}${index}${MIDDLE}${made[start]}`;
    made[end - 1] += CLOSE;
    at = end;
  });
  return made;
}

/** The HTML with a button for each mark. `words` say what a button does, in safe text. */
export function withButtons(html: string, figures: readonly Figure[], words: (figure: Figure) => ButtonWords): string {
  return html.replace(MARK, (_, index: string, text: string) => {
    const figure = figures[Number(index)];
    if (figure === undefined) return text;
    const { title, spoken } = words(figure);
    const kind = figure.source == null ? "figure unfounded" : figure.how === "likely" ? "figure likely" : "figure";
    const aloud = spoken === "" ? "" : `<span class="hidden"> (${escaped(spoken)})</span>`;
    // Not <button>: browsers draw those as a block in the line, which breaks lines after "(" and cannot be selected.
    return `<span role="button" tabindex="0" class="${kind}" data-figure="${index}" title="${escaped(title)}">${text}${aloud}</span>`;
  });
}

export interface ButtonWords {
  title: string;
  /** Read after the number by screen readers. */
  spoken: string;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
