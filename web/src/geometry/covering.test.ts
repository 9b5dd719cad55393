import { expect, it } from "vitest";
import { besideCard, type Box, covering } from "./covering";

const map: Box = { left: 0, top: 0, right: 632, bottom: 768 };
const search: Box = { left: 16, top: 16, right: 304, bottom: 56 };
const layers = (bottom: number): Box => ({ left: 16, top: 64, right: 304, bottom });

it("what is zoomed to lies beside the panels", () => {
  expect(covering(map, [])).toEqual({ left: 0, top: 0, right: 0, bottom: 0 });
  expect(covering(map, [search])).toEqual({ left: 0, top: 56, right: 0, bottom: 0 });
  expect(covering(map, [search, layers(600)])).toEqual({ left: 304, top: 0, right: 0, bottom: 0 });
  expect(covering(map, [search, layers(200)])).toEqual({ left: 0, top: 200, right: 0, bottom: 0 });
  expect(covering(map, [{ left: 0, top: 500, right: 632, bottom: 768 }])).toEqual({ left: 0, top: 0, right: 0, bottom: 268 });
});

it("panels elsewhere on the page do not count, nor any where they cover nearly all", () => {
  expect(covering(map, [{ left: 700, top: 0, right: 900, bottom: 768 }])).toEqual({ left: 0, top: 0, right: 0, bottom: 0 });
  expect(covering(map, [{ left: 0, top: 10, right: 632, bottom: 768 }])).toEqual({ left: 0, top: 0, right: 0, bottom: 0 });
});

const wide: Box = { left: 0, top: 0, right: 1000, bottom: 700 };

it("a point beside a card is seen as it is", () => {
  expect(besideCard({ x: 100, y: 100 }, wide, { left: 600, top: 20, right: 900, bottom: 400 })).toBeNull();
});

it("a point under a card comes out by the shortest way that leaves it on the map", () => {
  const card = { left: 600, top: 20, right: 940, bottom: 400 };
  expect(besideCard({ x: 700, y: 200 }, wide, card)).toEqual([124, 0]);
  expect(besideCard({ x: 800, y: 380 }, wide, card)).toEqual([0, -44]);
  const phone = { left: 0, top: 0, right: 390, bottom: 844 };
  expect(besideCard({ x: 200, y: 600 }, phone, { left: 0, top: 400, right: 390, bottom: 844 })).toEqual([0, 224]);
});
