/** Files that were brought: dropped, pasted or chosen. The panel of uploads, which is loaded when it is first needed, takes them. */
import { signal } from "@preact/signals";
import { openSide } from "../ui/page/side";

export const offered = signal<readonly File[]>([]);

/** Opens the panel of uploads with these files. */
export function offer(files: Iterable<File>): void {
  const brought = [...files];
  if (brought.length === 0) return;
  offered.value = [...offered.value, ...brought];
  openSide("upload");
}
