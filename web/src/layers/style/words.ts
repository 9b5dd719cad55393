/** What an entry of a legend means, in the language of the page. Pure. */
import { compact } from "../../i18n/format";
import { number, t } from "../../i18n/i18n";
import { columnTitle } from "../../data/titles";
import type { Key } from "../../i18n/en";
import type { Layer, Legend, LegendEntry } from "../../protocol/types";

/** Class limits are written exactly, so that a label never says more or less than what is drawn. */
const EXACT = 15;
/** From here on whole numbers are shortened, and "up to 2,999,999" would read "up to 3M", which belongs to the next class. */
const LARGE = 1e6;

const limit = (value: number): string =>
  Math.abs(value) >= LARGE ? compact(value, EXACT) : number(value, { maximumSignificantDigits: EXACT });

const STATISTICS: Readonly<Record<string, Key>> = {
  mean: "statisticMean", sum: "chartSum", min: "statisticMin", max: "statisticMax",
};

/** What the classes are of; empty where the entries say it. */
export function legendTitle({ legend: { kind, title }, style }: Pick<Layer, "legend" | "style">): string {
  if (kind === "single" || kind === "cluster") return "";
  const { column, statistic } = style;
  if (kind === "hexbin" || kind === "grid") {
    const words = column == null ? undefined : STATISTICS[statistic ?? "mean"];
    return words === undefined ? t("statisticCount") : `${t(words)}: ${columnTitle(column ?? "")}`;
  }
  return title === column ? columnTitle(title) : title;
}

/** The entries as they are worded: the only one of clusters says what their circles count. */
export function legendEntries({ kind, entries }: Legend): readonly LegendEntry[] {
  return kind === "cluster" ? entries.map((entry) => ({ ...entry, label: t("statisticCount") })) : entries;
}

export function legendLabel(entry: LegendEntry): string {
  switch (entry.code) {
    case "range": return rangeLabel(entry);
    case "value": return valueLabel(entry);
    case "other": return t("legendOther");
    case "no_data": return t("legendNoData");
    case "few": return t("legendFew");
    case "many": return t("legendMany");
    default: return entry.label;
  }
}

function valueLabel({ value, label }: LegendEntry): string {
  if (typeof value === "number") return limit(value);
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  return typeof value === "string" && value.trim() === "" ? t("chartBlank") : label;
}

function rangeLabel({ minimum, maximum, open, whole, label }: LegendEntry): string {
  const [low, high] = [open === "below" || open === "both" ? null : minimum, open === "above" || open === "both" ? null : maximum];
  if (low == null && high == null) return open === "both" ? t("legendAll") : label;
  if (high == null) return t("legendFrom", { low: limit(low ?? 0) });
  const last = whole && high - 1 < LARGE ? high - 1 : null;
  if (low == null && last !== null && minimum === last) return limit(last);
  if (low == null) return last === null ? t("legendBelow", { high: limit(high) }) : t("legendUpTo", { high: limit(last) });
  if (last !== null && last <= low) return limit(low);
  const ends = { low: limit(low), high: limit(last ?? high) };
  return last === null ? t("legendFromBelow", ends) : t("legendFromTo", ends);
}
