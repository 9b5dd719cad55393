/** The camera as the part of an address behind `#`, as other maps write it: zoom/latitude/longitude/bearing/pitch. Pure. */
import type { Camera } from "../geometry/types";

const NUMBER = /^-?\d{1,3}(\.\d{1,10})?$/;

export function hashOf({ center: [longitude, latitude], zoom, bearing = 0, pitch = 0 }: Camera): string {
  const parts = [zoom.toFixed(2), latitude.toFixed(5), longitude.toFixed(5)];
  if (bearing !== 0 || pitch !== 0) parts.push(bearing.toFixed(1), pitch.toFixed(1));
  return parts.join("/");
}

/** Null where the text is not a camera. */
export function cameraOf(hash: string): Camera | null {
  const parts = hash.replace(/^#/, "").split("/");
  if (parts.length < 3 || parts.length > 5 || !parts.every((part) => NUMBER.test(part))) return null;
  const [zoom = 0, latitude = 0, longitude = 0, bearing = 0, pitch = 0] = parts.map(Number);
  if (zoom < 0 || zoom > 24 || Math.abs(latitude) > 90 || Math.abs(longitude) > 540 || pitch < 0 || pitch > 85) return null;
  return { center: [longitude, latitude], zoom, bearing, pitch };
}
