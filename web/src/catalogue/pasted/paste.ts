/**
 * What is pasted onto the page: files, GeoJSON, well-known text and files at addresses are offered for upload, coordinates
 * are looked at. Into a field everything is pasted as text, apart from files and GeoJSON.
 */
import { readings } from "../../search/coordinates";
import { lookAt } from "../../search/look";
import { offer } from "../offers";

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
  if (!isField) void pasteText(data.getData("text"));
}

async function pasteText(text: string): Promise<void> {
  if (/^\s*https?:\/\/\S+\s*$/i.test(text)) return (await import("./download")).download(text.trim());
  const [place] = readings(text);
  if (place !== undefined) return lookAt(place);
  if (!text.includes("(")) return;
  const shapes = (await import("../../geometry/wkt")).fromWkt(text);
  if (shapes !== null) offer([fileOf(JSON.stringify(shapes))]);
}

const fileOf = (text: string): File => new File([text], FILE_NAME, { type: "application/geo+json" });

function geojson(text: string): File[] {
  if (!text.trimStart().startsWith("{")) return [];
  try {
    const { type } = JSON.parse(text) as { type?: unknown };
    return typeof type === "string" && GEOJSON.has(type) ? [fileOf(text)] : [];
  } catch {
    return [];
  }
}
