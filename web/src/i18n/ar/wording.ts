/** The sentences of the built-in model, and the names of the tools, in Arabic. */
import type { Wording } from "../types";
import { sentencesIn, type Template } from "../sentences";
import { LEGENDS } from "./legends";
import { METHOD } from "./method";

const TOOLS: Record<string, string> = {
  add_map_layer: "إضافة طبقة", update_map_layer: "تعديل طبقة", remove_map_layer: "إزالة طبقة", reset_map: "إفراغ الخريطة",
  zoom_to: "الانتقال إلى موضع", undo: "تراجع", redo: "إعادة", list_tables: "قائمة الجداول", search_tables: "البحث في الجداول",
  describe_table: "وصف جدول", count_features: "عدّ العناصر", column_stats: "إحصاءات عمود", query_features: "قراءة صفوف",
  find_place: "البحث عن مكان", make_chart: "إنشاء مخطط", remove_chart: "إزالة مخطط", export: "تصدير ملف",
  run_sql: "استعلام SQL", run_analysis: "تحليل", drop_result: "حذف نتيجة", save_recipe: "حفظ وصفة", run_recipe: "تشغيل وصفة",
  rename_recipe: "إعادة تسمية وصفة", remove_recipe: "حذف وصفة",
};

const FEATURES = "{n|zero=لا عناصر|one=عنصر واحد|two=عنصران|few=# عناصر|many=# عنصرًا|other=# عنصر}";
const ROWS = "{n|zero=لا صفوف|one=صف واحد|two=صفان|few=# صفوف|many=# صفًا|other=# صف}";
const VALUES = "{n|zero=لا قيم|one=قيمة واحدة|two=قيمتان|few=# قيم|many=# قيمة|other=# قيمة}";
const TABLES = "{n|zero=لا جداول|one=جدول واحد|two=جدولان|few=# جداول|many=# جدولًا|other=# جدول}";
const LAYERS = "{n|zero=لا طبقات|one=طبقة واحدة|two=طبقتان|few=# طبقات|many=# طبقة|other=# طبقة}";
const COLUMNS = "{n|zero=لا أعمدة|one=عمود واحد|two=عمودان|few=# أعمدة|many=# عمودًا|other=# عمود}";
const PLACES = "{n|zero=لا أماكن|one=مكان واحد|two=مكانان|few=# أماكن|many=# مكانًا|other=# مكان}";
const DIFFERENT = "{n|zero=لا قيم مختلفة|one=قيمة واحدة|two=قيمتان مختلفتان|few=# قيم مختلفة|many=# قيمة مختلفة|other=# قيمة مختلفة}";

const NOUNS: Record<string, string> = {
  feature: FEATURES, features: FEATURES, row: ROWS, rows: ROWS, value: VALUES, values: VALUES, table: TABLES, tables: TABLES,
  layer: LAYERS, layers: LAYERS, column: COLUMNS, columns: COLUMNS, place: PLACES, places: PLACES,
  "different value": DIFFERENT, "different values": DIFFERENT,
};

