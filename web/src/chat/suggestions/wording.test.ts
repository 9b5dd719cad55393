import { afterEach, expect, it } from "vitest";
import { worded } from "../../i18n/faults";
import { setLanguage } from "../../i18n/languages";
import { labelOf, requestOf } from "./wording";

afterEach(() => setLanguage("en"));

it("suggestions are worded in the language of the page, and sent so that the model understands them", async () => {
  expect(labelOf("show airports in red")).toBe("show airports in red");
  await setLanguage("ar");
  expect(labelOf("show airports in red")).toMatch(/^أظهر .*airports.* باللون .*الأحمر/);
  expect(labelOf("only the ones with length m over 7 million")).toContain("7 ملايين");
  expect(labelOf("something else entirely")).toBe("something else entirely");
  expect(requestOf("show airports in red", "offline")).toBe("show airports in red");
  expect(requestOf("which tables are there?", "gpt")).toBe("ما الجداول المتاحة؟");
});

it("faults are worded by their code where the page is not English", async () => {
  const fault = { code: "unknown_layer", message: "This map has no layer 'x'." };
  expect(worded(fault)).toBe(fault);
  await setLanguage("ar");
  expect(worded(fault).message).toBe("لم تعد هذه الطبقة موجودة.");
  expect(worded({ code: "strange", message: "As it is" }).message).toBe("As it is");
});
