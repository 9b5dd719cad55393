/**
 * What is pasted onto the page: files and GeoJSON are offered for upload, coordinates are looked at. Into a field everything
 * is pasted as text, apart from files and GeoJSON.
 */
import { readings } from "../search/coordinates";
import { lookAt } from "../search/look";
import { offer } from "./offers";

const GEOJSON = new Set([
  "FeatureCollection", "Feature", "GeometryCollection", "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
]);
const FILE_NAME = "pasted.geojson";

export function paste(event: ClipboardEvent): void {
  const { clipboardData: data, target } = event;
  if (data === null) return;
  const files = data.files.length > 0 ? [...data.files] : geojson(data.getData("text"));
  if (files.length > 0) {
    event.preventDefault();
    return offer(files);
  }
  const isField = target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
  const [place] = isField ? [] : readings(data.getData("text"));
  if (place !== undefined) lookAt(place);
}

function geojson(text: string): File[] {
  if (!text.trimStart().startsWith("{")) return [];
  try {
    const { type } = JSON.parse(text) as { type?: unknown };
    return typeof type === "string" && GEOJSON.has(type) ? [new File([text], FILE_NAME, { type: "application/geo+json" })] : [];
  } catch {
    return [];
  }
}
