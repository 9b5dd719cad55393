/** What a feature is called. Pure. */

const TITLES = ["name", "title", "label", "name_en"];

/** What a feature with these attributes is called, and by which of its attributes. */
export function titleOf(properties: Record<string, unknown>): { name: string; text: string } | null {
  const name = TITLES.find((it) => typeof properties[it] === "string" && properties[it] !== "");
  return name === undefined ? null : { name, text: String(properties[name]) };
}
