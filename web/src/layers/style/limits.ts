/** The limits of classes on a scale of values: where they are, and how one of them moves between its neighbours. Pure. */
import type { Legend } from "../../protocol/types";

export interface Domain {
  from: number;
  to: number;
}

/** Where the classes of the legend part, least first. */
export function limitsOf({ entries }: Legend): number[] {
  const classes = entries.filter(({ code }) => code === "range");
  return classes.slice(1).flatMap(({ minimum }) => (minimum == null ? [] : [minimum]));
}

/**
 * The values that are shown: from the least one to somewhat beyond the last limit, for most values of a skewed column
 * lie near its lower end, where all limits would be one line.
 */
export function domainOf(legend: Legend): Domain | null {
  const classes = legend.entries.filter(({ code }) => code === "range");
  const limits = limitsOf(legend);
  const [least, greatest, last] = [classes[0]?.minimum, classes.at(-1)?.maximum, limits.at(-1)];
  if (least == null || greatest == null || last === undefined || greatest <= least) return null;
  return { from: least, to: Math.min(greatest, last + (last - least) * 0.5) };
}

/** The limits with one of them elsewhere, always between its neighbours and within the domain. */
export function moved(limits: readonly number[], at: number, value: number, { from, to }: Domain, isWhole: boolean): number[] {
  const gap = isWhole ? 1 : (to - from) / 1000;
  const low = (limits[at - 1] ?? from) + gap;
  const high = at === limits.length - 1 ? to : (limits[at + 1] ?? to) - gap;
  const wanted = isWhole ? Math.round(value) : rounded(value, to - from);
  return [...limits].with(at, Math.max(low, Math.min(Math.max(low, high), wanted)));
}

/** In round digits, to a five-hundredth of the width of the domain or finer. */
function rounded(value: number, width: number): number {
  const unit = 10 ** Math.floor(Math.log10(width / 500));
  return Number((Math.round(value / unit) * unit).toPrecision(12));
}
