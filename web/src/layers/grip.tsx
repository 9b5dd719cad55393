/** The handle of a layer or a group in the panel: dragged, or moved with the arrow keys. */
import { t } from "../i18n/i18n";
import { mayChange } from "../store/store";
import { Icon } from "../ui/icons";

interface Props {
  name: string;
  drag: (event: PointerEvent) => void;
  shift: (step: 1 | -1) => void;
}

export function Grip({ name, drag, shift }: Props) {
  if (!mayChange.value) return null;
  const label = t("reorderHandle", { name });
  return (
    <button
      type="button" class="grip" aria-label={label} title={label} onPointerDown={drag}
      onKeyDown={(event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        event.preventDefault();
        shift(event.key === "ArrowUp" ? 1 : -1);
      }}
    >
      <Icon name="grip" />
    </button>
  );
}
