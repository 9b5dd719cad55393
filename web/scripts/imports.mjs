/**
 * Checks in which direction the files of `src` import each other: the shared folders at the bottom import nothing from
 * above, and neither folders nor files go round in a circle, types included.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "../src");

/** What folders that everything may use may use themselves. */
const BOTTOM = {
  protocol: [],
  browser: [],
  geometry: [],
  basemap: [],
  i18n: ["browser", "protocol"],
  theme: ["basemap", "browser"],
  ui: ["browser", "i18n", "protocol"],
  connection: ["i18n", "protocol"],
  store: ["connection", "protocol"],
  data: ["connection", "i18n", "protocol", "store", "ui"],
  instance: ["basemap", "browser", "data", "geometry", "protocol", "store", "theme", "ui"],
};

const files = readdirSync(SOURCE, { recursive: true }).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
const known = new Set(files);
const folderOf = (file) => (file.includes(sep) ? file.split(sep)[0] : "app");

/** The file of `src` that an import names; undefined for style sheets and data. */
function target(file, path) {
  const name = relative(SOURCE, resolve(SOURCE, dirname(file), path));
  return [`${name}.ts`, `${name}.tsx`, join(name, "index.ts")].find((it) => known.has(it));
}

/** By file, the files that it imports. */
const imports = new Map(files.map((file) => {
  const found = readFileSync(join(SOURCE, file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [file, new Set([...found].flatMap(([, path]) => target(file, path) ?? []))];
}));

/** By folder, the folders that its files import, each with one of these files. */
const arrows = new Map();
for (const [file, others] of imports) {
  const from = folderOf(file);
  if (!arrows.has(from)) arrows.set(from, new Map());
  for (const to of new Set([...others].map(folderOf))) if (to !== from) arrows.get(from).set(to, file);
}

/** The first circle of a graph, as the names along it; undefined where there is none. */
function circle(graph) {
  const done = new Set();
  const along = [];
  const visit = (name) => {
    if (along.includes(name)) return [...along.slice(along.indexOf(name)), name];
    if (done.has(name)) return undefined;
    along.push(name);
    for (const next of graph.get(name)?.keys() ?? []) {
      const found = visit(next);
      if (found !== undefined) return found;
    }
    along.pop();
    done.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const found = visit(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const faults = [];
for (const [from, others] of arrows) {
  for (const [to, file] of others) if (from in BOTTOM && !BOTTOM[from].includes(to)) faults.push(`${file}: ${from} may not import ${to}.`);
}
const folders = circle(arrows);
if (folders !== undefined) {
  const steps = folders.slice(1).map((to, at) => `${arrows.get(folders[at]).get(to)} imports ${to}`);
  faults.push(`These folders import each other in a circle: ${folders.join(" → ")} (${steps.join(", ")}).`);
}
const round = circle(imports);
if (round !== undefined) faults.push(`These files import each other in a circle: ${round.join(" → ")}.`);

for (const fault of faults) console.error(`${fault} (docs/architecture.md#the-layers)`);
process.exitCode = faults.length > 0 ? 1 : 0;
