/** The name of the map in the head of the page, which a click makes editable; it is the page's title too. */
import { effect, useSignal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { describeMap } from "../session/commands";
import { description, map, mayChange } from "../store/store";
import { NameField } from "../ui/form";

const MAX_NAME = 120;

/** Keeps the title of the page as the map's name. */
export function installTitle(): void {
  effect(() => {
    const name = description.value?.name ?? "";
    document.title = name === "" ? t("appName") : `${name} · ${t("appName")}`;
  });
}

export function MapName() {
  const editing = useSignal(false);
  const name = description.value?.name ?? "";
  if (map.value === null) return <span class="map-name">{t("appName")}</span>;
  const shown = name === "" ? t("unnamedMap") : name;
  if (!mayChange.value) return <span class="map-name" dir="auto" title={shown}>{shown}</span>;
  if (editing.value) return (
    <NameField
      class="map-name" name={name} label={t("mapName")} placeholder={t("unnamedMap")} maxLength={MAX_NAME} done={() => (editing.value = false)}
      save={(wanted) => void describeMap({ name: wanted })}
    />
  );
  return (
    <button
      type="button" class={name === "" ? "map-name unnamed" : "map-name"} dir="auto" title={t("renameMap")}
      aria-label={`${shown}. ${t("renameMap")}`} onClick={() => (editing.value = true)}
    >
      {shown}
    </button>
  );
}
