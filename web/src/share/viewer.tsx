/** For visitors with a view link: a note that they cannot change the map, and how to get an editable copy. */
import { useSignal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { copyMap } from "../session/commands";
import { isGone, layers, map, mayChange } from "../store/store";
import { Icon } from "../ui/icons";

/** Whether the page is embedded in a frame: it then shows the map and its legend only. */
export const embedded = new URLSearchParams(location.search).has("embed");

/** Whether the address is a view link. */
export const byViewLink = location.pathname.startsWith("/m/view_");

export function ViewOnlyChip() {
  if (mayChange.value || isGone.value || map.value === null) return null;
  return <span class="chip view-only" title={t("viewOnlyNote")}><Icon name="eye" /><span>{t("viewOnly")}</span></span>;
}

/** In place of the box to type into. */
export function ViewerNote() {
  const busy = useSignal(false);
  return (
    <div class="viewer-note">
      <p>{t("viewOnlyNote")}</p>
      <button
        type="button" class="button" disabled={busy.value}
        onClick={() => {
          busy.value = true;
          void copyMap().then(() => (busy.value = false));
        }}
      >
        {t("makeCopy")}
      </button>
    </div>
  );
}

/** In a frame: the way to the whole page. */
export function OpenWhole() {
  if (!embedded || isGone.value || map.value === null) return null;
  return (
    <a class="open-whole card" href={location.pathname} target="_blank" rel="noopener">
      <Icon name="link" /><span>{layers.value.length === 0 ? t("appName") : t("openWhole")}</span>
    </a>
  );
}
