import { t } from "../i18n/i18n";
import type { Chart } from "../protocol/types";

/** Which rows a chart does not show; empty if it shows all. */
export function noteOf({ rows, usable, shown }: Chart): string {
  if (rows === 0) return t("chartNothing");
  const parts = [
    ...(shown < usable ? [t("chartSample", { n: shown, total: usable })] : []),
    ...(usable < rows ? [t("chartMissing", { n: rows - usable, total: rows })] : []),
  ];
  return parts.join(" ");
}
