/** The languages of the page: English is part of it, and of the server; any other is loaded when it is chosen. */
import { local } from "../browser/storage";
import { en } from "./en";
import { speak } from "./i18n";
import type { Language, Loaded } from "./types";

export const LANGUAGES: Record<Language, { name: string; load: () => Promise<Loaded> }> = {
  en: { name: "English", load: async () => ({ strings: en, wording: null }) },
  ar: { name: "العربية", load: loadArabic },
};

const STORED = "geoagent.language";

/** Loads the language that this person chose, or that the browser prefers; English where it cannot be loaded. */
export async function startLanguage(): Promise<void> {
  await show(preferred()).catch(() => undefined);
}

/** Rejects when the language cannot be loaded, and leaves the page as it is. */
export async function setLanguage(next: Language): Promise<void> {
  await show(next);
  local.setItem(STORED, next);
}

async function show(next: Language): Promise<void> {
  speak(next, await LANGUAGES[next].load());
}

async function loadArabic(): Promise<Loaded> {
  const [{ ar }, { wording }] = await Promise.all([import("./ar"), import("./ar/wording")]);
  return { strings: ar, wording };
}

function preferred(): Language {
  const stored = local.getItem(STORED);
  if (stored !== null && stored in LANGUAGES) return stored as Language;
  const short = navigator.language.slice(0, 2);
  return short in LANGUAGES ? (short as Language) : "en";
}
