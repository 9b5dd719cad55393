/** A chart's numbers as a table; each row points at the same features as its part of the plot. */
import { locale, number, t } from "../i18n/i18n";
import type { Chart, ChartData } from "../protocol/types";
import { nameOf, shapeOf, type Stop, titleOf } from "./shape";

const MOST_ROWS = 200;

interface Props {
  chart: Chart;
  data: ChartData;
  point: (part: Stop | null) => void;
  choose: (part: Stop) => void;
}

export function ChartTable({ chart, data, point, choose }: Props) {
  const shape = shapeOf(chart, data);
  const parts: Stop[] = shape.points === null ? shape.marks : shape.points.x.slice(0, MOST_ROWS).map((_, index) => index);
  const head = headOf(chart, data);
  return (
    <div class="chart-table" tabIndex={0} role="region" aria-label={titleOf(chart)}>
      <table>
        <thead><tr>{head.map((name) => <th key={name} scope="col" dir="auto">{name}</th>)}</tr></thead>
        <tbody>
          {parts.map((part, index) => {
            const [first, ...rest] = cellsOf(chart, data, part);
            return (
              <tr key={index} onMouseEnter={() => point(part)} onMouseLeave={() => point(null)}>
                <th scope="row" dir="auto">
                  <button type="button" onFocus={() => point(part)} onBlur={() => point(null)} onClick={() => choose(part)}>{first}</button>
                </th>
                {rest.map((cell, column) => <td key={column} dir="auto">{cell}</td>)}
              </tr>
            );
          })}
        </tbody>
      </table>
      {shape.points !== null && shape.points.x.length > MOST_ROWS && (
        <p class="chart-note">{t("chartTableCut", { n: MOST_ROWS, total: shape.points.x.length })}</p>
      )}
    </div>
  );
}

function headOf(chart: Chart, data: ChartData): string[] {
  const split = data.series === null ? [] : [chart.color ?? ""];
  if (data.points !== null) return [chart.x ?? "", chart.y ?? "", ...split];
  if (chart.kind === "box") return [chart.x ?? chart.y ?? "", t("chartMedian"), t("chartMiddle"), t("chartWhiskers"), t("chartRows")];
  const measure = isMeasured(chart) ? [chart.y ?? ""] : [];
  return [chart.x ?? "", ...split, ...measure, t("chartRows")];
}

function cellsOf(chart: Chart, data: ChartData, part: Stop): string[] {
  const exact = (value: number | null) => (value === null ? "" : number(value, { maximumFractionDigits: 2 }));
  if (typeof part === "number") {
    const { points } = data;
    const x = points?.x[part] ?? 0;
    const series = points?.series?.[part];
    const split = data.series === null || series === undefined ? [] : [nameOf(chart, data.series, series)];
    return [data.time ? new Date(x * 1000).toLocaleDateString(locale.value, { timeZone: "UTC" }) : exact(x), exact(points?.y[part] ?? 0), ...split];
  }
  const { box } = part;
  const place = nameOf(chart, data.x, part.place);
  if (box !== null) {
    return [
      place, exact(box.median), t("chartFromTo", { from: exact(box.first), to: exact(box.third) }),
      t("chartFromTo", { from: exact(box.low), to: exact(box.high) }), exact(box.count),
    ];
  }
  const split = data.series === null ? [] : [nameOf(chart, data.series, part.series ?? 0)];
  return [place, ...split, ...(isMeasured(chart) ? [exact(part.value)] : []), exact(part.count)];
}

const isMeasured = ({ aggregate }: Chart): boolean => aggregate !== null && aggregate !== "count";
