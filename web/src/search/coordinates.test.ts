import { describe, expect, it } from "vitest";
import { readings } from "./coordinates";

const at = (text: string) => readings(text).map(({ latitude, longitude }) => [latitude, longitude]);

describe("coordinates", () => {
  it.each([
    "47.375 N, 8.54 E", "47.375N 8.54E", "N47.375 E8.54", "N 47.375, E 8.54", "8.54°E 47.375°N", "E8.54 N47.375",
    "lat 47.375 lon 8.54", "latitude: 47.375, longitude: 8.54", "lng=8.54; lat=47.375", `47°22'30"N 8°32'24"E`,
    "47° 22′ 30″ N, 8° 32′ 24″ E", "47 22 30 N 8 32 24 E", "47:22:30N 8:32:24E", "47°22.5'N 8°32.4'E", "47.375 N 8.54",
    "47°22'30''N8°32'24''E", "(47.375N, 8.54E)",
  ])("%s is one place, for letters say which is which", (text) => {
    const [reading, ...others] = readings(text);
    expect(others).toEqual([]);
    expect(reading?.order).toBe("named");
    expect(reading?.latitude).toBeCloseTo(47.375, 6);
    expect(reading?.longitude).toBeCloseTo(8.54, 6);
  });

  it("south and west are negative", () => {
    expect(at("33.9 S 18.4 W")).toEqual([[-33.9, -18.4]]);
    expect(at("33°30'S, 70°30'W")).toEqual([[-33.5, -70.5]]);
  });

  it("two plain numbers are read both ways, latitude first", () => {
    expect(readings("47.4, 8.5")).toEqual([
      { latitude: 47.4, longitude: 8.5, order: "latLon" }, { latitude: 8.5, longitude: 47.4, order: "lonLat" },
    ]);
  });

  it("a number beyond 90 can only be a longitude", () => {
    expect(readings("151.2 -33.9")).toEqual([{ latitude: -33.9, longitude: 151.2, order: "lonLat" }]);
    expect(readings("-33.9 151.2")).toEqual([{ latitude: -33.9, longitude: 151.2, order: "latLon" }]);
  });

  it("numbers are understood as different people write them", () => {
    for (const text of ["47,4 8,5", "47,4; 8,5", "٤٧٫٤، ٨٫٥", "47.4/8.5", "47.4;8.5", " 47.4   8.5 "]) {
      expect(at(text)[0]).toEqual([47.4, 8.5]);
    }
    expect(at("−33.9, 18.4")[0]).toEqual([-33.9, 18.4]);
    expect(at("5 5")).toEqual([[5, 5]]);
  });

  it.each([
    "", "47.4", "Paris", "47.4, 8.5, 3", "91 181", "95 N 8 E", "47 N 8 S", "47°75'N 8°E", "1e5 3", "10 Downing", "47..4 8",
    "99999999 1", "47.5°30'N 8E", "a47 8",
  ])("%s is not a place", (text) => {
    expect(readings(text)).toEqual([]);
  });
});
