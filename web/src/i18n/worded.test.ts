import { afterEach, beforeEach, expect, it } from "vitest";
import { marked } from "../chat/turns/marks";
import ENGLISH from "../protocol/wordings.json";
import { joined, type Made, made } from "../testing/templates";
import { WORDINGS } from "./ar/wording";
import { worded } from "./faults";
import { duration, inOwnWords, requestsIn, toolWords } from "./i18n";
import { setLanguage } from "./languages";

/** Without the signs of direction, which nobody sees. */
const sentenceOf = ({ text, wording }: Made) => inOwnWords(text, wording).replace(/[\u200e\u200f\u2066-\u2069]/g, "");
const undo = made("ask_undo");

beforeEach(() => setLanguage("ar"));
afterEach(() => setLanguage("en"));

it("every template of the server is worded in Arabic with the same values", () => {
  const slots = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name]) => name))].sort();
  const own: Record<string, string> = WORDINGS;
  const english: Record<string, string> = ENGLISH;
  expect(Object.keys(own).sort(), "docs/extending.md#add-a-text-for-people").toEqual(Object.keys(english).sort());
  expect(Object.fromEntries(Object.keys(own).map((code) => [code, slots(own[code] ?? "")])))
    .toEqual(Object.fromEntries(Object.keys(english).map((code) => [code, slots(english[code] ?? "")])));
});

it("answers of the built-in model are worded with their own values, and with plural forms", () => {
  const red = made("look_colour", { colour: made("colour_red") });
  const count = made("count_named", { n: 28298, noun: "airports" });
  expect(sentenceOf(made("layer_added", { name: "airports", look: made("look_after", { look: red }), count, where: "" }))).toBe(
    "أُضيفت الطبقة **airports** باللون الأحمر: 28,298 airports.",
  );
  const where = made("where", { condition: made("is_not", { what: "name", value: "Main Street" }) });
  const look = made("look_apart", { look: made("look_graduated", { column: "kind", ramp: "" }) });
  expect(sentenceOf(made("layer_added", { name: "roads", look, count: made("count_feature", { n: 3 }), where }))).toBe(
    "أُضيفت الطبقة **roads**، ملوّنة حسب `kind`: 3 عناصر حيث name ليس Main Street.",
  );
  const tables = (n: number) => sentenceOf(made("tables", { n, count: made("count_table", { n }) }));
  expect([tables(2), tables(11)]).toEqual(["يوجد جدولان:", "يوجد 11 جدولًا:"]);
  expect(sentenceOf(joined(" ", made("map_reset", { count: made("count_layer", { n: 1 }) }), made("say_get_back", { undo, n: 1 })))).toBe(
    "الخريطة فارغة الآن: أُزيلت طبقة واحدة. اكتب “undo” لاستعادتها.",
  );
});

it("refusals are worded, and requests in them stay as the server reads them", () => {
  const names = made("list_and", { first: "airports, cities", last: "countries" });
  const refusal = joined(" ", made("cannot", { reason: made("no_column_for", { text: "weather" }) }), made("there_are", { names }));
  expect(sentenceOf(refusal)).toBe("لا يمكن ذلك: لا عمود عن “weather” في أي جدول. الجداول المتاحة: airports, cities وcountries.");
  const zoom = made("ask_zoom", { name: "cities" });
  const offer = made("out_of_view", { zoom });
  expect(sentenceOf(offer)).toBe("لا يظهر أي منها في العرض الحالي: اكتب “zoom to cities” لرؤيتها.");
  expect([...requestsIn(offer.text, offer.wording)].map(([sent, shown]) => [sent, shown.replace(/[\u2066-\u2069]/g, "")]))
    .toEqual([["zoom to cities", "انتقل إلى cities"]]);
});

it("a sentence within a refusal ends once", () => {
  const reason = made("step_lake", { step: "buffer", table: "data.pings", sample: "200" });
  const whole = made("cannot", { reason: { ...reason, text: reason.text.replace(/\.$/, "") } });
  expect(sentenceOf(whole)).toMatch(/[^.]\.$/);
});

it("text of data and of models stays, also where it holds words of a template", () => {
  const removed = made("layer_removed", { name: "Trinidad and Tobago is in red" });
  expect(sentenceOf(joined("\n", "Strange things.", removed, "| Removed **b**. |"))).toBe(
    "Strange things.\nأُزيلت الطبقة **Trinidad and Tobago is in red**.\n| Removed **b**. |",
  );
  expect(inOwnWords("Removed **a**.", [])).toBe("Removed **a**.");
  expect(inOwnWords("Old 🙂", undefined)).toBe("Old 🙂");
});

it("a comparison is read from the left as a whole", () => {
  const { text, wording } = made("compares", { what: "elevation_m", sign: ">", value: 2000 });
  expect(inOwnWords(text, wording)).toMatch(/^\u200f\u2066.*elevation_m.*>.*2,000\u2069$/);
});

it("brackets between names and figures are those of the text around them", () => {
  const names = joined("", "Rome (", made("number", { n: 5 }), "), Paris (", made("number", { n: 7 }), ")");
  const { text, wording } = made("analysis_greatest", { title: "x", names, n: 2, value: 7 });
  expect(inOwnWords(text, wording)).toContain("\u2068Rome\u2069 (5), \u2068Paris\u2069 (7)");
});

it("figures keep their marks, and places count characters beyond the basic plane as one", () => {
  const answer = joined(" ", "🙂", made("counted", { n: 28298, count: made("count_row", { n: 28298 }), where: "" }));
  const wording = answer.wording.map((part) => ({ ...part, start: part.start - 1, end: part.end - 1 }));
  const figure = { start: 12, end: 18, text: "28,298", source: 0, row: null, how: "stated", note: "" } as const;
  const signs = marked(answer.text, [figure]);
  expect(inOwnWords(answer.text, wording, signs)).toBe("🙂 يوجد \uE0000\uE00128,298\uE002 صفًا.");
});

it("faults are worded by their parts, else by their code", async () => {
  const fault = { code: "unknown_layer", message: "This map has no layer 'x'." };
  expect(worded(fault).message).toBe("لم تعد هذه الطبقة موجودة.");
  const { text, wording } = made("nothing_to_undo");
  expect(worded({ code: "nothing_to_undo", message: text, wording }).message).toBe("لا شيء للتراجع عنه.");
  expect(worded({ code: "strange", message: "As it is" }).message).toBe("As it is");
  await setLanguage("en");
  expect(worded(fault)).toBe(fault);
});

it("English keeps the server's words", async () => {
  await setLanguage("en");
  const { text, wording } = made("layer_removed", { name: "a" });
  expect(inOwnWords(text, wording)).toBe("Removed **a**.");
  expect(toolWords("undo")).toBeUndefined();
});

it("durations from two minutes on are in minutes", async () => {
  await setLanguage("en");
  expect([800, 1_500, 95_400, 128_000, 754_000].map(duration)).toEqual(["800ms", "1.5s", "95s", "2.1 min", "13 min"]);
});
