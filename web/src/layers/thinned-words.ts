/** What a layer says where not everything in view is drawn: in its row, and in pictures of the map. */
import { number, rounded, t, time } from "../i18n/i18n";
import { type Thinning, thinned, tooComplex } from "../map/tiles/thinned";
import type { Layer } from "../protocol/types";

export interface ThinnedWords {
  text: string;
  hint: string;
}

/** Null where everything in view is drawn. */
export function thinnedWords({ id, count, style }: Layer): ThinnedWords | null {
  if (tooComplex.value.has(id)) return { text: t("tooComplex"), hint: t("tooComplexHint") };
  const found = thinned.value.get(id);
  if (found === undefined) return null;
  // The count may become exact only after the map was looked at.
  const total = found.total === null ? null : Math.min(found.total, count);
  const n = number(found.shown);
  if (found.cells) {
    const isSample = found.kind === "sample";
    const text = isSample && style.column != null ? "showingCellsSample" : "showingCells";
    return { text: t(text, { n, total: rounded(total ?? 0) }) + age(found), hint: t(isSample ? "cellsSampleHint" : "cellsOverviewHint") };
  }
  if (total !== null && total <= found.shown) return null;
  if (found.kind === "sample") {
    const text = total === null ? t("showingSample", { n }) : t("showingSampleOf", { n, total: rounded(total) });
    return { text, hint: t("sampleHint") };
  }
  if (found.kind === "overview") {
    const hint = found.circles ? `${t("overviewHint")} ${t("overviewCircles")}` : t("overviewHint");
    return { text: t("showingOverview", { n, total: rounded(total ?? 0) }) + age(found), hint };
  }
  const text = total === null ? t("showingSome", { n }) : t("showingOf", { n, total: number(total) });
  return { text, hint: t("thinnedHint") };
}

function age({ asOf }: Thinning): string {
  return asOf ? ` ${t("overviewAsOf", { time: time(asOf) })}` : "";
}
