/** A file dropped anywhere on the map is uploaded. */
import { signal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { openSide } from "../ui/side";
import { Icon } from "../ui/icons";
import { upload } from "./upload";

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
    const [file] = event.dataTransfer?.files ?? [];
    if (!holdsFile(event) || file === undefined) return;
    event.preventDefault();
    openSide("catalogue");
    void upload(file);
  },
};

export function DropHint() {
  return over.value ? <div class="drop-hint"><Icon name="upload" />{t("dropFile")}</div> : null;
}
