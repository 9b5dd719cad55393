/** The charts of a map that was saved as one file: drawn as they were, with what they do not show. */
import { useEffect, useRef } from "preact/hooks";
import { coloursOf, SERIES } from "../../charts/colours";
import { Plot } from "../../charts/plot";
import { noteOf } from "../../charts/note";
import { shapeOf, titleOf } from "../../charts/shape";
import { direction, t } from "../../i18n/i18n";
import type { Chart, ChartData } from "../../protocol/types";

export interface SavedChart {
  chart: Chart;
  data: ChartData;
}

export function ChartView({ chart, data }: SavedChart) {
  const box = useRef<HTMLDivElement>(null);
  const shape = shapeOf(chart, data);
  useEffect(() => {
    if (box.current === null) return;
    const nothing = { hover: () => undefined, choose: () => undefined };
    const plot = new Plot(box.current, shape, coloursOf(box.current), direction.value === "rtl", nothing);
    return () => plot.destroy();
  }, []);
  return (
    <section>
      <h2 dir="auto">{titleOf(chart)}</h2>
      {shape.series.length > 0 && (
        <ul class="chart-legend">
          {shape.series.map((name, index) => (
            <li key={index} dir="auto"><i style={{ background: SERIES[Math.min(index, SERIES.length - 1)] }} />{name}</li>
          ))}
        </ul>
      )}
      <div class="chart-plot" ref={box} dir="ltr" role="img" aria-label={titleOf(chart)} />
      <p>{noteOf(chart) || t("rowCount", { n: chart.rows })}</p>
    </section>
  );
}
