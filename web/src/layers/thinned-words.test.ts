import { afterEach, expect, it } from "vitest";
import { type Thinning, thinned, tooComplex } from "../map/tiles/thinned";
import { time } from "../i18n/i18n";
import { layer } from "../testing/samples";
import { thinnedWords } from "./thinned-words";

const pings = layer("pings", { count: 10_000_000 });

afterEach(() => {
  thinned.value = new Map();
  tooComplex.value = new Set();
});

function wordsOf(found: Thinning): string | undefined {
  thinned.value = new Map([["pings", found]]);
  return thinnedWords(pings)?.text;
}

it("says how many features of an overview stand for all, and of when they are", () => {
  const overview: Thinning = { shown: 9_216, total: 10_000_000, kind: "overview" };
  expect(wordsOf(overview)).toBe("Thinned: 9,216 represent about 10.0 million in view");
  const asOf = "2026-11-29T10:00:00Z";
  expect(wordsOf({ ...overview, asOf })).toBe(`Thinned: 9,216 represent about 10.0 million in view (as of ${time(asOf)})`);
});

it("says nothing where everything in view is drawn", () => {
  expect(wordsOf({ shown: 20, total: 20, kind: "overview" })).toBeUndefined();
});
