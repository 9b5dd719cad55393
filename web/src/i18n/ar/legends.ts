/** The notes below legends, in Arabic. */
import type { Template } from "../sentences";

export const LEGENDS: readonly Template[] = [
  ["All values are missing.", "لا قيم."],
  ["All values are the same.", "كل القيم متساوية."],
  ["{n:number} classes instead of {asked:number}, because many rows share a value.", "{n} من الفئات بدل {asked}، لأن صفوفًا كثيرة تشترك في القيمة نفسها."],
  ["Natural breaks of {n:text} quantiles of {total:text} values.", "فواصل طبيعية محسوبة من {n} شريحة كمية لـ {total} قيمة."],
  ["There are no values to show.", "لا قيم لعرضها."],
  ["The {n:number} most frequent of {total:text} values.", "القيم الأكثر تكرارًا: {n} من {total}."],
  ["Weighted by {column:text}; {top:text} and more weigh the most.", "موزونة حسب {column}؛ القيمة {top} وما فوقها لها أكبر وزن."],
  ["Values below zero have their own colour.", "للقيم الأصغر من الصفر لون خاص."],
  ["{n:text} without a value are not drawn.", "لا تُرسم العناصر التي بلا قيمة: {n}."],
  ["{table:text} no longer has {column:text}, which is not shown.", "لم يعد في {table} العمود {column}، فلا يُعرض."],
  ["{table:text} no longer has {columns:text}, which are not shown.", "لم تعد في {table} الأعمدة {columns}، فلا تُعرض."],
  ["Zoomed out, values of cells are computed from a sample of the rows, so extremes may be missed.",
    "عند التصغير تُحسب قيم الخلايا من عيّنة من الصفوف، وقد تغيب أعلى القيم وأدناها."],
  ["Drawn from a sample of {n:number} of {total:number} rows; close up, from the files. Counts of classes are of the sample.",
    "مرسومة من عيّنة من {n} من أصل {total} صف؛ وعن قرب من الملفات. أعداد الفئات من العيّنة."],
  ["Drawn from a sample of {n:number} of {total:number} rows; close up, from the files.",
    "مرسومة من عيّنة من {n} من أصل {total} صف؛ وعن قرب من الملفات."],
];
