/** The limits of classes on a scale of values: where they are, and how one of them moves between its neighbours. Pure. */
import type { Legend } from "../../../protocol/types";

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

/** The share of the axis that each class has at least: room for the handles of its limits. */
const LEAST_SHARE = 0.09;

/** From values to shares of the axis, and back. */
export interface Axis {
  place(value: number): number;
  valueAt(share: number): number;
}

/** Within a class the axis is even; narrow classes are drawn wider, so that their limits can be distinguished and dragged. */
export function axisOf(limits: readonly number[], { from, to }: Domain): Axis {
  const edges = [from, ...limits, to];
  const count = edges.length - 1;
  const least = Math.min(LEAST_SHARE, 1 / count);
  const stops = edges.map((edge, at) => at * least + ((edge - from) / (to - from)) * (1 - count * least));
  const between = (value: number, inputs: readonly number[], outputs: readonly number[]) => {
    const at = Math.min(count - 1, Math.max(0, inputs.findLastIndex((input) => input <= value)));
    const [low = 0, high = 1, start = 0, end = 1] = [inputs[at], inputs[at + 1], outputs[at], outputs[at + 1]];
    return high === low ? start : start + ((value - low) / (high - low)) * (end - start);
  };
  return { place: (value) => between(value, edges, stops), valueAt: (share) => between(Math.max(0, Math.min(1, share)), stops, edges) };
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
