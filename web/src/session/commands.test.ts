import { beforeEach, expect, it } from "vitest";
import type { Connection } from "../connection/connection";
import { emptyState } from "../store/state";
import { map } from "../store/store";
import { updateLayer } from "./commands";
import { openLine } from "./line";

const at = (seq: number) => void (map.value = { ...emptyState("m"), seq });
const answering = (answer: unknown) => openLine({ request: () => Promise.resolve(answer) } as unknown as Connection);
const settled = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => at(4));

it("waits for the change of a layer to arrive, so that no control shows the state before it", async () => {
  answering({ ok: true, seq: 6 });
  let isDone = false;
  const change = updateLayer("a", { visible: false }).then((taken) => ((isDone = true), taken));
  await settled();
  at(5);
  await settled();
  expect(isDone).toBe(false);
  at(6);
  expect(await change).toBe(true);
});

it("does not wait where the change has arrived before the answer, or no map is open any more", async () => {
  answering({ ok: true, seq: 4 });
  expect(await updateLayer("a", { visible: false })).toBe(true);
  answering({ ok: true, seq: 9 });
  const change = updateLayer("a", { visible: false });
  await settled();
  map.value = null;
  expect(await change).toBe(true);
});
