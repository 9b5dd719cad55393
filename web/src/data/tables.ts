/** Descriptions of tables, fetched when first needed and again after a while, because tables change. */
import { signal } from "@preact/signals";
import { patientFetch } from "../connection/read";
import type { MapEvent } from "../protocol/messages";
import type { Table } from "../protocol/types";
import { map } from "../store/store";

interface Page {
  tables: Table[];
  total: number;
  /** The address of the following page. */
  next: string | null;
}

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

/** Tables whose names, columns or notes have these words, best first, and how many there are; none when the server cannot
 * be asked. */
export async function findTables(words: string, limit: number): Promise<{ tables: Table[]; total: number }> {
  try {
    const asked = new URLSearchParams({ limit: String(limit), ...(words !== "" && { q: words }) });
    const { tables: found = [], total = found.length } = (await (await patientFetch(addressOf(`?${asked}`))).json()) as Partial<Page>;
    return { tables: found, total };
  } catch {
    return { tables: [], total: 0 };
  }
}

export const searchTables = async (words: string, limit: number): Promise<Table[]> => (await findTables(words, limit)).tables;

/** Where the tables are as this map sees them: the results of its analyses are its own. */
export const addressOf = (more = ""): string => `/api/maps/${map.value?.mapId ?? ""}/tables${more}`;

/** Reads the description of a table again after its rows or columns have changed. */
export function noticeChange({ event, data }: MapEvent): void {
  if (event !== "layer_updated" || data.cause !== "data" || !known.peek().has(data.layer.table)) return;
  asked.set(data.layer.table, Date.now());
  void load(data.layer.table);
}

/** There are other tables now. */
export function forget(): void {
  asked.clear();
}

async function loadAll(): Promise<void> {
  try {
    let next: string | null = addressOf();
    while (next !== null) {
      const page = (await (await patientFetch(next)).json()) as Page;
      known.value = new Map([...known.value, ...page.tables.map((table) => [table.id, table] as const)]);
      next = page.next ?? null;
      // Ten thousand tables are several megabytes, so they are not asked for as often as a few.
      if (next !== null) asked.set(ALL, (asked.get(ALL) ?? Date.now()) + FRESH);
    }
  } catch {
    asked.delete(ALL);
  }
}

async function load(id: string): Promise<void> {
  try {
    const answer = await patientFetch(addressOf(`/${encodeURIComponent(id)}`));
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
