import { render } from "preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Connection } from "../../connection/connection";
import type { Layer } from "../../protocol/types";
import { openLine } from "../../session/line";
import { emptyState } from "../../store/state";
import { layers, map } from "../../store/store";
import { layer } from "../../testing/samples";
import { Slider } from "./controls";
import { asAsked, changeOpacity, restyle } from "./styling";

type Settle = (answer: unknown) => void;
const refused = { ok: false, error: { code: "no_answer", message: "No answer." } };
const settled = () => new Promise((resolve) => setTimeout(resolve));

let answers: Settle[];
let sent: Record<string, unknown>[];

/** What the server made of the change has come, with this number. */
function arrives(seq: number, change: Partial<Layer>): void {
  map.value = { ...emptyState("m"), seq, layers: [{ ...known(), ...change }] };
}

const known = () => layers.value[0] as Layer;
const withTooltip = (tooltip: string[]) => ({ style: { ...known().style, tooltip } });

beforeEach(() => {
  answers = [];
  sent = [];
  map.value = { ...emptyState("m"), seq: 1, layers: [layer("a")] };
  const request = (_: string, wish: Record<string, unknown>) => {
    sent.push(wish);
    return new Promise((resolve) => answers.push(resolve));
  };
  openLine({ request } as unknown as Connection);
});

describe("changes by hand", () => {
  it("are shown until they are here, whatever arrives before", async () => {
    const first = restyle(known(), { tooltip: ["name"] });
    const second = restyle(asAsked(known()), { tooltip: [] });
    arrives(2, withTooltip(["name"]));
    answers[0]?.({ ok: true, seq: 2 });
    await first;
    expect(asAsked(known()).style.tooltip).toEqual([]);
    arrives(3, withTooltip([]));
    answers[1]?.({ ok: true, seq: 3 });
    await second;
    arrives(4, withTooltip(["city"]));
    expect(asAsked(known()).style.tooltip).toEqual(["city"]);
  });

  it("stay when an earlier one was refused, or not answered in time", async () => {
    const first = restyle(known(), { tooltip: ["name"] });
    const second = restyle(asAsked(known()), { tooltip: [] });
    arrives(2, withTooltip(["name"]));
    answers[0]?.(refused);
    await first;
    expect(asAsked(known()).style.tooltip).toEqual([]);
    answers[1]?.(refused);
    await second;
    expect(asAsked(known()).style.tooltip).toEqual(["name"]);
  });

  it("send the whole style, with those that are on their way and what others have changed since", () => {
    void restyle(known(), { size: 9 });
    arrives(2, { style: { ...known().style, color: "#00ff00" } });
    void restyle(asAsked(known()), { label: "name" });
    expect(sent[1]).toMatchObject({ style: { size: 9, label: "name", color: "#00ff00" } });
    expect(sent[1]?.["style"]).not.toHaveProperty("layers");
  });

  it("of the opacity are shown as those of the style are", async () => {
    const first = changeOpacity(known(), 0.6);
    const second = changeOpacity(asAsked(known()), 1);
    arrives(2, { opacity: 0.6 });
    answers[0]?.({ ok: true, seq: 2 });
    await first;
    expect(asAsked(known()).opacity).toBe(1);
    answers[1]?.({ ok: true, seq: 2 });
    await second;
    expect(sent).toEqual([{ layer_id: "a", opacity: 0.6 }, { layer_id: "a", opacity: 1 }]);
  });
});

describe("a slider", () => {
  it("shares what keys entered once, whether the browser reports that at once or when the slider is left", () => {
    const shared: number[] = [];
    const change = (value: number) => Promise.resolve(void shared.push(value));
    render(<Slider label="Size" value={5} min={0} max={9} step={1} change={change} />, document.body);
    const slider = document.querySelector("input") as HTMLInputElement;
    const press = (value: number, ...events: string[]) => {
      slider.value = String(value);
      for (const name of events) slider.dispatchEvent(new Event(name));
    };
    press(6, "input", "change", "keyup"); // Chromium
    press(7, "input", "input", "keyup", "change"); // Firefox, where the change comes when the slider is left
    expect(shared).toEqual([6, 7]);
    render(null, document.body);
  });

  it("shows what was entered last until that is answered, and not what an earlier change left", async () => {
    const done: (() => void)[] = [];
    const draw = (value: number) =>
      render(<Slider label="Size" value={value} min={0} max={9} step={1} change={() => new Promise<void>((resolve) => done.push(resolve))} />, document.body);
    const shown = () => document.querySelector("input")?.valueAsNumber;
    const enter = (value: number) => {
      const slider = document.querySelector("input") as HTMLInputElement;
      slider.value = String(value);
      slider.dispatchEvent(new Event("change"));
    };
    draw(5);
    enter(6);
    enter(5);
    await settled();
    draw(6);
    expect(shown()).toBe(5);
    enter(6);
    done[0]?.();
    await settled();
    draw(5);
    expect(shown()).toBe(6);
    done[2]?.();
    await vi.waitFor(() => expect(shown()).toBe(5));
  });
});
