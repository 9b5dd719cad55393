/** What the server knows of tables, fetched when first asked for and again after a while, for they may change. */
import { signal } from "@preact/signals";
import type { Table } from "../protocol/types";
import { map } from "../store/store";

const FRESH = 30_000;
const ALL = "*";

const known = signal<ReadonlyMap<string, Table>>(new Map());
const asked = new Map<string, number>();

/** The table, or null until it has arrived; reading it in a component draws that again when it does. */
export function tableOf(id: string): Table | null {
  if (Date.now() - (asked.get(id) ?? 0) > FRESH) {
    asked.set(id, Date.now());
    void load(id);
  }
  return known.value.get(id) ?? null;
}

/** The table as it is now; null where it cannot be read. */
export async function tableNamed(id: string): Promise<Table | null> {
  await load(id);
  return known.value.get(id) ?? null;
}

/** All tables that may be drawn, as far as they are known; asks for them when they are wanted. */
export function tables(): Table[] {
  if (Date.now() - (asked.get(ALL) ?? 0) > FRESH) {
    asked.set(ALL, Date.now());
    void loadAll();
  }
  return [...known.value.values()];
}

/** Tables whose names, columns or notes have these words, best first; none when the server cannot be asked. */
export async function searchTables(words: string, limit: number): Promise<Table[]> {
  try {
    const asked = new URLSearchParams({ limit: String(limit), ...(words !== "" && { q: words }) });
    return ((await (await fetch(addressOf(`?${asked}`))).json()) as { tables?: Table[] }).tables ?? [];
  } catch {
    return [];
  }
}

/** Where the tables are as this map sees them: the results of its analyses are its own. */
export const addressOf = (more = ""): string => `/api/maps/${map.value?.mapId ?? ""}/tables${more}`;

/** There are other tables now. */
export function forget(): void {
  asked.clear();
}

async function loadAll(): Promise<void> {
  try {
    const answer = await fetch(addressOf());
    const { tables: found } = (await answer.json()) as { tables: Table[] };
    known.value = new Map([...known.value, ...found.map((table) => [table.id, table] as const)]);
  } catch {
    asked.delete(ALL);
  }
}

async function load(id: string): Promise<void> {
  try {
    const answer = await fetch(addressOf(`/${encodeURIComponent(id)}`));
    if (!answer.ok) {
      asked.delete(id);
      return;
    }
    // Other tables may arrive while this one is read, so what is known is looked at afterwards.
    const table = (await answer.json()) as Table;
    known.value = new Map(known.value).set(id, table);
  } catch {
    asked.delete(id);
  }
}