/** Where a layer has a condition, its sentence goes on with "where"; both are listed, the longer first. */
const CHANGES: readonly Template[] = [
  ["Added {name:bold}{look:rest}: {count:count} where {where:rest}.", "أُضيفت الطبقة {name}{look}: {count} حيث {where}."],
  ["Added {name:bold}{look:rest}: {count:count}.", "أُضيفت الطبقة {name}{look}: {count}."],
  ["I added {name:bold}, but it is empty: no feature where {where:rest}.", "أُضيفت الطبقة {name} لكنها فارغة: لا عنصر حيث {where}."],
  ["I added {name:bold}, but it is empty: no feature.", "أُضيفت الطبقة {name} لكنها فارغة."],
  ["{name:bold} now shows {count:count} where {where:rest} (before: {before:number}).", "تعرض {name} الآن {count} حيث {where} (سابقًا: {before})."],
  ["{name:bold} now shows {count:count} where {where:rest}.", "تعرض {name} الآن {count} حيث {where}."],
  ["{name:bold} shows all its {count:count} again.", "تعرض {name} من جديد كل عناصرها: {count}."],
  ["{name:bold} is empty now: none of its {count:count} is left where {where:rest}.", "{name} فارغة الآن: لم يبقَ شيء من {count} حيث {where}."],
  ["{name:bold} is now drawn {look:rest}.", "تُرسم {name} الآن {look}."],
  ["{name:bold} are now drawn {look:rest}.", "تُرسم {name} الآن {look}."],
  ["{name:bold} can be slid through in time along {column:code}.", "يمكن التنقل في زمن {name} وفق العمود {column}."],
  ["{name:bold} is hidden now.", "أُخفيت {name}."],
  ["{name:bold} is shown now.", "أُظهرت {name}."],
  ["The layer is called {name:bold} now.", "اسم الطبقة الآن {name}."],
  ["{name:bold} is {part:number}% opaque now.", "عتامة {name} الآن {part}٪."],
  ["{name:bold} is drawn on top now.", "تُرسم {name} الآن في الأعلى."],
  ["{name:bold} is drawn at the bottom now.", "تُرسم {name} الآن في الأسفل."],
  ["{name:bold} is drawn one higher now.", "رُفعت {name} درجة واحدة."],
  ["{name:bold} is drawn one lower now.", "خُفضت {name} درجة واحدة."],
  ["{name:bold} is now in the group {group:bold}.", "{name} الآن ضمن المجموعة {group}."],
  ["{name:bold} is in no group now.", "لم تعد {name} ضمن أي مجموعة."],
  ["Removed the chart {name:bold}.", "أُزيل المخطط {name}."],
  ["Removed {name:bold}.", "أُزيلت الطبقة {name}."],
  ["The map is empty now: {count:count} removed.", "الخريطة فارغة الآن: أُزيلت {count}."],
  ["The map is empty already.", "الخريطة فارغة أصلًا."],
  ["Say “undo” to get it back.", "اكتب “undo” لاستعادتها."],
  ["Say “undo” to get them back.", "اكتب “undo” لاستعادتها."],
  ["Say “undo” to take it away.", "اكتب “undo” لإزالتها."],
  ["Say “undo” to go back.", "اكتب “undo” للعودة."],
  ["Zoomed to {name:bold}.", "انتقلت الخريطة إلى {name}."],
  ["Zoomed to {name:bold} ({kind:text}).", "انتقلت الخريطة إلى {name} ({kind})."],
  ["Still drawing…", "ما زال الرسم جاريًا…"],
  ["None of them is in view now: say “{words:text}” to see them.", "لا يظهر أي منها في العرض الحالي: اكتب “{words}” لرؤيتها."],
  ["Undone: added the chart {name:text}.", "تم التراجع عن إضافة المخطط {name}."],
  ["Undone: {what:text}.", "تم التراجع: {what}."],
  ["Done again: {what:text}.", "أُعيد: {what}."],
  ["There is nothing to undo.", "لا شيء للتراجع عنه."],
  ["There is nothing to redo.", "لا شيء لإعادته."],
];

