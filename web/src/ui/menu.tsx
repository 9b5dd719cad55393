/** A button that opens a menu: arrow keys move, Escape and a click outside close, focus returns to the button. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons";

export interface MenuItem {
  label: string;
  icon?: IconName;
  checked?: boolean;
  /** A dot before the label. */
  colour?: string;
  danger?: boolean;
  disabled?: boolean;
  /** A heading or a line above this item. */
  section?: string;
  act: () => void;
}

export function Menu({ label, icon, items, children }: {
  label: string;
  icon: IconName;
  items: () => MenuItem[];
  children?: ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!open || list.current === null || button.current === null) return;
    place(list.current, button.current);
    list.current.querySelector<HTMLElement>('[role^="menuitem"]:not(:disabled)')?.focus();
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const away = () => setOpen(false);
    document.addEventListener("pointerdown", outside);
    addEventListener("resize", away);
    return () => {
      document.removeEventListener("pointerdown", outside);
      removeEventListener("resize", away);
    };
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div class="menu" ref={root} onKeyDown={(event) => open && keys(event, root.current, close)}>
      <button
        ref={button} type="button" class="icon-button" aria-label={label} title={label} aria-haspopup="menu"
        aria-expanded={open} onClick={() => setOpen(!open)}
      >
        {children ?? <Icon name={icon} />}
      </button>
      {open && (
        <div class="menu-list" ref={list} role="menu" aria-label={label}>
          {items().map((item) => <Row key={`${item.section ?? ""}${item.label}`} item={item} close={close} />)}
        </div>
      )}
    </div>
  );
}

/** Below the button where there is room, else above; never beyond the page, nor cut off by what scrolls around it. */
function place(list: HTMLElement, button: HTMLElement): void {
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = bottom + 4 + height <= innerHeight - 8;
  const start = getComputedStyle(button).direction === "rtl" ? left : right - width;
  list.style.top = `${Math.max(8, below ? bottom + 4 : top - 4 - height)}px`;
  list.style.left = `${Math.max(8, Math.min(start, innerWidth - width - 8))}px`;
}

function Row({ item, close }: { item: MenuItem; close: () => void }) {
  const choose = () => {
    close();
    item.act();
  };
  return (
    <>
      {item.section !== undefined && <div class="menu-section" role="presentation">{item.section}</div>}
      <button
        type="button" class={item.danger ? "menu-item danger" : "menu-item"} disabled={item.disabled}
        role={item.checked === undefined ? "menuitem" : "menuitemradio"} onClick={choose} tabIndex={-1}
        {...(item.checked !== undefined && { "aria-checked": item.checked })}
      >
        <span class="menu-mark">{item.checked ? <Icon name="check" /> : item.icon && <Icon name={item.icon} />}</span>
        {item.colour !== undefined && <span class="menu-colour" style={{ background: item.colour }} />}
        {item.label}
      </button>
    </>
  );
}

function keys(event: KeyboardEvent, root: HTMLElement | null, close: () => void): void {
  const items = [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)') ?? [])];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const go = (index: number) => items[(index + items.length) % items.length]?.focus();
  const act: Record<string, () => void> = {
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    Home: () => go(0),
    End: () => go(items.length - 1),
    Escape: close,
    Tab: close,
  };
  const chosen = act[event.key];
  if (chosen === undefined) return;
  if (event.key !== "Tab") event.preventDefault();
  event.stopPropagation();
  chosen();
}
