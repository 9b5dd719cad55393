/** What a column of a table holds, in a line over the rows: counts, ends, middle. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { number, t } from "../i18n/i18n";
import { formatValue } from "../i18n/format";
import { IconButton } from "../ui/icons";
import { readStatistics, type Row, type Subject } from "../data/rows";

const NAMES = {
  count: "chartRows", nulls: "statEmpty", distinct: "statDistinct", minimum: "chartMinimum", maximum: "chartMaximum",
  mean: "chartMean", median: "chartMedian", sum: "chartSum",
} as const;
const COUNTS = ["count", "nulls", "distinct"];

export function Statistics({ mapId, subject, column, close }: { mapId: string; subject: Subject; column: string; close: () => void }) {
  const found = useSignal<Row | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    const over = new AbortController();
    [found.value, fault.value] = [null, null];
    readStatistics(mapId, subject, column, over.signal).then(
      (row) => (found.value = row),
      (error: Error) => { if (!over.signal.aborted) fault.value = error.message; },
    );
    return () => over.abort();
  }, [column]);
  return (
    <div class="statistics" role="status" aria-busy={found.value === null && fault.value === null}>
      <strong dir="auto">{column}</strong>
      {fault.value}
      {found.value !== null && (
        <dl>
          {Object.entries(NAMES).map(([name, label]) => found.value?.[name] != null && (
            <div key={name}>
              <dt>{t(label)}</dt>
              <dd dir="auto">{COUNTS.includes(name) ? number(found.value[name] as number) : formatValue(column, found.value[name])}</dd>
            </div>
          ))}
        </dl>
      )}
      <IconButton icon="close" label={t("close")} onClick={close} />
    </div>
  );
}
