/** Tables with geometry to which a table without one can be joined, because a column of both holds the same keys. */
import { searchTables, tableNamed } from "../data/tables";
import type { Column, Table } from "../protocol/types";

export interface Join {
  /** The request, as a person would write it. */
  words: string;
  other: string;
  column: string;
}

const MOST_TABLES = 60;
const MOST = 3;

export async function joinsFor(table: string): Promise<Join[]> {
  const [own, others] = await Promise.all([tableNamed(table), searchTables("", MOST_TABLES)]);
  return own === null ? [] : joins(own, others);
}

/** The best first: equal names, then equal samples. Pure. */
export function joins(own: Table, others: readonly Table[]): Join[] {
  const short = (id: string) => id.replace(/^[^.]+\./, "");
  const found = others.filter((other) => other.geometry_column != null && other.id !== own.id).flatMap((other) =>
    other.columns.flatMap((theirs) => own.columns.map((mine) => ({ other, mine, theirs, score: likeness(mine, theirs) }))),
  );
  const best = found.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  const once = best.filter(({ other }, index) => best.findIndex((it) => it.other === other) === index);
  return once.slice(0, MOST).map(({ other, mine, theirs }) => ({
    words: `join ${short(own.id)} to ${short(other.id)} by ${theirs.name} = ${mine.name}`, other: short(other.id), column: mine.name,
  }));
}

/** How likely two columns hold the same keys: by their names, and by samples that both have. */
function likeness(mine: Column, theirs: Column): number {
  if (mine.kind !== theirs.kind || (mine.kind !== "text" && mine.kind !== "integer")) return 0;
  // Numbers of rows agree by chance.
  if (/^(id|fid|gid|ogc_fid|objectid)$/i.test(mine.name)) return 0;
  const values = new Set(theirs.samples.map(String));
  const shared = mine.samples.filter((it) => values.has(String(it))).length;
  const isKey = /(^|_)(code|iso\w*|id|key|nuts|fips|postcode|zip)(_|$|\d)/i.test(mine.name);
  const isNamed = mine.name.toLowerCase() === theirs.name.toLowerCase();
  return (mine.kind === "text" ? shared : 0) + (isNamed && (isKey || shared > 0) ? 2 : 0);
}
