/** All charts of the map, the newest first, and the form for a new one. */
import { t } from "../i18n/i18n";
import { mayChangeNow } from "../instance/state";
import { Icon } from "../ui/icons";
import { SidePanel } from "../ui/page/side-panel";
import { charts, draft, startChart } from "./actions";
import { ChartForm } from "./form";
import { ChartFigure } from "./figure";

export function ChartsPanel() {
  const all = charts.value.toReversed();
  return (
    <SidePanel title={t("charts")} class="charts">
      <div class="chart-list" tabIndex={0}>
        {!mayChangeNow.value ? null : draft.value === null ? (
          <button type="button" class="button plain chart-new" onClick={() => startChart({})}><Icon name="plus" />{t("chartNew")}</button>
        ) : <ChartForm given={draft.value} />}
        {all.length === 0 && draft.value === null && <p class="quiet chart-none">{t("chartsEmpty")}</p>}
        {all.map((chart) => <ChartFigure key={`${chart.id} ${chart.version}`} chart={chart} />)}
      </div>
    </SidePanel>
  );
}
