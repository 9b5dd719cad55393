/** The frame of a panel beside the map: its heading, and what closes it: a button and Escape. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/i18n";
import { onEscape, ReturnFocus } from "../focus";
import { IconButton } from "../icons";
import { side } from "./side";

/** `close` defaults to showing the conversation again; `tools` are in the heading. */
export function SidePanel({ title, close = () => (side.value = "chat"), takesFocus = true, role, tools, class: name = "", children }: {
  title: string;
  close?: () => void;
  takesFocus?: boolean;
  role?: "dialog";
  tools?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) panel.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section ref={panel} class={`side ${name}`} role={role} tabIndex={-1} aria-label={title} onKeyDown={onEscape(close)}>
      <ReturnFocus />
      <header class="side-head">
        <h2>{title}</h2>
        {tools !== undefined && <span class="head-space" />}
        {tools}
        <IconButton icon="close" label={t("close")} onClick={close} />
      </header>
      {children}
    </section>
  );
}
