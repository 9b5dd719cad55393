/** Of what opens and closes again: Escape closes the innermost, and the focus returns to where it was. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Put into whatever opens: where the focus was then, it is again once that is gone, unless it went elsewhere. */
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
 * next frame would let an Escape pressed at once go to whatever is below.
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
