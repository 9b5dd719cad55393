/** "Still drawing…" at the end of an answer holds for a moment; once the layer is drawn it would be wrong. Pure. */
import type { Part } from "../../protocol/types";

interface Answer {
  text: string;
  wording: Part[];
}

export function withoutDrawingNote({ text, wording }: Answer): Answer {
  const last = wording.at(-1);
  const signs = Array.from(text);
  if (last?.code !== "still_drawing" || last.end !== signs.length) return { text, wording };
  return { text: signs.slice(0, last.start).join("").trimEnd(), wording: wording.slice(0, -1) };
}
