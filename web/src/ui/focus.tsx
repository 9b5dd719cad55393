/** Focus of parts that open and close: Escape closes the innermost, and the focus returns to where it was. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Placed in a part that opens: returns the focus when that part closes, unless the focus has moved elsewhere. */
export function ReturnFocus() {
  // At once: closing it again before the next frame returns the focus, too.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    return () => queueMicrotask(() => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    });
  }, []);
  return null;
}

/**
 * Moves the focus into what has just opened. It does so before the browser handles the next key: an effect after the
 * next frame would send an Escape pressed at once to what is below.
 */
export function useFocusOnOpen(target: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => target.current?.focus({ preventScroll: true }), []);
}

/** For `onKeyDown`: Escape closes this and nothing around it. */
export const onEscape = (close: () => void) => (event: KeyboardEvent): void => {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  close();
};
