import { render } from "preact";
import { afterEach, expect, it, vi } from "vitest";
import { event, layer } from "../testing/samples";

const CHANGES = 450;
const changes = Array.from({ length: CHANGES }, (_, at) =>
  event("layer_updated", at + 2, { layer: layer("a", { name: `name ${at}`, version: at + 2 }), undo_of: null, redo: false }));

vi.mock("../session/history", () => ({
  readHistory: () => Promise.resolve([event("layer_added", 1, { layer: layer("a"), undo_of: null, redo: false }), ...changes]),
}));

import { HistoryPanel } from "./panel";

const page = document.createElement("div");
document.body.append(page);
const rows = () => page.querySelectorAll(".history-list > li").length;

afterEach(() => render(null, page));

it("a long history draws the newest rows, and the older ones when the end is near", async () => {
  render(<HistoryPanel />, page);
  await vi.waitFor(() => expect(rows()).toBe(200));
  expect(page.querySelector(".history-list > li")?.textContent).toContain("name 448");
  const list = page.querySelector<HTMLElement>(".history-list")!;
  // Nothing is laid out here: the end is always near.
  for (const expected of [400, 451, 451]) {
    list.dispatchEvent(new Event("scroll"));
    await vi.waitFor(() => expect(rows()).toBe(expected));
  }
});
