import { describe, expect, it } from "vitest";
import { toHtml } from "./markdown";
import type { Figure } from "../../protocol/types";

const figure = (text: string, start: number, source: number | null = 0): Figure =>
  ({ start, end: start + Array.from(text).length, text, source, row: null, note: "", how: "stated" });

function page(text: string, figures: Figure[]): HTMLElement {
  return new DOMParser().parseFromString(toHtml(text, figures), "text/html").body;
}

describe("figures in an answer", () => {
  it("are marked where they are only likely, and where nothing backs them", () => {
    const likely: Figure = { ...figure("12", 0), how: "likely" };
    const classes = [...page("12 and 7", [likely, figure("7", 7, null)]).querySelectorAll(".figure")].map((it) => it.className);
    expect(classes).toEqual(["figure likely", "figure unfounded"]);
  });

  it("become buttons inside bold text, tables and lists", () => {
    const text = "There are **479** airports.\n\n| a | b |\n|---|---|\n| Lima | 8,852,000 |\n\n- 12 gates";
    const at = (part: string) => text.indexOf(part);
    const body = page(text, [figure("479", at("479")), figure("8,852,000", at("8,852")), figure("12", at("12 gates"))]);
    const buttons = [...body.querySelectorAll(".figure")];
    expect(buttons.map((it) => it.textContent)).toEqual(["479", "8,852,000", "12"]);
    expect(buttons.map((it) => it.parentElement?.tagName)).toEqual(["STRONG", "TD", "LI"]);
    expect(body.textContent).toContain("There are 479 airports.");
  });

  it("say where nothing backs them", () => {
    const body = page("There are 7,777.", [figure("7,777", 10, null)]);
    const button = body.querySelector(".unfounded");
    expect(button?.getAttribute("title")).not.toBe("");
    expect(button?.textContent).toMatch(/^7,777 \(.+\)$/);
  });

  it("are found after characters that take two places in JavaScript", () => {
    const body = page("🛬🛫 479", [figure("479", 3)]);
    expect(body.querySelector(".figure")?.textContent).toBe("479");
  });

  it("are left out where the text has something else", () => {
    expect(page("There are 480.", [figure("479", 10)]).querySelector(".figure")).toBeNull();
  });

  it("cannot be forged by the text", () => {
    const body = page("\uE0000\uE001<img src=x>\uE002 and 5", [figure("5", 20)]);
    expect(body.querySelector("img")).toBeNull();
    expect([...body.querySelectorAll(".figure")].map((it) => it.textContent)).toEqual(["5"]);
  });
});
