/** Copies text, also on plain http away from localhost, where browsers offer no clipboard to scripts. */
import { t } from "../i18n/i18n";
import { notify } from "./toast";

export async function copy(text: string, done: string = t("copied")): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(done);
  } catch {
    notify(copyBySelection(text) ? done : t("copyFailed"), "note");
  }
}

function copyBySelection(text: string): boolean {
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "hidden";
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  return done;
}
