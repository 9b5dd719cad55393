import { afterEach, beforeEach, expect, it } from "vitest";
import { marked } from "../chat/turns/marks";
import { duration, inOwnWords, toolWords } from "./i18n";
import { setLanguage } from "./languages";

/** Without the signs of direction, which nobody sees. */
const said = (text: string) => inOwnWords(text).replace(/[\u200e\u2066-\u2069]/g, "");

beforeEach(() => setLanguage("ar"));
afterEach(() => setLanguage("en"));

it("answers of the built-in model are worded with their own values, and with plural forms", () => {
  expect(said("Added **airports** in red: 28,298 airports.")).toBe("أُضيفت الطبقة **airports** باللون الأحمر: 28,298 airports.");
  expect(said("Added **roads**, coloured by `kind`: 3 features where name is not Main Street.")).toBe(
    "أُضيفت الطبقة **roads**، ملوّنة حسب `kind`: 3 عناصر حيث name ليس Main Street.",
  );
  expect(said("Added **cities** in blue: 34,006 cities. Still drawing…")).toBe(
    "أُضيفت الطبقة **cities** باللون الأزرق: 34,006 cities. ما زال الرسم جاريًا…",
  );
  expect(said("There are 2 tables:")).toBe("يوجد جدولان:");
  expect(said("There are 11 tables:")).toBe("يوجد 11 جدولًا:");
  expect(said("The map is empty now: 1 layer removed. Say “undo” to get it back.")).toBe(
    "الخريطة فارغة الآن: أُزيلت طبقة واحدة. اكتب “undo” لاستعادتها.",
  );
});

it("help, refusals and the tables that are there are worded", () => {
  expect(said("I cannot do that: no table has a column for “weather”. There are airports, cities, countries.")).toBe(
    "لا يمكن ذلك: لا عمود عن “weather” في أي جدول. الجداول المتاحة: airports, cities, countries.",
  );
  expect(said("Here is a chart: **Airports by elevation (m)**, of 117 rows where country is Italy.")).toBe(
    "هذا مخطط: **Airports by elevation (m)**، من 117 صفًا حيث country = Italy.",
  );
  expect(said("I cannot do that: no table here is about “unicorns”. There are airports, cities, ne.roads.")).toBe(
    "لا يمكن ذلك: لا جدول هنا عن “unicorns”. الجداول المتاحة: airports, cities, ne.roads.",
  );
  expect(said("I understood “area of each country”, but not “in Africa”, so I changed nothing.")).toBe(
    "فهمت “area of each country” ولم أفهم “in Africa”، لذلك لم أغيّر شيئًا.",
  );
  expect(said("There are 3 tables.")).toBe("يوجد 3 جداول.");
});

it("what is meant, and what could be said instead, are worded", () => {
  expect(said("I cannot do that: 5 places are called “Springfield, United States”, and their names do not tell them apart. Say “show cities named Springfield” to see where they are.")).toBe(
    "لا يمكن ذلك: لا تميّز الأسماء بين الأماكن التي تحمل اسم “Springfield, United States” (5). اكتب “show cities named Springfield” لرؤية مواضعها.",
  );
  expect(said("I cannot do that: the distance is missing. Say for example “airports within 50 km of Berlin”.")).toBe(
    "لا يمكن ذلك: المسافة غير محددة. اكتب مثلًا “airports within 50 km of Berlin”.",
  );
  expect(said("I cannot do that: I could not read all of that as steps of an analysis. You could say:")).toBe(
    "لا يمكن ذلك: لم أستطع قراءة الطلب كله خطواتِ تحليل. يمكنك أن تكتب:",
  );
  expect(said("**airports** are now drawn as hexagons 48 pixels wide that show the average of `elevation_m` in each.")).toBe(
    "تُرسم **airports** الآن خلايا سداسية بعرض 48 بكسل تعرض متوسط `elevation_m` في كل منها.",
  );
  expect(said("**data.airports** has about 28,298 rows, points in EPSG:4326.")).toBe("في **data.airports** نحو 28,298 صفًا، نقاط بنظام EPSG:4326.");
});

it("the methods of steps are worded with their values", () => {
  expect(said("Overlaid in the plane of EPSG:4326 (degrees); edges are straight in those coordinates, not geodesic.")).toBe(
    "نُفّذ التراكب في مستوى EPSG:4326 (بالدرجات)؛ الحواف مستقيمة في هذه الإحداثيات وليست جيوديسية.",
  );
  expect(said("Computed in a local azimuthal equidistant projection centred at 43.2945, -11.8471; lengths err by at most about 0.31 % at the edge of the data.")).toBe(
    "حُسب في إسقاط سمتي محلي متساوي المسافات مركزه 43.2945، -11.8471؛ لا يتجاوز خطأ الأطوال نحو 0.31٪ عند حافة البيانات.",
  );
});

it("arcs are worded with the ends that name them", () => {
  expect(said("Arcs of flights from origin to destination: 7.")).toBe("أقواس flights من origin إلى destination: 7.");
  expect(said("Arcs of flights: 1,200.")).toBe("أقواس flights: 1,200.");
  expect(said("Rows without both ends, or with both at one place, have no line.")).toBe(
    "لا خط للصفوف التي ينقصها أحد الطرفين أو يقع طرفاها في موضع واحد.",
  );
});

it("names that hold words of a sentence stay as they are", () => {
  expect(said("**Trinidad and Tobago is in red** now shows 1 feature where country is Trinidad and Tobago and area > 5.")).toBe(
    "تعرض **Trinidad and Tobago is in red** الآن عنصر واحد حيث country = Trinidad and Tobago وarea > 5.",
  );
});

it("a comparison is read from the left as a whole", () => {
  const text = inOwnWords("**airports** now shows 379 airports where elevation_m > 2,000 (before: 28,298).");
  expect(text).toContain("\u2068elevation_m > 2,000\u2069");
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

it("durations from two minutes on are in minutes", async () => {
  await setLanguage("en");
  expect([800, 1_500, 95_400, 128_000, 754_000].map(duration)).toEqual(["800ms", "1.5s", "95s", "2.1 min", "13 min"]);
});

it("notes below legends are worded, several of them one after the other", () => {
  expect(said("The 9 most frequent of 1.2 k values. data.towns no longer has people, which is not shown.")).toBe(
    "القيم الأكثر تكرارًا: 9 من 1.2 k. لم يعد في data.towns العمود people، فلا يُعرض.",
  );
  expect(said("Zoomed out, values of cells are computed from a sample of the rows, so extremes may be missed.")).toBe(
    "عند التصغير تُحسب قيم الخلايا من عيّنة من الصفوف، وقد تغيب أعلى القيم وأدناها.",
  );
  expect(said("Drawn from a sample of 200 of 10,000 rows; close up, from the files.")).toBe(
    "مرسومة من عيّنة من 200 من أصل 10,000 صف؛ وعن قرب من الملفات.",
  );
});
