/** The command palette: every command by its name, with the keys that do the same. */
import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n/i18n";
import { Icon } from "../ui/icons";
import { type Command, commands } from "./commands";
import { matching } from "./match";
import { paletteOpen, paletteText } from "../ui/page/dialogs";

export function Palette() {
  const box = useRef<HTMLDialogElement>(null);
  const text = useSignal(paletteText.peek());
  const active = useSignal(0);
  const all = useRef(commands());
  const found = useComputed(() => matching(all.current, text.value));
  const at = Math.min(active.value, found.value.length - 1);
  // Before the next key, so that text typed right after Ctrl+K goes into the field.
  useLayoutEffect(() => box.current?.showModal(), []);
  useLayoutEffect(() => document.getElementById(`command-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    box.current?.close();
    command.act();
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => (active.value = (at + 1) % Math.max(1, found.value.length)),
    ArrowUp: () => (active.value = (at + found.value.length - 1) % Math.max(1, found.value.length)),
    Enter: () => run(found.value[at]),
  };
  return (
    <dialog
      ref={box} class="palette card" aria-label={t("palette")} onClose={() => (paletteOpen.value = false)}
      onClick={(event) => event.target === box.current && box.current?.close()}
    >
      <div class="palette-body">
        <div class="palette-field">
          <Icon name="search" />
          <input
            type="text" role="combobox" aria-label={t("palette")} placeholder={t("paletteHint")} value={text.value} autocomplete="off"
            spellcheck={false} aria-autocomplete="list" aria-expanded aria-controls="commands" autofocus
            {...(at >= 0 && { "aria-activedescendant": `command-${at}` })}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              active.value = 0;
            }}
            onKeyDown={(event) => {
              const act = keys[event.key];
              if (act === undefined || event.isComposing) return;
              event.preventDefault();
              act();
            }}
          />
        </div>
        <ul id="commands" class="palette-list" role="listbox" aria-label={t("palette")}>
          {found.value.map((command, index) => (
            <li
              key={`${command.section} ${command.label}`} id={`command-${index}`} role="option" aria-selected={index === at}
              onPointerMove={() => (active.value = index)} onClick={() => run(command)}
            >
              <span class="menu-mark">{command.icon !== undefined && <Icon name={command.icon} />}</span>
              <span class="palette-label" dir="auto">{command.label}</span>
              <span class="quiet" dir="auto">{command.section}</span>
              {command.keys !== "" && <kbd dir="ltr">{command.keys}</kbd>}
            </li>
          ))}
        </ul>
        {found.value.length === 0 && <p class="quiet palette-none">{t("searchNothing")}</p>}
      </div>
    </dialog>
  );
}
