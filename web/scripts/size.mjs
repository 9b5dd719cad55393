/**
 * Weighs the built client as gzip. What the first visit loads besides MapLibre may take 110 KB of JavaScript: the script of
 * the page and what that imports, not what is loaded later (`import()`). Exits with 1 when it takes more. Run after
 * `npm run build`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 110 * 1024;
const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const read = (name) => readFileSync(join(dist, "assets", name));
const files = readdirSync(join(dist, "assets"))
  .filter((name) => /\.(js|css)$/.test(name))
  .map((name) => ({ name, size: gzipSync(read(name), { level: 9 }).length }))
  .sort((a, b) => b.size - a.size);

/** The script of the page, and all that must be there before it runs. */
function initial(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, other] of read(name).toString().matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) initial(other, found);
  return found;
}

const [, entry] = /<script[^>]+src="\/assets\/([^"]+)"/.exec(readFileSync(join(dist, "index.html"), "utf8")) ?? [];
if (entry === undefined) throw new Error("dist/index.html has no script: run `npm run build` first.");
const first = initial(entry);
const own = files.filter(({ name }) => first.has(name) && !name.startsWith("maplibre"));
const total = (list) => list.reduce((sum, { size }) => sum + size, 0);
const kilobytes = (size) => `${(size / 1024).toFixed(1).padStart(7)} KB`;

for (const { name, size } of files) console.log(`${kilobytes(size)}  ${first.has(name) ? "first " : "later "} ${name}`);
console.log(`${kilobytes(total(own))}  JavaScript of the first visit besides MapLibre (limit ${LIMIT / 1024} KB)`);
console.log(`${kilobytes(total(files))}  in all`);
if ([...first].some((name) => name.startsWith("maplibre"))) throw new Error("The page waits for MapLibre before it shows anything.");
process.exitCode = total(own) > LIMIT ? 1 : 0;
