/** Starts the page: language and direction, the connection, the view, and the keys that work everywhere. */
// Before our own styles, which change some of its rules.
import "maplibre-gl/dist/maplibre-gl.css";
import "./theme/base.css";
import "./theme/chat.css";
import "./theme/steps.css";
import "./theme/turns.css";
import "./theme/composer.css";
import "./theme/figures.css";
import "./theme/layers.css";
import "./theme/legend.css";
import "./theme/editors.css";
import "./theme/side.css";
import "./theme/catalogue.css";
import "./theme/uploads.css";
import "./theme/map.css";
import "./theme/charts.css";
import "./theme/search.css";
import "./theme/table.css";
import "./theme/time.css";
import "./theme/people.css";
import "./theme/dialogs.css";
import "./theme/document.css";
import "./theme/phone.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app";
import { paste } from "./catalogue/pasted/paste";
import { installTitle } from "./document/name";
import { isHome } from "./home/is-home";
import { direction, language, t } from "./i18n/i18n";
import { startLanguage } from "./i18n/languages";
import { openPalette, paletteOpen, paletteText } from "./ui/page/dialogs";
import { redo, undo } from "./session/commands";
import { start } from "./session/start";
import { past } from "./instance/state";
import { embedded } from "./share/viewer";
import { mayChange } from "./store/store";

effect(() => {
  document.documentElement.lang = language.value;
  document.documentElement.dir = direction.value;
});

addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]") !== null;
  if (paletteOpen.value && document.querySelector("dialog.palette") === null) typeAhead(event);
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (isHome) return;
  if (key === "k") {
    event.preventDefault();
    if (!embedded) openPalette();
  }
  if (key === "/") {
    event.preventDefault();
    document.querySelector<HTMLElement>(".search input")?.focus();
  }
  if (typing || past.value !== null) return;
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  void (key === "y" || event.shiftKey ? redo() : undo());
});

/** Keep the keys for the palette, which is still loading; Escape gives it up. */
function typeAhead(event: KeyboardEvent) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") paletteOpen.value = false;
  else if (event.key === "Backspace") paletteText.value = paletteText.value.slice(0, -1);
  else if (event.key.length === 1) paletteText.value += event.key;
  else return;
  event.preventDefault();
}

addEventListener("paste", (event) => {
  if (isHome || embedded || !mayChange.value || past.value !== null || document.querySelector("dialog[open]") !== null) return;
  paste(event);
});

document.documentElement.classList.toggle("embed", embedded);
effect(() => void document.documentElement.classList.toggle("looks-only", !mayChange.value));

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
if (isHome) {
  void Promise.all([import("./home/home"), startLanguage()]).then(([{ Home }]) => {
    document.title = `${t("myMaps")} · ${t("appName")}`;
    render(<Home />, root);
  });
} else {
  // The largest part of the page, wanted as soon as it is known which base map is drawn.
  void import("./page/stage");
  void start();
  installTitle();
  void startLanguage().then(() => render(<App />, root));
}
