/** The head of the conversation: the name, who is here, whether there is a connection, and the page's menu. */
import { language, t } from "../i18n/i18n";
import { LANGUAGES, setLanguage } from "../i18n/languages";
import { People } from "../people/list";
import { copyMap } from "../session/commands";
import { saveFile } from "../session/exports";
import { exporting, openPalette, printing, sharing } from "../ui/page/dialogs";
import { ViewOnlyChip } from "../share/viewer";
import { MapName } from "../document/name";
import { layers, mayChange, status } from "../store/store";
import { setTheme, type Theme, theme } from "../theme/theme";
import { copy } from "../ui/clipboard";
import { linkToView } from "../session/camera";
import { Menu, type MenuItem } from "../ui/menu";
import { IconButton } from "../ui/icons";
import { openSide } from "../ui/page/side";
import { notify } from "../ui/toast";

export function Header() {
  const words = status.value === "online" ? t("online") : status.value === "offline" ? t("offline") : t("connecting");
  return (
    <header class="head">
      <a class="logo" href="/" aria-label={t("home")} title={t("home")}><img src="/favicon.svg" alt="" width="24" height="24" /></a>
      <MapName />
      <span class={`dot dot-${status.value}`} role="img" aria-label={words} title={words} />
      <span class="head-space" />
      <ViewOnlyChip />
      <People />
      <IconButton icon="share" class="share-button" label={t("shareMap")} onClick={() => (sharing.value = true)} />
      <Menu label={t("menu")} icon="more" items={pageItems} />
    </header>
  );
}

/** What concerns the whole page: its menu, and commands of the palette. */
export function pageItems(): MenuItem[] {
  const themes: [Theme, string, "sun" | "moon" | "screen"][] = [
    ["light", t("themeLight"), "sun"], ["dark", t("themeDark"), "moon"], ["system", t("themeSystem"), "screen"],
  ];
  const languages = Object.entries(LANGUAGES) as [keyof typeof LANGUAGES, { name: string }][];
  return [
    { label: t("newMap"), icon: "plus", act: () => location.assign("/?new") },
    { label: t("home"), icon: "home", act: () => location.assign("/") },
    ...(mayChange.value
      ? [{ label: t("catalogue"), icon: "table" as const, act: () => openSide("catalogue") }]
      : [{ label: t("makeCopy"), icon: "copy" as const, act: () => void copyMap() }]),
    { label: t("charts"), icon: "chart", act: () => openSide("charts") },
    { label: t("views"), icon: "bookmark", act: () => openSide("views") },
    { label: t("comments"), icon: "comment", act: () => openSide("comments") },
    { label: t("palette"), icon: "search", act: openPalette },
    { label: t("history"), icon: "history", act: () => openSide("history") },
    { label: t("shareMap"), icon: "share", act: () => (sharing.value = true), section: t("share") },
    { label: t("copyLink"), icon: "link", act: () => void copy(location.href.split(/[?#]/)[0] ?? "", t("linkCopied")) },
    { label: t("copyViewLink"), icon: "pin", act: () => void copy(linkToView(), t("linkCopied")) },
    ...(mayChange.value && layers.value.length > 0
      ? [{ label: t("exportLayers"), icon: "download" as const, act: () => (exporting.value = layers.value.map(({ id }) => id)) }]
      : []),
    { label: t("savePicture"), icon: "download", act: () => void write("savePicture") },
    { label: t("printMenu"), icon: "print", act: () => (printing.value = true) },
    { label: t("saveFile"), icon: "download", act: saveFile },
    { label: t("saveConversation"), icon: "download", act: () => void write("saveConversation") },
    ...themes.map(([value, label, icon], index): MenuItem => ({
      label, icon, checked: theme.value === value, act: () => setTheme(value), ...(index === 0 && { section: t("theme") }),
    })),
    ...languages.map(([value, { name }], index): MenuItem => ({
      label: name, checked: language.value === value, act: () => setLanguage(value),
      ...(index === 0 && { section: t("language") }),
    })),
  ];
}

async function write(what: "savePicture" | "saveConversation"): Promise<void> {
  try {
    const files = await import("../share/files");
    await files[what]();
  } catch {
    notify(t("notLoaded"), "error");
  }
}
