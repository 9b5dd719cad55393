import { t } from "../i18n/i18n";
import { Icon } from "../ui/icons";

/** Shown instead of the map; with a link to a new map if none exists at this address. */
export function NoMap({ reason, hint, isMissing = true }: { reason: string; hint: string; isMissing?: boolean }) {
  return (
    <div class="no-map card" role="alert">
      <Icon name="alert" />
      <h2>{reason}</h2>
      <p>{hint}</p>
      {isMissing && <a class="button" href="/">{t("startNewMap")}</a>}
    </div>
  );
}
