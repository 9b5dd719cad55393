/** What a person can do with charts; the server is asked, and its events change what is shown. */
import { computed, signal } from "@preact/signals";
import { t } from "../i18n/i18n";
import type { Chart, ChartDraft } from "../protocol/types";
import { asked } from "../session/line";
import { past } from "../instance/state";
import { map } from "../store/store";
import { openSide } from "../ui/page/side";
import { notify } from "../ui/toast";

/** Of the moment that is looked at. */
export const charts = computed<readonly Chart[]>(() => past.value?.charts ?? map.value?.charts ?? []);

/** What the form for a new chart begins with; null while it is closed. */
export const draft = signal<Partial<ChartDraft> | null>(null);

export const refreshChart = (id: string): Promise<boolean> => asked("chart_refresh", { chart_id: id });

export async function addChart(chart: ChartDraft): Promise<boolean> {
  const done = await asked("chart_add", { chart });
  if (done) openSide("charts");
  return done;
}

export async function removeChart(id: string): Promise<void> {
  if (await asked("chart_remove", { chart_id: id })) notify(t("chartRemoved"));
}

/** Opens the form, filled in as far as is known. */
export function startChart(given: Partial<ChartDraft>): void {
  draft.value = given;
  openSide("charts");
}

/** The numbers that are drawn, as the server writes them. */
export function saveChartRows(chart: Chart): void {
  const link = document.createElement("a");
  link.href = `${chart.data}.csv`;
  link.download = "";
  link.click();
}
