import { afterEach, expect, it, vi } from "vitest";
import { patientFetch } from "./read";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const putOff = (seconds: string | null): Response =>
  new Response("{}", { status: 429, headers: seconds === null ? {} : { "Retry-After": seconds } });

it("asks again when the server says when to come back", async () => {
  vi.useFakeTimers();
  const answers = [putOff("2"), putOff("1"), new Response("{}")];
  const fetched = vi.fn(() => Promise.resolve(answers.shift()));
  vi.stubGlobal("fetch", fetched);
  const answer = patientFetch("/api/tables");
  await vi.advanceTimersByTimeAsync(1_900);
  expect(fetched).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_200);
  expect((await answer).status).toBe(200);
  expect(fetched).toHaveBeenCalledTimes(3);
});

it.each(["60", null])("returns the refusal when the wait is too long or unknown", async (seconds) => {
  const fetched = vi.fn(() => Promise.resolve(putOff(seconds)));
  vi.stubGlobal("fetch", fetched);
  expect((await patientFetch("/api/tables")).status).toBe(429);
  expect(fetched).toHaveBeenCalledTimes(1);
});
