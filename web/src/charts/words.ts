/** What a chart and its parts say in words. */
import { exact, formatNumber } from "../i18n/format";
import { t } from "../i18n/i18n";
import type { Chart, ChartData } from "../protocol/types";
import { nameOf, type Stop } from "./shape";

/** Which rows a chart does not show; empty if it shows all. */
export function noteOf({ rows, usable, shown }: Chart): string {
  if (rows === 0) return t("chartNothing");
  const parts = [
    ...(shown < usable ? [t("chartSample", { n: shown, total: usable })] : []),
    ...(usable < rows ? [t("chartMissing", { n: rows - usable, total: rows })] : []),
  ];
  return parts.join(" ");
}

/** What a mark or a point represents. */
export function describeStop(chart: Chart, data: ChartData, over: Stop): string {
  if (typeof over === "number") {
    const [x, y] = [data.points?.x[over] ?? 0, data.points?.y[over] ?? 0];
    return `${chart.x}: ${data.time ? new Date(x * 1000).toISOString().slice(0, 10) : formatNumber(chart.x ?? "", x)} · ${chart.y}: ${formatNumber(chart.y ?? "", y)}`;
  }
  const place = nameOf(chart, data.x, over.place);
  const series = data.series === null ? "" : ` · ${nameOf(chart, data.series, over.series ?? 0)}`;
  const rows = t("rowCount", { n: over.count });
  const measured = chart.aggregate !== null && chart.aggregate !== "count" ? `${exact(over.value ?? 0)} · ` : "";
  const quartiles = over.box === null ? "" : `${t("chartQuartiles", {
    first: exact(over.box.first), median: exact(over.box.median), third: exact(over.box.third),
  })} · `;
  return `${place}${series}: ${measured}${quartiles}${rows}`;
}
