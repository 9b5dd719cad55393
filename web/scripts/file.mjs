/**
 * Makes dist/file.html, the page of a map that is saved as one file: scripts, styles and MapLibre's worker are in it,
 * and a policy by their hashes lets nothing else run and nothing be fetched. Run after `vite build`.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const assets = join(root, "dist/assets");

const { output } = [await build({
  root,
  configFile: false,
  logLevel: "error",
  build: {
    write: false,
    target: "es2023",
    lib: { entry: join(root, "src/share/file/page.tsx"), formats: ["es"], fileName: "page" },
    rolldownOptions: { output: { codeSplitting: false, minify: true } },
  },
  define: { "process.env.NODE_ENV": '"production"' },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
})].flat()[0];

const code = (name) => output.filter((it) => it.fileName.endsWith(name)).map((it) => it.code ?? String(it.source)).join("\n");
/** Nothing in it may end the element that holds it; in a script the two mean the same. */
const inside = (text) => text.replace(/<\/(script|style)/gi, "<\\/$1").replaceAll("<!--", "<\\!--");
const worker = readdirSync(assets).find((name) => /^maplibre-gl-worker-.*\.js$/.test(name));
if (worker === undefined) throw new Error("dist has no worker: run `vite build` first.");

const script = inside(code(".js"));
const style = inside(code(".css"));
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "img-src data: blob:", "worker-src blob: data:", "connect-src blob:",
  "child-src blob:", "base-uri 'none'", "form-action 'none'",
].join("; ");

writeFileSync(join(root, "dist/file.html"), `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GeoAgent</title>
<style>${style}</style>
</head>
<body>
<main id="canvas"></main>
<aside id="legend" class="card"></aside>
<script type="application/json" id="map">null</script>
<script type="text/plain" id="worker">${inside(readFileSync(join(assets, worker), "utf8"))}</script>
<script type="module">${script}</script>
</body>
</html>
`);
