import { render } from "preact";
import { afterEach, expect, it, vi } from "vitest";
import { event, layer } from "../testing/samples";

const CHANGES = 10_000;
const changes = Array.from({ length: CHANGES }, (_, at) =>
  event("layer_updated", at + 2, { layer: layer("a", { name: `name ${at}`, version: at + 2 }), undo_of: null, redo: false }));

vi.mock("../session/history", () => ({
  readHistory: () => Promise.resolve([event("layer_added", 1, { layer: layer("a"), undo_of: null, redo: false }), ...changes]),
}));

import { HistoryPanel } from "./panel";

const page = document.createElement("div");
document.body.append(page);
const rows = () => [...page.querySelectorAll(".history-list li")].map((row) => row.textContent ?? "");

// Nothing is laid out here: the list is 640 pixels high, and each of its rows 32.
const heights = { configurable: true, get(this: Element) { return this.classList.contains("history-list") ? 640 : 32; } };
Object.defineProperty(Element.prototype, "clientHeight", heights);
Object.defineProperty(HTMLElement.prototype, "offsetHeight", heights);

afterEach(() => render(null, page));

it("of a long history only what is in sight is in the page, wherever it is scrolled to", async () => {
  render(<HistoryPanel />, page);
  await vi.waitFor(() => expect(rows()[0]).toContain(`name ${CHANGES - 2}`));
  expect(rows().length).toBeLessThan(60);
  const list = page.querySelector<HTMLElement>(".history-list")!;
  list.scrollTop = 5000 * 32;
  list.dispatchEvent(new Event("scroll"));
  await vi.waitFor(() => expect(rows().some((row) => row.includes(`name ${CHANGES - 5010}`))).toBe(true));
  expect(rows().length).toBeLessThan(60);
  expect(page.querySelector(".history-list li")?.getAttribute("aria-setsize")).toBe(String(CHANGES + 1));
});
