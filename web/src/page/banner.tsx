/** Says that the connection is lost, and for a moment that it is back. Never in the way. */
import { effect, signal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { status } from "../store/store";

const back = signal(false);
let wasOffline = false;

effect(() => {
  if (status.value === "offline") wasOffline = true;
  if (status.value !== "online" || !wasOffline) return;
  wasOffline = false;
  back.value = true;
  setTimeout(() => (back.value = false), 2000);
});

export function Banner() {
  const lost = status.value === "offline";
  return (
    <div class="banner-place" role="status" aria-live="polite">
      {lost && <div class="banner"><span class="dot dot-offline" />{t("offline")}</div>}
      {!lost && back.value && <div class="banner"><span class="dot dot-online" />{t("backOnline")}</div>}
    </div>
  );
}
