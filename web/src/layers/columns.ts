/** Which columns describe a feature: no keys, codes or coordinates. Pure. */
import type { Column, Table } from "../protocol/types";

const NO_MEASURE = /(^|_)(id|gid|fid|code|iso|numeric|number|rank|lat|lon|latitude|longitude|x|y)(_|$|\d)/i;
/** Columns with a different value in nearly every row. */
const NAME = /(^|_)(name|title|label|url|address|description)(_|$|\d)/i;

/** Columns with numbers that measure something. */
export function measures(table: Table): Column[] {
  const isMeasure = ({ name, kind }: Column) =>
    (kind === "integer" || kind === "number") && !table.key.includes(name) && !NO_MEASURE.test(name);
  return table.columns.filter(isMeasure);
}

/** The column to begin with, of those that a kind of style can show: for categories rather a text that is not a name. */
export function firstChoice(columns: readonly Column[], isCategorical: boolean): Column | undefined {
  const descriptive = columns.filter(({ name }) => !NO_MEASURE.test(name));
  const groups = isCategorical ? descriptive.filter(({ name, kind }) => kind === "text" && !NAME.test(name)) : [];
  return groups[0] ?? descriptive[0] ?? columns[0];
}
