/** Of what opens and closes again: Escape closes the innermost, and the focus returns to where it was. */
import { useLayoutEffect } from "preact/hooks";

/** Put into whatever opens: where the focus was then, it is again once that is gone, unless it went elsewhere. */
export function ReturnFocus() {
  // At once: whoever closes it again before the next frame gets the focus back, too.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    return () => queueMicrotask(() => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    });
  }, []);
  return null;
}

/** For `onKeyDown`: Escape closes this and nothing around it. */
export const onEscape = (close: () => void) => (event: KeyboardEvent): void => {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  close();
};
