/** What features and columns are called. Pure. */

const TITLES = ["name", "title", "label", "name_en"];

/** What a feature with these attributes is called, and by which of its attributes. */
export function titleOf(properties: Record<string, unknown>): { name: string; text: string } | null {
  const name = TITLES.find((it) => typeof properties[it] === "string" && properties[it] !== "");
  return name === undefined ? null : { name, text: String(properties[name]) };
}

const UNITS: Readonly<Record<string, string>> = {
  mm: "mm", cm: "cm", m: "m", km: "km", ft: "ft", mi: "mi", ha: "ha", kg: "kg", m2: "m²", km2: "km²", m3: "m³", pct: "%", percent: "%",
};

/** The words of a column's name, and the unit that it ends with. */
function parts(name: string): { words: string; unit: string | undefined } {
  const [, words, ending = ""] = /^(.+)_([^_]+)$/.exec(name) ?? [];
  const unit = UNITS[ending.toLowerCase()];
  return { words: (unit === undefined ? name : (words ?? name)).replaceAll("_", " "), unit };
}

/** A column as a title: `elevation (m)` for `elevation_m`. */
export function columnTitle(name: string): string {
  const { words, unit } = parts(name);
  return unit === undefined ? words : `${words} (${unit})`;
}

/** A column as people say it: without its unit where that leaves no doubt. Of metres and feet, metres are meant. */
export function spokenColumn(name: string, all: readonly string[]): string {
  const { words, unit } = parts(name);
  const isImperial = (it: string | undefined) => it === "ft" || it === "mi";
  const mayBeMeant = (other: string) => parts(other).words === words && (isImperial(unit) || !isImperial(parts(other).unit));
  return all.some((other) => other !== name && mayBeMeant(other)) ? name.replaceAll("_", " ") : words;
}
