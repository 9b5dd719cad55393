/** Controls that show a change while it is made and share it when it is done. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { number } from "../../i18n/i18n";
import { Field } from "../../ui/form";

/** Asks for a change; settled once it is answered. */
export type Change<Value> = (value: Value) => Promise<unknown>;

interface Held<Value> {
  /** What the control shows: what the person has entered, until that is answered, else the value. */
  now: Value;
  hold: (entered: Value) => void;
  share: (entered: Value) => void;
  drop: () => void;
}

/** Keeps the text being entered while the control is drawn again, for example after a change by another person. */
export function useHeld<Value extends string | number>(value: Value, change: Change<Value>): Held<Value> {
  const entered = useSignal<Value | null>(null);
  const entries = useRef(0);
  const enter = (next: Value | null) => {
    entered.value = next;
    return (entries.current += 1);
  };
  const share = (next: Value) => {
    const entry = enter(next);
    void change(next).then(() => entry === entries.current && enter(null));
  };
  return { now: entered.value ?? value, hold: (next) => void enter(next === value ? null : next), share, drop: () => void enter(null) };
}

interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** Text in place of the number. */
  written?: string | undefined;
  format?: Intl.NumberFormatOptions;
  live?: ((value: number) => void) | undefined;
  change: Change<number>;
}

/**
 * A drag, or a run of arrow keys without a pause in the browser's eyes, is one change. Firefox reports a change by keys only
 * when the control is left, so the release of a key ends one, too.
 */
export function Slider({ label, value, min, max, step, written, format = { maximumFractionDigits: 2 }, live, change }: SliderProps) {
  const { now, hold, share } = useHeld(value, change);
  const stage = useRef<"idle" | "entering" | "shared">("idle");
  const text = now === value && written !== undefined ? written : number(now, format);
  return (
    <Field label={label} value={text}>
      <input
        type="range" min={min} max={max} step={step} value={now} aria-valuetext={text}
        onInput={(event) => {
          const next = event.currentTarget.valueAsNumber;
          stage.current = "entering";
          hold(next);
          live?.(next);
        }}
        onChange={(event) => {
          if (stage.current !== "shared") share(event.currentTarget.valueAsNumber);
          stage.current = "idle";
        }}
        onKeyUp={(event) => {
          if (stage.current !== "entering") return;
          stage.current = "shared";
          share(event.currentTarget.valueAsNumber);
        }}
      />
    </Field>
  );
}

export function ColourBox({ value, label, live, change }: {
  value: string;
  label?: string;
  live: (colour: string) => void;
  change: Change<string>;
}) {
  const { now, hold, share } = useHeld(value, change);
  return (
    <input
      type="color" value={now} {...(label !== undefined && { title: label, "aria-label": label })}
      onInput={(event) => {
        const next = event.currentTarget.value;
        hold(next);
        live(next);
      }}
      onChange={(event) => share(event.currentTarget.value)}
    />
  );
}
