/**
 * Checks in which direction the folders of `src` import each other: the shared ones at the bottom import nothing from
 * above, and no two folders import each other, except the pairs that are listed. A listed pair that is gone has to be
 * removed from the list, so that it does not come back.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "../src");

/** What folders that everything may use may use themselves. */
const BOTTOM = {
  protocol: [],
  browser: [],
  basemap: [],
  i18n: ["browser"],
  theme: ["basemap", "browser"],
  ui: ["browser", "i18n", "protocol"],
};

/** Pairs that still import each other. */
const MUTUAL = [
  "charts layers", "charts share", "chat figures", "comments map", "connection store", "layers map", "layers session",
  "layers table", "layers time", "map session", "map table", "session share", "session time",
];

const files = readdirSync(SOURCE, { recursive: true }).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
const folderOf = (path) => (path.includes(sep) ? path.split(sep)[0] : "app");
const arrows = new Map();
for (const file of files) {
  for (const [, path] of readFileSync(join(SOURCE, file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
    const [from, to] = [folderOf(file), folderOf(relative(SOURCE, normalize(join(SOURCE, dirname(file), path))))];
    if (from !== to && !path.endsWith(".css")) arrows.set(`${from} ${to}`, file);
  }
}

const faults = [];
for (const [arrow, file] of arrows) {
  const [from, to] = arrow.split(" ");
  if (from in BOTTOM && !BOTTOM[from].includes(to)) faults.push(`${file}: ${from} may not import ${to}.`);
  if (to === "app") faults.push(`${file}: ${from} may not import a file of src itself.`);
  const isMutual = from < to && arrows.has(`${to} ${from}`);
  if (isMutual && !MUTUAL.includes(`${from} ${to}`)) faults.push(`${file} and ${arrows.get(`${to} ${from}`)}: ${from} and ${to} import each other.`);
}
for (const pair of MUTUAL) {
  const [one, other] = pair.split(" ");
  if (!arrows.has(`${one} ${other}`) || !arrows.has(`${other} ${one}`)) faults.push(`${one} and ${other} import each other no more: remove them from MUTUAL in scripts/imports.mjs.`);
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