const DATA: readonly Template[] = [
  ["There are no tables yet.", "لا توجد جداول بعد."],
  ["There are {count:count} where {where:rest}.", "يوجد {count} حيث {where}."],
  ["There are {count:count}:", "يوجد {count}:"],
  ["There are {count:count}.", "يوجد {count}."],
  ["There are {names:names}.", "الجداول المتاحة: {names}."],
  ["There is {count:count} where {where:rest}.", "يوجد {count} حيث {where}."],
  ["There is {count:count}:", "يوجد {count}:"],
  ["There is {count:count}.", "يوجد {count}."],
  ["No table is about “{text:text}”.", "لا جدول عن “{text}”."],
  ["{name:bold} has about {count:count}{shape:rest}.", "في {name} نحو {count}{shape}."],
  ["{name:bold} ({count:count}{shape:rest}):", "{name} ({count}{shape}):"],
  ...([["integer", "عدد صحيح"], ["number", "عدد"], ["text", "نص"], ["boolean", "منطقي"], ["date", "تاريخ"], ["datetime", "وقت"]] as const).flatMap(
    ([server, own]): Template[] => [
      [`{column:code}, ${server}: {comment:text} ({low:number} to {high:number})`, `{column}، ${own}: {comment} (من {low} إلى {high})`],
      [`{column:code}, ${server}: {comment:text} (such as {samples:text})`, `{column}، ${own}: {comment} (مثل {samples})`],
    ],
  ),
  ["The average {column:code} of {name:text} is {value:text} ({count:count}).", "متوسط {column} في {name} هو {value} ({count})."],
  ["The median {column:code} of {name:text} is {value:text} ({count:count}).", "وسيط {column} في {name} هو {value} ({count})."],
  ["The total {column:code} of {name:text} is {value:text} ({count:count}).", "مجموع {column} في {name} هو {value} ({count})."],
  ["The smallest {column:code} of {name:text} is {value:text} ({count:count}).", "أصغر {column} في {name} هو {value} ({count})."],
  ["The greatest {column:code} of {name:text} is {value:text} ({count:count}).", "أكبر {column} في {name} هو {value} ({count})."],
  ["{column:code} of {name:text}: from {low:text} to {high:text}, average {mean:text}, median {median:text} ({count:count}).",
    "{column} في {name}: من {low} إلى {high}، المتوسط {mean}، الوسيط {median} ({count})."],
  ["{column:code} of {name:text} has {different:count} ({count:count}).", "للعمود {column} في {name} {different} ({count})."],
  ["Most common: {list:text}.", "الأكثر شيوعًا: {list}."],
  ["No row of {name:text} where {where:rest}.", "لا صف في {name} حيث {where}."],
  ["{n:number} of {total:number} {name:text}, greatest {column:code} first:", "{n} من {total} {name}، الأكبر حسب {column} أولًا:"],
  ["{n:number} of {total:number} {name:text}, smallest {column:code} first:", "{n} من {total} {name}، الأصغر حسب {column} أولًا:"],
  ["{n:number} {name:text}, greatest {column:code} first:", "{n} {name}، الأكبر حسب {column} أولًا:"],
  ["{n:number} {name:text}, smallest {column:code} first:", "{n} {name}، الأصغر حسب {column} أولًا:"],
  ["Here is a chart: {name:bold}, of {count:count} where {where:rest}.", "هذا مخطط: {name}، من {count} حيث {where}."],
  ["Here is a chart: {name:bold}, of {count:count}.", "هذا مخطط: {name}، من {count}."],
  ["{n:number} of {count:count} have no value.", "{n} من {count} بلا قيمة."],
  ["Greatest: {list:text}.", "الأكبر: {list}."],
  ["Most rows, {n:number}, are from {low:text} to {high:text}.", "معظم الصفوف ({n}) من {low} إلى {high}."],
  ["{name:text} has the greatest {column:code}: {value:text}.", "صاحب أكبر {column} هو {name}: {value}."],
  ["{name:text} has the smallest {column:code}: {value:text}.", "صاحب أصغر {column} هو {name}: {value}."],
  ["{name:text} has the most: {value:text}.", "الأكثر عددًا هو {name}: {value}."],
  ["{name:text} has the fewest: {value:text}.", "الأقل عددًا هو {name}: {value}."],
  ["{name:text} has the most {things:text}: {value:text}.", "الأكثر في عدد {things} هو {name}: {value}."],
  ["{name:text} has the fewest {things:text}: {value:text}.", "الأقل في عدد {things} هو {name}: {value}."],
  ["Also: {list:text}.", "وأيضًا: {list}."],
  ["There are also {list:text}.", "وهناك أيضًا {list}."],
  ["Geometries: {list:text}.", "الأشكال الهندسية: {list}."],
  ["Interpreted as {places:text}.", "فُهم المقصود على أنه {places}."],
  ["{title:text}: {names:text} has the greatest, {value:text}.", "{title}: الأكبر {names}، {value}."],
  ["Arcs of {source:text} from {start:text} to {end:text}: {n:number}.", "أقواس {source} من {start} إلى {end}: {n}."],
  ["Arcs of {source:text}: {n:number}.", "أقواس {source}: {n}."],
  ["Rows without both ends, or with both at one place, have no line.", "لا خط للصفوف التي ينقصها أحد الطرفين أو يقع طرفاها في موضع واحد."],
  ["{title:text}: counted for {n:number} of them.", "{title}: تم العدّ لـ {n} منها."],
  ["The {n:number} greatest of {total:number}:", "الأكبر ({n}) من {total}:"],
  ["The {n:number} smallest of {total:number}:", "الأصغر ({n}) من {total}:"],
  ["Grouped by the column {column:code}.", "مجمّعة حسب العمود {column}."],
  ["Wrote {count:count} in {crs:text}: {link:text}.", "كُتب {count} بنظام {crs}: {link}."],
  ["Wrote {count:count}: {link:text}.", "كُتب {count}: {link}."],
];

