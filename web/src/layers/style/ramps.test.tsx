import { render } from "preact";
import { expect, it } from "vitest";
import { config } from "../../instance/state";
import { layer } from "../../testing/samples";
import { RampPicker } from "./ramps";

it("the ramp of the layer is marked, and a reversed one is shown from its end", () => {
  const ramps = { sequential: { Blues: ["#ffffff", "#0000ff"], Greens: ["#ffffff", "#00ff00"] }, diverging: {}, qualitative: {} };
  config.value = { ...config.value, ramps };
  const shown = layer("a");
  const page = document.createElement("div");
  const style = { ...shown.style, kind: "graduated" as const, ramp: "Blues_r" };
  render(<RampPicker layer={{ ...shown, style }} change={async () => undefined} preview={() => undefined} />, page);
  const pressed = [...page.querySelectorAll<HTMLElement>("[aria-pressed=true]")];
  expect(pressed.map((it) => it.title)).toEqual(["Blues"]);
  const colours = [...pressed[0]?.querySelectorAll("i") ?? []].map((it) => it.getAttribute("style"));
  expect([colours[0], colours.at(-1)]).toEqual(["background: rgb(0, 0, 255);", "background: rgb(255, 255, 255);"]);
});
