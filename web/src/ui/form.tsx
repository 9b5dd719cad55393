/** Labelled rows of small forms. */
import type { ComponentChildren } from "preact";

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
