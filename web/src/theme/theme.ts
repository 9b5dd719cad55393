/** Light, dark, or as the system is; remembered on this device. */
import { local } from "../browser/storage";
import { computed, effect, signal } from "@preact/signals";
import type { Palette } from "../basemap/style";

export type Theme = "light" | "dark" | "system";

const STORED = "geoagent.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(dark.matches);
dark.addEventListener("change", () => (systemDark.value = dark.matches));

export const theme = signal<Theme>((local.getItem(STORED) as Theme | null) ?? "system");
export const palette = computed<Palette>(() =>
  theme.value === "system" ? (systemDark.value ? "dark" : "light") : theme.value,
);

export function setTheme(next: Theme): void {
  local.setItem(STORED, next);
  theme.value = next;
}

effect(() => {
  document.documentElement.dataset.theme = palette.value;
});
