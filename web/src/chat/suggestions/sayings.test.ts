import { expect, it } from "vitest";
import { requestsIn } from "../../i18n/i18n";
import { joined, made } from "../../testing/templates";
import { setLanguage } from "../../i18n/languages";
import { toHtml } from "../turns/markdown";
import { isOpen, withSayings } from "./sayings";

const proposals = (markdown: string) => {
  const page = new DOMParser().parseFromString(withSayings(toHtml(markdown)), "text/html");
  return [...page.querySelectorAll<HTMLElement>("[data-say]")].map((it) => it.dataset["say"]);
};

it("a list after “You could say” is buttons", () => {
  expect(proposals("I did not understand “blah”. You could say:\n- show airports in red\n- list the **cities**\n\nThe tables are a and b."))
    .toEqual(["show airports in red", "list the cities"]);
  expect(proposals("The tables are:\n- airports\n- cities")).toEqual([]);
});

it("what is quoted after “say” is a button, with its own words only", () => {
  expect(proposals("Nothing is left. Say “undo” to go back, or ask “describe airports”.")).toEqual(["undo", "describe airports"]);
  expect(proposals("Say for example “colour airports by …”.")).toEqual(["colour airports by …"]);
  expect(proposals("I understood “near Paris”, but not “soon”. `say “x y”`")).toEqual([]);
  expect(isOpen("colour airports by …")).toBe(true);
});

it("what a table says is text in a button too", () => {
  const html = withSayings(toHtml("Say “<img src=x onerror=alert(1)>”."));
  const page = new DOMParser().parseFromString(html, "text/html");
  expect(page.querySelector("img")).toBeNull();
  expect(page.querySelector("[data-say]")?.textContent).toBe("<img src=x onerror=alert(1)>");
});

it("proposals of an Arabic answer are buttons that say what the built-in model reads", async () => {
  await setLanguage("ar");
  const lines = joined("\n", made("not_understood", { text: "blah" }), made("could_say"), joined("", "- ", made("ask_show_all", { name: "airports" })));
  const { text, wording } = joined("\n\n", lines, made("say_go_back", { undo: made("ask_undo") }));
  const html = withSayings(toHtml(text, [], wording), requestsIn(text, wording));
  const page = new DOMParser().parseFromString(html, "text/html");
  const buttons = [...page.querySelectorAll<HTMLElement>("[data-say]")];
  await setLanguage("en");
  expect(buttons.map((it) => it.dataset["say"])).toEqual(["show all airports", "undo"]);
  expect(buttons.map((it) => it.textContent?.replace(/[\u2066-\u2069]/g, ""))).toEqual(["أظهر كل airports", "تراجع"]);
});
