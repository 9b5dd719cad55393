import { afterEach, expect, it, vi } from "vitest";
import { tableNamed, tables } from "./tables";

afterEach(() => vi.unstubAllGlobals());

/** An answer whose body arrives when the test says so. */
function answer(body: unknown): { response: Response; arrive: () => void } {
  let arrive = (): void => undefined;
  const text = new Promise<unknown>((resolve) => (arrive = () => resolve(body)));
  return { response: { ok: true, json: () => text } as unknown as Response, arrive };
}

it("the list of tables is kept when it arrives while a single table is read", async () => {
  const one = answer({ id: "data.airports" });
  const all = answer({ tables: [{ id: "data.airports" }, { id: "data.countries" }] });
  vi.stubGlobal("fetch", (address: string) => Promise.resolve(address.endsWith("/tables") ? all.response : one.response));
  const single = tableNamed("data.airports");
  tables();
  // Both answers have begun; the list is complete first.
  await new Promise((resolve) => setTimeout(resolve));
  all.arrive();
  await vi.waitFor(() => expect(tables().map(({ id }) => id)).toContain("data.countries"));
  one.arrive();
  await single;
  expect(tables().map(({ id }) => id)).toEqual(["data.airports", "data.countries"]);
});
