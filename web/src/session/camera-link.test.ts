import { expect, it } from "vitest";
import { cameraOf, hashOf } from "./camera-link";

it("writes a camera and reads it back", () => {
  const flat = { center: [13.40495, 52.52001] as [number, number], zoom: 9.25, bearing: 0, pitch: 0 };
  expect(hashOf(flat)).toBe("9.25/52.52001/13.40495");
  expect(cameraOf(`#${hashOf(flat)}`)).toEqual(flat);
  const turned = { ...flat, bearing: -30.5, pitch: 45 };
  expect(cameraOf(hashOf(turned))).toEqual(turned);
});

it("reads nothing from what is not a camera", () => {
  for (const text of ["", "#message", "#1/2", "#9/95/13", "#9/52/13/0/90", "#a/b/c", "#9/52/13/0/0/0", "#1e9/0/0"]) expect(cameraOf(text)).toBeNull();
});
