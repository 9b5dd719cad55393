/** Places on the earth in degrees, and how a map looks at them. */

/** Longitude and latitude. */
export type Position = [number, number];

/** West, south, east, north; west is larger than east across the antimeridian. */
export type Bounds = [number, number, number, number];

export type Projection = "mercator" | "globe";

export interface Camera {
  center: [number, number];
  zoom: number;
  /** Degrees clockwise from north. */
  bearing?: number;
  /** Degrees from straight down. */
  pitch?: number;
}
