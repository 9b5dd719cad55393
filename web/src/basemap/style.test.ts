import { expect, it } from "vitest";
import { COLOURS } from "./style";

/** Relative luminance, as WCAG defines it. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it.each(Object.entries(COLOURS))("names of countries are readable by their halo over any data: %s", (_, { name, halo }) => {
  const [darker, lighter] = [luminance(name), luminance(halo)].sort((a, b) => a - b) as [number, number];
  expect((lighter + 0.05) / (darker + 0.05)).toBeGreaterThan(7);
});
