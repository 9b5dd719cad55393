/**
 * Which base map is drawn: what the server offers, and what was chosen for the map. While nobody chose one for the map,
 * it is what this person chose last.
 */
import { effect } from "@preact/signals";
import { baseOf, BUILT_IN } from "../basemap/base";
import { t } from "../i18n/i18n";
import { description, mayChange } from "../store/store";
import { local } from "../browser/storage";
import { notify } from "../ui/toast";
import { describeMap } from "./commands";
import { base, baseName, config, type Config, ready } from "../instance/state";

/** Where this browser keeps which base map was chosen. */
const BASE = "geoagent.basemap";

/** Draws another base map under the layers, for everyone where this person may; the built-in one where it cannot be read. */
export async function chooseBase(name: string): Promise<void> {
  local.setItem(BASE, name);
  await loadBase(name);
  if (mayChange.value) await describeMap({ base_map: name });
}

async function loadBase(wanted: string): Promise<void> {
  const found = config.value.basemaps.find(({ name }) => name === wanted);
  try {
    [base.value, baseName.value] = [found === undefined ? BUILT_IN : await baseOf(found.url, found.attribution), found?.name ?? ""];
  } catch (error) {
    [base.value, baseName.value] = [BUILT_IN, ""];
    notify(t("basemapFailed", { reason: error instanceof Error ? error.message : String(error) }), "error");
  }
}

export async function loadConfig(): Promise<void> {
  try {
    const answer = await fetch("/api/config");
    const settings = answer.ok ? ((await answer.json()) as Partial<Config>) : {};
    config.value = { ...config.value, ...settings };
  } catch {
    // Without it there are no suggestions and the built-in base map is shown; the connection informs the user.
  }
  await loadBase(local.getItem(BASE) ?? (config.value.basemap ? config.value.basemaps[0]?.name ?? "" : ""));
  ready.value = true;
  effect(() => {
    const wanted = description.value?.base_map;
    if (wanted != null && wanted !== baseName.peek()) void loadBase(wanted);
  });
}
