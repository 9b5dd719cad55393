import { t, time } from "../i18n/i18n";
import { restore } from "../session/commands";
import { compared, past } from "../instance/state";
import { mayChange } from "../store/store";
import { Icon } from "../ui/icons";

/** Over the map while it shows the past. */
export function PastBanner() {
  const moment = past.value;
  if (moment === null) return null;
  return (
    <div class="past card" role="status">
      <Icon name="history" />
      <span>{t("pastShown", { time: time(moment.at) })}</span>
      {compared.value === null && <button type="button" class="link" onClick={() => (compared.value = "now")}>{t("compareWithNow")}</button>}
      {mayChange.value && <button type="button" class="link" onClick={() => void restore(moment.seq)}>{t("pastRestore")}</button>}
      <button type="button" class="link" onClick={() => (past.value = null)}>{t("pastLeave")}</button>
    </div>
  );
}
