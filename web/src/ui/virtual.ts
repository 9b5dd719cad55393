/** Renders only the visible rows of a long list, with TanStack Virtual; Preact draws them again on scroll. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer, type VirtualizerOptions } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

type Given = "observeElementRect" | "observeElementOffset" | "scrollToFn" | "onChange";

export function useVirtualizer(wanted: Omit<VirtualizerOptions<HTMLElement, HTMLElement>, Given>): Virtualizer<HTMLElement, HTMLElement> {
  const [, again] = useReducer((count: number) => count + 1, 0);
  const options = { ...wanted, observeElementRect, observeElementOffset, scrollToFn: elementScroll, onChange: () => again(0) };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
