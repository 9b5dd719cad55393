/**
 * Coordinates as people write them: decimal or in degrees, minutes and seconds, with letters or without. Without
 * letters it is unknown which of two numbers is the latitude, so every possible reading is given. Pure.
 */

export interface Reading {
  latitude: number;
  longitude: number;
  /** Whether letters such as N and E name the numbers; without them their order decides. */
  order: "named" | "latLon" | "lonLat";
}

const NUMBER = String.raw`([+-]?\d+(?:\.\d+)?)\s*(?:°|deg\b)?(?:\s*(\d+(?:\.\d+)?)\s*')?(?:\s*(\d+(?:\.\d+)?)\s*")?`;
const ANGLE = String.raw`(?:(lat|lon|[nsew])[:=]?\s*${NUMBER}|${NUMBER}\s*([nsew])?)`;
const PAIR = new RegExp(String.raw`^\(?\s*${ANGLE}(?:\s*[,;/]\s*|\s+|(?<=[nsew]))${ANGLE}\s*\)?$`);
const PARTS = 8;

/** The likeliest first; none when the text is not a pair of coordinates. */
export function readings(text: string): Reading[] {
  const match = PAIR.exec(plain(text));
  if (match === null) return [];
  const [first, second] = [angle(match.slice(1, 1 + PARTS)), angle(match.slice(1 + PARTS))];
  if (first === null || second === null) return [];
  const axes = first.axis ?? other(second.axis);
  if (axes !== null && first.axis === second.axis) return [];
  const latLon = { latitude: first.degrees, longitude: second.degrees };
  const lonLat = { latitude: second.degrees, longitude: first.degrees };
  if (axes !== null) return [{ ...(axes === "lat" ? latLon : lonLat), order: "named" as const }].filter(isOnEarth);
  const both = [{ ...latLon, order: "latLon" as const }, { ...lonLat, order: "lonLat" as const }].filter(isOnEarth);
  return first.degrees === second.degrees ? both.slice(0, 1) : both;
}

interface Angle {
  degrees: number;
  axis: "lat" | "lon" | null;
}

/** `parts` are those of ANGLE: a letter before and three numbers, or three numbers and a letter behind. */
function angle(parts: (string | undefined)[]): Angle | null {
  const letter = parts[0] ?? parts[7];
  const [degrees, minutes, seconds] = parts[0] === undefined ? parts.slice(4, 7) : parts.slice(1, 4);
  const [whole, m, s] = [Number(degrees), Number(minutes ?? 0), Number(seconds ?? 0)];
  if (m >= 60 || s >= 60 || (minutes !== undefined && !Number.isInteger(whole))) return null;
  const size = Math.abs(whole) + m / 60 + s / 3600;
  const isNegative = degrees?.startsWith("-") || letter === "s" || letter === "w";
  const axis = letter === undefined ? null : /^(lat|[ns])$/.test(letter) ? "lat" : "lon";
  return { degrees: isNegative ? -size : size, axis };
}

function other(axis: Angle["axis"]): Angle["axis"] {
  return axis === null ? null : axis === "lat" ? "lon" : "lat";
}

function isOnEarth({ latitude, longitude }: Reading): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/** One way to write each sign; decimal commas as points, and `47 22 30 N` as `47° 22' 30" N`. */
function plain(text: string): string {
  return text.trim().toLowerCase()
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660)).replaceAll("٫", ".").replaceAll("،", ",")
    .replace(/[−–]/g, "-").replace(/[º˚]/g, "°").replace(/[′’‘]/g, "'").replace(/[″”“]|''/g, '"')
    .replace(/latitude/g, "lat").replace(/longitude|lng/g, "lon")
    .replace(/^([+-]?\d+),(\d+)([;\s]\s*)([+-]?\d+),(\d+)$/, "$1.$2$3$4.$5")
    .replace(/(\d+)[\s:]+(\d+)[\s:]+(\d+(?:\.\d+)?)\s*([nsew])/g, "$1°$2'$3\"$4");
}
