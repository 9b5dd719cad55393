/**
 * Makes src/protocol/types.ts from src/protocol/schema.json (which the server writes).
 * With `--check` it writes nothing and fails when the types are stale.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../src/protocol");
const target = join(folder, "types.ts");
const schema = JSON.parse(readFileSync(join(folder, "schema.json"), "utf8"));
const requested = reachable(schema.properties.requests, new Set());
const made = await compile(readable(schema), "Protocol", {
  bannerComment: "/** The socket protocol. Generated from schema.json by `npm run protocol`; not edited by hand. */",
  additionalProperties: false,
  format: true,
  style: { printWidth: 120 },
  unreachableDefinitions: false,
});

if (!process.argv.includes("--check")) {
  writeFileSync(target, made);
} else if (readFileSync(target, "utf8") !== made) {
  console.error("src/protocol/types.ts is stale: run `npm run protocol` (docs/extending.md#add-an-event).");
  process.exit(1);
}

/**
 * The schema as TypeScript sees it: titles of single fields dropped (each would become a type of its own), tuples
 * as tuples, and in what the server sends every field present, for it leaves none out.
 */
function readable(node, isField = false) {
  if (Array.isArray(node)) return node.map((item) => readable(item));
  if (node === null || typeof node !== "object") return node;
  if ("$ref" in node) return { $ref: node.$ref };
  const entries = Object.entries(node)
    .filter(([key, value]) => !(isField && key === "title" && typeof value === "string"))
    .filter(([key]) => key !== "default" && key !== "maxItems" && key !== "minItems")
    .map(([key, value]) => {
      if (key === "properties" || key === "$defs") {
        const isDefinition = key === "$defs";
        return [key, Object.fromEntries(Object.entries(value).map(([name, it]) => [name, readable(it, !isDefinition)]))];
      }
      if (key === "const" || key === "enum") return [key, value];
      if (key === "prefixItems") return ["items", readable(value)];
      return [key, readable(value, key === "items" || key === "additionalProperties")];
    });
  const made = Object.fromEntries(entries);
  if ("prefixItems" in node) Object.assign(made, { minItems: node.prefixItems.length, maxItems: node.prefixItems.length });
  if (made.title && made.properties && !requested.has(made.title)) made.required = Object.keys(made.properties);
  return made;
}

/** The names of all definitions that a request is made of. */
function reachable(node, found) {
  for (const value of Object.values(node ?? {})) {
    if (typeof value === "string" && value.startsWith("#/$defs/")) {
      const name = value.slice("#/$defs/".length);
      if (!found.has(name)) reachable(schema.$defs[name], found.add(name));
    } else if (value !== null && typeof value === "object") {
      reachable(value, found);
    }
  }
  return found;
}
