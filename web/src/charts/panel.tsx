/** All charts of the map, the newest first, and the form for a new one. */
import { useRef } from "preact/hooks";
import { t } from "../i18n/i18n";
import { mayChangeNow } from "../instance/state";
import { onEscape, ReturnFocus, useFocusOnOpen } from "../ui/focus";
import { Icon, IconButton } from "../ui/icons";
import { side } from "../ui/page/side";
import { charts, draft, startChart } from "./actions";
import { ChartForm } from "./form";
import { ChartFigure } from "./figure";

export function ChartsPanel() {
  const all = charts.value.toReversed();
  const panel = useRef<HTMLElement>(null);
  useFocusOnOpen(panel);
  return (
    <section ref={panel} class="side charts" tabIndex={-1} aria-label={t("charts")} onKeyDown={onEscape(() => (side.value = "chat"))}>
      <ReturnFocus />
      <header class="side-head">
        <h2>{t("charts")}</h2>
        <IconButton icon="close" label={t("close")} onClick={() => (side.value = "chat")} />
      </header>
      <div class="chart-list" tabIndex={0}>
        {!mayChangeNow.value ? null : draft.value === null ? (
          <button type="button" class="button plain chart-new" onClick={() => startChart({})}><Icon name="plus" />{t("chartNew")}</button>
        ) : <ChartForm given={draft.value} />}
        {all.length === 0 && draft.value === null && <p class="quiet chart-none">{t("chartsEmpty")}</p>}
        {all.map((chart) => <ChartFigure key={`${chart.id} ${chart.version}`} chart={chart} />)}
      </div>
    </section>
  );
}