const REFUSALS: readonly Template[] = [
  ["I cannot do that: {words:text} are not words of this language, nor names of tables or columns that you mention.",
    "لا يمكن ذلك: {words} ليست من كلمات هذه اللغة ولا أسماء جداول أو أعمدة تذكرها."],
  ["I cannot do that: {words:text} is not a word of this language, nor the name of a table or column that you mention.",
    "لا يمكن ذلك: {words} ليست من كلمات هذه اللغة ولا اسم جدول أو عمود تذكره."],
  ["I cannot do that: no table and no place is called “{text:text}”.", "لا يمكن ذلك: لا جدول ولا مكان باسم “{text}”."],
  ["I cannot do that: no layer on the map is called “{text:text}”.", "لا يمكن ذلك: لا طبقة على الخريطة باسم “{text}”."],
  ["I cannot do that: no table has a column for “{text:text}”.", "لا يمكن ذلك: لا عمود عن “{text}” في أي جدول."],
  ["I cannot do that: no table here is about “{text:text}”.", "لا يمكن ذلك: لا جدول هنا عن “{text}”."],
  ["I cannot do that: nothing of {table:text} lies in {area:text}, of {areas:text}.", "لا يمكن ذلك: لا شيء من {table} يقع داخل {area} ({areas})."],
  ["I cannot do that: nothing is selected on the map.", "لا يمكن ذلك: لا شيء محدد على الخريطة."],
  ["I cannot do that: {n:number} rows of {table:text} are no longitude and latitude (x in -180..180, y in -90..90). x and y look exchanged.",
    "لا يمكن ذلك: {n} من صفوف {table} ليست خطوط طول وعرض (x بين -180 و180، وy بين -90 و90). يبدو أن x وy متبادلان."],
  ["I cannot do that: {n:number} rows of {table:text} are no longitude and latitude (x in -180..180, y in -90..90).",
    "لا يمكن ذلك: {n} من صفوف {table} ليست خطوط طول وعرض (x بين -180 و180، وy بين -90 و90)."],
  ["I cannot do that: I could not read all of that as steps of an analysis.", "لا يمكن ذلك: لم أستطع قراءة الطلب كله خطواتِ تحليل."],
  ["I cannot do that: {n:number} places are called “{text:text}”, and their names do not tell them apart.",
    "لا يمكن ذلك: لا تميّز الأسماء بين الأماكن التي تحمل اسم “{text}” ({n})."],
  ["I cannot do that: the distance is missing.", "لا يمكن ذلك: المسافة غير محددة."],
  ["I cannot do that: {reason:text}.", "لا يمكن ذلك: {reason}."],
  ["Say “{words:text}” to see where they are.", "اكتب “{words}” لرؤية مواضعها."],
  ["Say “{words:text}” to go there.", "اكتب “{words}” للانتقال إلى هناك."],
  ["Say for example “{words:text}”.", "اكتب مثلًا “{words}”."],
  ["I did not understand “{text:text}”.", "لم أفهم “{text}”."],
  ["I know plain commands only, so I changed nothing.", "أعرف أوامر بسيطة فقط، لذلك لم أغيّر شيئًا."],
  ["You could say:", "يمكنك أن تكتب:"],
  ["I work without a language model, so I understand plain commands: show, filter, colour, label, count, rank, zoom, undo.",
    "أعمل دون نموذج لغوي، لذلك أفهم أوامر بسيطة: الإظهار والتصفية والتلوين والتسمية والعدّ والترتيب والتقريب والتراجع."],
  ["For example:", "مثلًا:"],
  ["I understood “{understood:text}”, but not “{rest:text}”, so I changed nothing.", "فهمت “{understood}” ولم أفهم “{rest}”، لذلك لم أغيّر شيئًا."],
  ["The tables are {names:text}.", "الجداول هي {names}."],
  ["The layers are {names:text}.", "الطبقات هي {names}."],
  ["Click on features to select them.", "انقر على العناصر لتحديدها."],
  ["That did not work: {why:text}.", "لم ينجح ذلك: {why}."],
  ["That was stopped.", "أُوقف ذلك."],
  ["That took too long and was stopped.", "استغرق ذلك وقتًا طويلًا فأُوقف."],
  ["Ask for less at once.", "اطلب أقل في المرة الواحدة."],
  ["You did not allow that, so I left it.", "لم تسمح بذلك، فتركته."],
  ["What would you like to see?", "ماذا تريد أن ترى؟"],
  ["You are welcome.", "على الرحب والسعة."],
  ["On the map, top first:", "على الخريطة، من الأعلى:"],
  ["The map has no layers yet.", "لا طبقات على الخريطة بعد."],
];

