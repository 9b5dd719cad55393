/** The name of the map in the head of the page, which a click makes editable; it is the page's title too. */
import { effect, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n/i18n";
import { describeMap } from "../session/commands";
import { description, map, mayChange } from "../store/store";

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
  if (editing.value) return <NameField name={name} done={() => (editing.value = false)} />;
  return (
    <button
      type="button" class={name === "" ? "map-name unnamed" : "map-name"} dir="auto" title={t("renameMap")}
      aria-label={`${shown}. ${t("renameMap")}`} onClick={() => (editing.value = true)}
    >
      {shown}
    </button>
  );
}

function NameField({ name, done }: { name: string; done: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  useLayoutEffect(() => input.current?.select(), []);
  const end = (save: boolean) => {
    // Leaving the field by a key also takes the focus from it.
    if (isOver.current) return;
    isOver.current = true;
    const wanted = input.current?.value.trim() ?? "";
    if (save && wanted !== name) void describeMap({ name: wanted });
    done();
  };
  return (
    <input
      ref={input} class="map-name" aria-label={t("mapName")} defaultValue={name} maxLength={MAX_NAME} dir="auto"
      placeholder={t("unnamedMap")} onBlur={() => end(true)}
      onKeyDown={(event) => {
        if (event.key === "Enter") end(true);
        if (event.key === "Escape") end(false);
      }}
    />
  );
}
