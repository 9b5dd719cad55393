/**
 * Weighs the built client as gzip: our own code and the libraries besides MapLibre may take 150 KB.
 * Exits with 1 when they take more. Run after `npm run build`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 150 * 1024;
const assets = join(dirname(fileURLToPath(import.meta.url)), "../dist/assets");
const files = readdirSync(assets)
  .filter((name) => /\.(js|css)$/.test(name))
  .map((name) => ({ name, size: gzipSync(readFileSync(join(assets, name)), { level: 9 }).length }))
  .sort((a, b) => b.size - a.size);
const own = files.filter(({ name }) => !name.startsWith("maplibre"));
const total = (list) => list.reduce((sum, { size }) => sum + size, 0);
const kilobytes = (size) => `${(size / 1024).toFixed(1).padStart(7)} KB`;

for (const { name, size } of files) console.log(`${kilobytes(size)}  ${name}`);
console.log(`${kilobytes(total(own))}  own code and libraries besides MapLibre (limit ${LIMIT / 1024} KB)`);
console.log(`${kilobytes(total(files))}  in all`);
process.exitCode = total(own) > LIMIT ? 1 : 0;
