/**
 * Makes the offline base map from Natural Earth (npm `world-atlas`): land and borders in three scales, and labels, as
 * GeoJSON in src/basemap/data. Everything is cut at the antimeridian, so that nothing streaks across the map.
 * Runs before every build and does nothing when the result is there and newer than its sources.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { geoArea, geoEquirectangular } from "d3-geo";
import { geoProject } from "d3-geo-projection";
import polylabel from "polylabel";
import { feature, merge, mesh } from "topojson-client";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../src/basemap/data");
/** Decimals of a degree for each scale: finer than its data. */
const SCALES = { "110m": 1, "50m": 2, "10m": 3 };
const NAMES = "50m";
const require = createRequire(import.meta.url);
const sources = Object.fromEntries(Object.keys(SCALES).map((scale) => [scale, require.resolve(`world-atlas/countries-${scale}.json`)]));

/** Names that Natural Earth shortens to fit on paper. */
const FULL_NAMES = {
  "Dem. Rep. Congo": "DR Congo",
  "Central African Rep.": "Central African Republic",
  "Dominican Rep.": "Dominican Republic",
  "Eq. Guinea": "Equatorial Guinea",
  "W. Sahara": "Western Sahara",
  "S. Sudan": "South Sudan",
  "Bosnia and Herz.": "Bosnia and Herzegovina",
  "N. Cyprus": "Northern Cyprus",
  "Fr. Polynesia": "French Polynesia",
  "Fr. S. Antarctic Lands": "French Southern and Antarctic Lands",
  "Antigua and Barb.": "Antigua and Barbuda",
  "St. Vin. and Gren.": "Saint Vincent and the Grenadines",
  "St. Kitts and Nevis": "Saint Kitts and Nevis",
  "United States of America": "United States",
};

const SEAS = [
  ["North Pacific Ocean", -160, 28, 0], ["South Pacific Ocean", -125, -30, 0], ["North Atlantic Ocean", -42, 32, 0],
  ["South Atlantic Ocean", -15, -26, 0], ["Indian Ocean", 78, -26, 0], ["Southern Ocean", 60, -61, 0],
  ["Arctic Ocean", 160, 80, 0], ["Mediterranean Sea", 18, 34.8, 2], ["Caribbean Sea", -75, 15, 2],
  ["Arabian Sea", 63, 14, 2], ["Bay of Bengal", 88, 14, 2], ["South China Sea", 114, 13, 2],
  ["Coral Sea", 156, -17, 2], ["Tasman Sea", 160, -38, 2], ["Philippine Sea", 134, 19, 2],
  ["Gulf of Mexico", -90.5, 25, 2], ["Bering Sea", -178, 58, 2], ["Norwegian Sea", 2, 68, 2],
  ["Black Sea", 34.5, 43.3, 3], ["Baltic Sea", 19.5, 57.5, 3], ["North Sea", 3, 56.5, 3], ["Hudson Bay", -85, 60, 2],
];

if (!stale()) process.exit(0);
mkdirSync(target, { recursive: true });
for (const [scale, decimals] of Object.entries(SCALES)) {
  const world = JSON.parse(readFileSync(sources[scale], "utf8"));
  const { countries, land } = world.objects;
  write(`land-${scale}.json`, cut(collection(wound(merge(world, land.geometries)))), decimals);
  write(`borders-${scale}.json`, cut(collection(mesh(world, countries, (a, b) => a !== b))), decimals);
  if (scale === NAMES) write("labels.json", labels(feature(world, countries).features), decimals);
}

function stale() {
  const made = join(target, "borders-10m.json");
  if (!existsSync(made)) return true;
  const read = [...Object.values(sources), fileURLToPath(import.meta.url)];
  return statSync(made).mtimeMs < Math.max(...read.map((file) => statSync(file).mtimeMs));
}

function collection(geometry) {
  return { type: "FeatureCollection", features: [{ type: "Feature", properties: {}, geometry }] };
}

/** To d3 a ring in the wrong direction is the rest of the sphere; some islands of 1:10m have one. */
function wound({ coordinates }) {
  const isInverted = (polygon) => geoArea({ type: "Polygon", coordinates: polygon }) > 2 * Math.PI;
  return { type: "MultiPolygon", coordinates: coordinates.map((it) => (isInverted(it) ? it.map((ring) => ring.toReversed()) : it)) };
}

/** Degrees in, degrees out: the projection serves only for d3's exact clipping at the antimeridian and the poles. */
function cut(object) {
  const degrees = geoEquirectangular().scale(180 / Math.PI).translate([0, 0]).precision(0).reflectY(true);
  return geoProject(object, degrees);
}

function labels(features) {
  const points = features.map((country) => {
    const name = FULL_NAMES[country.properties.name] ?? country.properties.name.replace(/\bIs\./, "Islands");
    const area = geoArea(country) * 6371 ** 2;
    const rank = area > 1.5e6 ? 0 : area > 4e5 ? 1 : area > 9e4 ? 2 : area > 1e4 ? 3 : 4;
    return label(name, centre(cut(country).geometry), { kind: "country", rank, area: Math.round(area) });
  });
  const seas = SEAS.map(([name, x, y, rank]) => label(name, [x, y], { kind: "sea", rank, area: 0 }));
  return { type: "FeatureCollection", features: [...points, ...seas] };
}

function label(name, coordinates, properties) {
  return { type: "Feature", properties: { name, ...properties }, geometry: { type: "Point", coordinates } };
}

/** The point farthest from the edges of the largest part. */
function centre(geometry) {
  const parts = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
  const largest = parts.reduce((a, b) => (flatArea(a[0]) > flatArea(b[0]) ? a : b));
  const squeeze = Math.cos((largest[0][0][1] * Math.PI) / 180) || 1;
  const [x, y] = polylabel(largest.map((ring) => ring.map(([lon, lat]) => [lon * squeeze, lat])), 0.1);
  return [x / squeeze, y];
}

function flatArea(ring) {
  let sum = 0;
  for (let i = 1; i < ring.length; i++) sum += ring[i - 1][0] * ring[i][1] - ring[i][0] * ring[i - 1][1];
  return Math.abs(sum / 2);
}

/** Points that fall together are dropped. */
function write(name, geojson, decimals) {
  const rounded = JSON.stringify(geojson, (key, value) => (key === "coordinates" ? tidy(value, 10 ** decimals) : value));
  writeFileSync(join(target, name), rounded);
  console.log(`basemap: ${name} ${(rounded.length / 1024).toFixed(0)} KB`);
}

function tidy(value, steps) {
  if (typeof value[0] === "number") return value.map((n) => Math.round(n * steps) / steps);
  const items = value.map((item) => tidy(item, steps));
  if (typeof items[0][0] !== "number") return items.filter((item) => item.length > 0);
  const kept = items.filter((p, i) => i === 0 || p[0] !== items[i - 1][0] || p[1] !== items[i - 1][1]);
  return kept.length > 3 || value.length < 4 ? kept : items;
}
