/** Files dropped anywhere on the map are offered for upload. */
import { signal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { Icon } from "../ui/icons";
import { offer } from "./offers";

const over = signal(false);
const holdsFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

export const dropTarget = {
  onDragOver: (event: DragEvent): void => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    over.value = true;
  },
  onDragLeave: (event: DragEvent): void => {
    if (!(event.currentTarget as Element).contains(event.relatedTarget as Node | null)) over.value = false;
  },
  onDrop: (event: DragEvent): void => {
    over.value = false;
    if (!holdsFile(event)) return;
    event.preventDefault();
    offer(event.dataTransfer?.files ?? []);
  },
};

export function DropHint() {
  return over.value ? <div class="drop-hint"><Icon name="upload" />{t("dropFile")}</div> : null;
}
