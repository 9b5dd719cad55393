/** The texts of the server's templates, and the names of the tools, in Arabic. */
import type { Code } from "../../protocol/messages";
import type { Wording } from "../types";
import { requestsIn, wordedIn } from "../worded";
import { analysis } from "./wordings/analysis";
import { changes } from "./wordings/changes";
import { common } from "./wordings/common";
import { data } from "./wordings/data";
import { files } from "./wordings/files";
import { filters } from "./wordings/filters";
import { steps } from "./wordings/steps";
import { styles } from "./wordings/styles";
import { tools } from "./wordings/tools";
import { faults } from "./wordings/faults";
import { lake } from "./wordings/lake";
import { maps } from "./wordings/maps";
import { methods } from "./wordings/methods";
import { notes } from "./wordings/notes";
import { offline } from "./wordings/offline";
import { refusals } from "./wordings/refusals";

const TOOLS: Record<string, string> = {
  add_map_layer: "إضافة طبقة", update_map_layer: "تعديل طبقة", remove_map_layer: "إزالة طبقة", reset_map: "إفراغ الخريطة",
  zoom_to: "الانتقال إلى موضع", undo: "تراجع", redo: "إعادة", list_tables: "قائمة الجداول", search_tables: "البحث في الجداول",
  describe_table: "وصف جدول", count_features: "عدّ العناصر", column_stats: "إحصاءات عمود", query_features: "قراءة صفوف",
  find_place: "البحث عن مكان", make_chart: "إنشاء مخطط", remove_chart: "إزالة مخطط", export: "تصدير ملف",
  run_sql: "استعلام SQL", run_analysis: "تحليل", drop_result: "حذف نتيجة", save_recipe: "حفظ وصفة", run_recipe: "تشغيل وصفة",
  rename_recipe: "إعادة تسمية وصفة", remove_recipe: "حذف وصفة",
};

export const WORDINGS: Record<Code, string> = { ...common, ...changes, ...data, ...notes, ...refusals, ...faults, ...analysis, ...files, ...filters, ...maps, ...methods, ...lake, ...offline, ...steps, ...styles, ...tools };

export const wording: Wording = {
  // A text that begins with a name is in Arabic all the same, and `dir="auto"` looks at its first letter.
  worded: (signs, parts) => wordedIn(WORDINGS, signs, parts).replace(/^(?=[\u2066\u2068])/, "\u200f"),
  requests: (text, parts) => requestsIn(WORDINGS, text, parts),
  tool: (name) => TOOLS[name],
};
