import { afterEach, expect, it } from "vitest";
import { setLanguage } from "../i18n/languages";
import { encoded, penOf } from "./canvas";

afterEach(() => setLanguage("en"));

/** As browsers treat a canvas that is too large for them. */
function tooLarge(): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.getContext = () => null;
  canvas.toBlob = (done) => done(null);
  return canvas;
}

it.each([
  ["en", "This browser cannot draw an image this large."],
  ["ar", "لا يستطيع هذا المتصفح رسم صورة بهذا الحجم."],
] as const)("an error of drawing is in the language of the page: %s", async (language, words) => {
  await setLanguage(language);
  expect(() => penOf(tooLarge())).toThrow(words);
  await expect(encoded(tooLarge(), "image/png")).rejects.toThrow(words);
});