/** The lines beside tool calls. */
const SUMMARIES: readonly Template[] = [
  ["Undone: {what:text}", "تم التراجع: {what}"],
  ["{n:number} places called “{text:text}”", "أماكن باسم “{text}”: {n}"],
  ["Statistics of {name:text}", "إحصاءات {name}"],
  ["Cannot be done: {why:text}", "غير ممكن: {why}"],
  ["Nothing to undo", "لا شيء للتراجع عنه"],
  ["Nothing to redo", "لا شيء لإعادته"],
];

const FRAGMENTS: readonly Template[] = [
  ...([
    ["red", "الأحمر"], ["blue", "الأزرق"], ["green", "الأخضر"], ["orange", "البرتقالي"], ["purple", "البنفسجي"], ["yellow", "الأصفر"],
    ["black", "الأسود"], ["white", "الأبيض"], ["grey", "الرمادي"], ["brown", "البني"], ["pink", "الوردي"],
  ] as const).map(([server, own]): Template => [`in ${server}`, `باللون ${own}`]),
  [", coloured by {column:code}", "، ملوّنة حسب {column}"],
  ["coloured by {column:code}", "ملوّنة حسب {column}"],
  [", labelled by {column:code}", "، مع تسميات {column}"],
  [", size {size:number}", "، بحجم {size}"],
  ["with a colour for each {column:code}", "بلون لكل قيمة من {column}"],
  ["as circles sized by {column:code}", "دوائر بحجم حسب {column}"],
  ["as a heat map weighted by {column:code}", "خريطة كثافة موزونة حسب {column}"],
  ["as a heat map", "خريطة كثافة"],
  ["as clusters, numbered circles that split when you zoom in", "مجموعات: دوائر مرقّمة تنقسم عند التقريب"],
  ...([["hexagons", "خلايا سداسية"], ["squares", "مربعات"]] as const).flatMap(([server, own]) =>
    ([["number of features", "عدد العناصر"], ["average of {column:code}", "متوسط {column}"], ["sum of {column:code}", "مجموع {column}"],
      ["lowest of {column:code}", "أصغر {column}"], ["highest of {column:code}", "أكبر {column}"]] as const).flatMap(([shown, said]): Template[] => [
      [`as ${server} that show the ${shown} in each`, `${own} تعرض ${said} في كل منها`],
      [`as ${server} {width:number} pixels wide that show the ${shown} in each`, `${own} بعرض {width} بكسل تعرض ${said} في كل منها`],
    ])),
  [" in EPSG:{srid:text}", " بنظام EPSG:{srid}"],
  [", points", "، نقاط"],
  [", lines", "، خطوط"],
  [", areas", "، مساحات"],
  [", no geometry", "، بلا هندسة"],
  ["the position is in the given area", "الموقع داخل المنطقة المحددة"],
  ["the position is in ", "الموقع داخل "],
  ["the position is not in ", "الموقع ليس داخل "],
  [" is not ", " ليس "],
  [" is empty", " فارغ"],
  [" is ", " = "],
  [" contains ", " يحتوي "],
  [" and {column:column}", " و{column}"],
  [" or {column:column}", " أو {column}"],
];

const sentences = sentencesIn({
  sentences: [...CHANGES, ...DATA, ...REFUSALS, ...SUMMARIES, ...METHOD, ...LEGENDS], fragments: FRAGMENTS, nouns: NOUNS, about: "نحو",
});

export const wording: Wording = { sentences, tool: (name) => TOOLS[name] };
