/** Short notes at the edge of the page that go away by themselves. */
import { signal } from "@preact/signals";

interface Toast {
  id: number;
  text: string;
  kind: "note" | "error";
}

const toasts = signal<Toast[]>([]);
let count = 0;

export function notify(text: string, kind: Toast["kind"] = "note"): void {
  const id = ++count;
  toasts.value = [...toasts.value.slice(-2), { id, text, kind }];
  setTimeout(() => (toasts.value = toasts.value.filter((toast) => toast.id !== id)), kind === "error" ? 7000 : 2500);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast toast-${toast.kind}`}>{toast.text}</div>
      ))}
    </div>
  );
}
