/** Which commands a text means. Pure. */

/** The commands whose label or section has every word of the text, those that begin with it first; all for an empty text. */
export function matching<Item extends { label: string; section: string }>(items: readonly Item[], text: string): Item[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const first = words[0];
  if (first === undefined) return [...items];
  const label = (item: Item) => item.label.toLowerCase();
  const found = items.filter((item) => words.every((word) => `${label(item)} ${item.section.toLowerCase()}`.includes(word)));
  const rank = (item: Item) => (label(item).startsWith(first) ? 0 : label(item).split(/\s+/).some((word) => word.startsWith(first)) ? 1 : 2);
  return found.sort((a, b) => rank(a) - rank(b));
}
