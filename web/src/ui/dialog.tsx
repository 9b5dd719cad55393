/** A modal dialog: the browser keeps the focus in it, Escape and a click beside it close it. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n/i18n";
import { IconButton } from "./icons";

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => box.current?.showModal(), []);
  return (
    <dialog
      ref={box} class="dialog card" aria-label={title} onClose={close}
      onClick={(event) => event.target === box.current && box.current?.close()}
    >
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <IconButton icon="close" label={t("close")} onClick={() => box.current?.close()} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
