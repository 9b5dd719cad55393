import { afterEach, beforeEach, expect, it } from "vitest";
import { marked } from "../figures/marks";
import { inOwnWords, setLanguage, toolWords } from "./i18n";

/** Without the signs of direction, which nobody sees. */
const said = (text: string) => inOwnWords(text).replace(/[\u2066-\u2069]/g, "");

beforeEach(() => setLanguage("ar"));
afterEach(() => setLanguage("en"));

it("answers of the built-in model are worded with their own values, and with plural forms", () => {
  expect(said("Added **airports** in red: 28,298 airports.")).toBe("أُضيفت الطبقة **airports** باللون الأحمر: 28,298 airports.");
  expect(said("Added **roads**, coloured by `kind`: 3 features where name is not Main Street.")).toBe(
    "أُضيفت الطبقة **roads**، ملوّنة حسب `kind`: 3 عناصر حيث name ليس Main Street.",
  );
  expect(said("There are 2 tables:")).toBe("يوجد جدولان:");
  expect(said("There are 11 tables:")).toBe("يوجد 11 جدولًا:");
  expect(said("The map is empty now: 1 layer removed. Say “undo” to get it back.")).toBe(
    "الخريطة فارغة الآن: أُزيلت طبقة واحدة. اكتب “undo” لاستعادتها.",
  );
});

it("names that hold words of a sentence stay as they are", () => {
  expect(said("**Trinidad and Tobago is in red** now shows 1 feature where country is Trinidad and Tobago and area > 5.")).toBe(
    "تعرض **Trinidad and Tobago is in red** الآن عنصر واحد حيث country = Trinidad and Tobago وarea > 5.",
  );
});

it("a sentence without words in the language stays, and so do tables and the sentences around it", () => {
  expect(said("Strange things. Removed **a**. More of it.\n| Removed **b**. |")).toBe("Strange things. أُزيلت الطبقة **a**. More of it.\n| Removed **b**. |");
});

it("figures keep their marks", () => {
  const text = "There are 28,298 rows.";
  const figure = { start: 10, end: 16, text: "28,298", source: 0, row: null, how: "stated", note: "" } as const;
  expect(said(marked(text, [figure]))).toBe("يوجد \uE0000\uE00128,298\uE002 صفًا.");
});

it("English keeps the server's words", async () => {
  await setLanguage("en");
  expect(inOwnWords("Removed **a**.")).toBe("Removed **a**.");
  expect(toolWords("undo")).toBeUndefined();
});
