/** Tables with geometry to which a table without one can be joined, because a column of both holds the same values. */
import { read } from "../connection/read";
import { addressOf } from "../data/tables";

/** As the server found it, by values; of `values` different ones of the column, `matched` are in the other, too. */
export interface Join {
  other: string;
  column: string;
  other_column: string;
  matched: number;
  values: number;
}

/** The best first; none where the server cannot be asked. */
export async function joinsFor(table: string): Promise<Join[]> {
  return read<{ joins: Join[] }>(addressOf(`/${encodeURIComponent(table)}/joins`)).then(({ joins }) => joins, () => []);
}

/** The request, as a person would write it. */
export function requestOf(table: string, { other, column, other_column }: Join): string {
  return `join ${written(short(table))} to ${written(short(other))} by ${written(other_column)} = ${written(column)}`;
}

/** The table's name without its schema. */
export const short = (id: string) => id.replace(/^[^.]+\./, "").replace(/^"(.*)"$/, "$1");

/** Names with signs in them are put in backticks. */
const written = (name: string) => (/^[\p{L}\p{N}_]+$/u.test(name) ? name : `\`${name}\``);
