/** What a table needs cleaned, in a few words: asked for when the table is opened in the catalogue. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { read } from "../connection/read";
import { t } from "../i18n/i18n";
import { addressOf } from "../data/tables";

export interface Quality {
  exact: boolean;
  geometries?: { missing: number; empty: number; invalid: number; duplicates?: number };
  nulls: Record<string, number>;
  empty_texts?: Record<string, number>;
  duplicate_keys?: Record<string, number>;
}

/** One phrase for each kind of fault that there is. */
export function faults({ geometries, nulls, empty_texts, duplicate_keys }: Quality): string[] {
  const shapes = geometries === undefined ? [] : [
    geometries.missing > 0 && t("qualityMissing", { n: geometries.missing }),
    geometries.empty > 0 && t("qualityEmpty", { n: geometries.empty }),
    geometries.invalid > 0 && t("qualityInvalid", { n: geometries.invalid }),
    (geometries.duplicates ?? 0) > 0 && t("qualityDuplicates", { n: geometries.duplicates ?? 0 }),
  ];
  const columns = [
    ...Object.entries(nulls).map(([column, n]) => t("qualityNulls", { n, column })),
    ...Object.entries(empty_texts ?? {}).map(([column, n]) => t("qualityBlank", { n, column })),
    ...Object.entries(duplicate_keys ?? {}).map(([column, n]) => t("qualityRepeated", { n, column })),
  ];
  return [...shapes.filter((it) => it !== false), ...columns];
}

export function QualityLine({ table }: { table: string }) {
  const found = useSignal<Quality | null>(null);
  useEffect(() => {
    const leave = new AbortController();
    // Without an answer there is nothing to say: the table can be used all the same.
    read<Quality>(addressOf(`/${encodeURIComponent(table)}/quality`), leave.signal).then((it) => (found.value = it), () => undefined);
    return () => leave.abort();
  }, [table]);
  if (found.value === null) return null;
  const words = faults(found.value);
  const text = words.length === 0 ? t("qualityGood") : words.join(" · ");
  return <p class="table-comment quality" dir="auto">{found.value.exact ? text : t("qualityEstimated", { text })}</p>;
}
