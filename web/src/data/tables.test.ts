import { afterEach, expect, it, vi } from "vitest";
import { findTables, forget, tableNamed, tables } from "./tables";

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

it("all pages of the list of tables are read", async () => {
  const page = (tables: string[], next: string | null) => ({ tables: tables.map((id) => ({ id })), total: 3, next });
  vi.stubGlobal("fetch", (address: string) => Promise.resolve({
    json: () => Promise.resolve(address.includes("offset") ? page(["data.three"], null) : page(["data.one", "data.two"], "/api/tables?offset=2")),
  }));
  forget();
  tables();
  await vi.waitFor(() => expect(tables().map(({ id }) => id)).toEqual(expect.arrayContaining(["data.one", "data.two", "data.three"])));
});

it("a search tells how many tables there are besides those it gives", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve({ json: () => Promise.resolve({ tables: [{ id: "data.one" }], total: 10_004, next: "?offset=1" }) }));
  expect(await findTables("", 1)).toEqual({ tables: [{ id: "data.one" }], total: 10_004 });
});
