/** Builds the client into dist/, served by the GeoAgent server; `npm run dev` passes all else on to a running one. */
import { defineConfig } from "vitest/config";

const server = process.env["GEOAGENT_SERVER"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    // Every browser of that target preloads modules by itself.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: "maplibre", test: /node_modules\/(maplibre-gl|@maplibre|@mapbox)\/.*(?<!\.css)$/ }] },
      },
    },
  },
  worker: { format: "es" },
  server: {
    proxy: {
      "/socket.io": { target: server, ws: true },
      "/api": server,
      "/tiles": server,
      "^/m/": { target: server, bypass: () => "/index.html" },
    },
  },
  // A context of its own for each file, as processes are, but jsdom is loaded only once.
  test: { environment: "jsdom", pool: "vmThreads", setupFiles: ["src/testing/setup.ts"], include: ["src/**/*.test.{ts,tsx}"] },
});
