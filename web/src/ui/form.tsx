/** Parts of small forms: labelled rows, choices, and names that are edited in their place. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** `value` is shown at the end of the row, for controls that do not show it themselves. */
export function Field({ label, value, children }: { label: string; value?: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {value !== undefined && <output>{value}</output>}
    </label>
  );
}

export function Pick<Value extends string>({ value, options, onPick, label }: {
  value: Value;
  options: readonly (readonly [Value, string])[];
  onPick: (value: Value) => void;
  label?: string;
}) {
  return (
    <select value={value} aria-label={label} onChange={(event) => onPick(event.currentTarget.value as Value)}>
      {!options.some(([it]) => it === value) && <option value={value}>{value}</option>}
      {options.map(([it, text]) => <option key={it} value={it}>{text}</option>)}
    </select>
  );
}

interface NameFieldProps {
  name: string;
  label: string;
  class: string;
  placeholder?: string;
  maxLength?: number;
  /** Called with another name. */
  save: (name: string) => void;
  done: () => void;
}

/** A field in the place of a name: Enter, or leaving it, saves; Escape does not. */
export function NameField({ name, label, class: kind, placeholder, maxLength = 200, save, done }: NameFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const end = (saves: boolean) => {
    // Leaving the field by a key also takes the focus from it.
    if (isOver.current) return;
    isOver.current = true;
    const wanted = input.current?.value.trim() ?? "";
    if (saves && wanted !== name) save(wanted);
    done();
  };
  return (
    <input
      ref={input} class={kind} aria-label={label} defaultValue={name} maxLength={maxLength} dir="auto" placeholder={placeholder}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        if (event.key === "Enter") end(true);
        if (event.key === "Escape") end(false);
      }}
    />
  );
}
