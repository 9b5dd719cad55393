/** Everything that the palette can do: the page's menu, the tools, saved views, and what can be done with each layer. */
import { t } from "../i18n/i18n";
import { actions, show } from "../layers/actions";
import { goToBookmark } from "../session/camera";
import { redo, undo } from "../session/commands";
import { isShown } from "../instance/state";
import { bookmarks, layers, mayChange } from "../store/store";
import { pageItems } from "../page/header";
import { toolItems } from "../page/toolbar";
import type { IconName } from "../ui/icons";
import type { MenuItem } from "../ui/menu";

export interface Command {
  label: string;
  section: string;
  icon: IconName | undefined;
  /** The keys that do the same, as they are written on them. */
  keys: string;
  act: () => void;
}

export function commands(): Command[] {
  return [
    command("", { label: t("search"), icon: "search", act: focusSearch }, "Ctrl /"),
    command("", { label: t("placeholder"), icon: "chat", act: () => document.getElementById("message")?.focus() }),
    ...(mayChange.value ? [
      command("", { label: t("undo"), icon: "undo", act: () => void undo() }, "Ctrl Z"),
      command("", { label: t("redo"), icon: "redo", act: () => void redo() }, "Ctrl Shift Z"),
    ] : []),
    ...sectioned(pageItems().filter(({ label }) => label !== t("palette"))),
    ...sectioned(toolItems(), t("tools")),
    ...bookmarks.value.map((bookmark) => command(t("views"), { label: bookmark.name, icon: "bookmark", act: () => goToBookmark(bookmark) })),
    ...layers.value.toReversed().flatMap((layer) => [
      ...(mayChange.value ? [command(layer.name, {
        label: t(isShown(layer) ? "hideLayer" : "showLayer", { name: layer.name }), icon: isShown(layer) ? "eye" : "eyeOff",
        act: () => show(layer, !isShown(layer)),
      })] : []),
      ...actions(layer).filter(({ disabled }) => disabled !== true).map((item) => command(layer.name, item)),
    ]),
  ];
}

export function focusSearch(): void {
  document.querySelector<HTMLElement>(".search input")?.focus();
}

/** A heading of a menu holds for the items below it. */
function sectioned(items: readonly MenuItem[], section = ""): Command[] {
  return items.map((item) => command((section = item.section ?? section), item));
}

function command(section: string, { label, icon, act }: MenuItem, keys = ""): Command {
  return { label, section, icon, keys, act };
}
