/** The charts of a map that was saved as one file: drawn as they were, with what they do not show. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { seriesColour } from "../../charts/colours";
import { markedOf } from "../../charts/hits";
import { Plot } from "../../charts/plot";
import { shapeOf, type Stop, titleOf } from "../../charts/shape";
import { describeStop, noteOf } from "../../charts/words";
import { t } from "../../i18n/i18n";
import type { Chart, ChartData } from "../../protocol/types";

export interface SavedChart {
  chart: Chart;
  data: ChartData;
}

export function ChartView({ chart, data }: SavedChart) {
  const over = useSignal<Stop | null>(null);
  const shape = useMemo(() => shapeOf(chart, data), []);
  const words = over.value === null ? noteOf(chart) || t("rowCount", { n: chart.rows }) : describeStop(chart, data, over.value);
  return (
    <section>
      <h2 dir="auto">{titleOf(chart)}</h2>
      {shape.series.length > 0 && (
        <ul class="chart-legend">
          {shape.series.map((name, index) => (
            <li key={index} dir="auto"><i style={{ background: seriesColour(index) }} />{name}</li>
          ))}
        </ul>
      )}
      <Plot
        shape={shape} label={titleOf(chart)} describeStop={(stop) => describeStop(chart, data, stop)} chosen={null} marked={markedOf(shape, over.value, null, [])}
        hover={(stop) => (over.value = stop)} choose={() => undefined}
      />
      <p>{words}</p>
    </section>
  );
}
