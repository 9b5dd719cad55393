/** Short notes at the edge of the page. They go away by themselves, but errors stay until they are closed. */
import { signal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { IconButton } from "./icons";

interface Toast {
  id: number;
  text: string;
  kind: "note" | "error";
}

const NOTE_MS = 4000;
const MOST = 3;

const toasts = signal<Toast[]>([]);
let count = 0;

export function notify(text: string, kind: Toast["kind"] = "note"): void {
  const id = ++count;
  const others = toasts.value.filter((toast) => toast.kind !== kind || toast.text !== text);
  toasts.value = [...others.slice(1 - MOST), { id, text, kind }];
  if (kind === "note") setTimeout(() => close(id), NOTE_MS);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <span dir="auto">{text}</span>
          {kind === "error" && <IconButton icon="close" label={t("close")} onClick={() => close(id)} />}
        </div>
      ))}
    </div>
  );
}
