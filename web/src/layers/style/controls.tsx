/** Controls that show a change while it is made and share it when it is done. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { number } from "../../i18n/i18n";
import { Field } from "../../ui/form";

interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** What is said in place of the number. */
  written?: string | undefined;
  format?: Intl.NumberFormatOptions;
  live?: (value: number) => void;
  change: (value: number) => void;
}

/** A drag, or a run of arrow keys without a pause in the browser's eyes, is one change. */
export function Slider({ label, value, min, max, step, written, format = { maximumFractionDigits: 2 }, live, change }: SliderProps) {
  const moving = useSignal<number | null>(null);
  useEffect(() => { moving.value = null; }, [value]);
  const now = moving.value ?? value;
  const text = moving.value === null && written !== undefined ? written : number(now, format);
  return (
    <Field label={label} value={text}>
      <input
        type="range" min={min} max={max} step={step} value={now} aria-valuetext={text}
        onInput={(event) => {
          moving.value = event.currentTarget.valueAsNumber;
          live?.(moving.value);
        }}
        onChange={(event) => change(event.currentTarget.valueAsNumber)}
      />
    </Field>
  );
}

export function ColourBox({ value, label, live, change }: {
  value: string;
  label?: string;
  live: (colour: string) => void;
  change: (colour: string) => void;
}) {
  return (
    <input
      type="color" value={value} {...(label !== undefined && { title: label, "aria-label": label })}
      onInput={(event) => live(event.currentTarget.value)} onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
