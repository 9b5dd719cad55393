/** The values of the columns that a layer's style names, beside the pointer, as text: nothing of it is ever read as HTML. */
import { signal } from "@preact/signals";
import { formatValue } from "../../i18n/format";
import { layers } from "../../store/store";

interface Tip {
  layerId: string;
  properties: Record<string, unknown>;
  at: { x: number; y: number };
}

const tip = signal<Tip | null>(null);

/** Pixels between the pointer and the tip. */
const GAP = 14;
const MOST_WIDTH = 240;

export function showTip(feature: { source: string; properties: Record<string, unknown> } | undefined, at: Tip["at"] | null): void {
  const isWanted = feature !== undefined && at !== null && columnsOf(feature.source).length > 0;
  if (isWanted) tip.value = { layerId: feature.source, properties: feature.properties, at };
  else if (tip.peek() !== null) tip.value = null;
}

const columnsOf = (layerId: string): readonly string[] => layers.peek().find(({ id }) => id === layerId)?.style.tooltip ?? [];

export function HoverTip() {
  const now = tip.value;
  if (now === null || !layers.value.some(({ id, visible }) => id === now.layerId && visible)) return null;
  const shown = columnsOf(now.layerId).filter((name) => now.properties[name] != null);
  if (shown.length === 0) return null;
  const isRight = now.at.x + GAP + MOST_WIDTH > (document.querySelector(".map")?.clientWidth ?? Infinity);
  return (
    <dl class="hover-tip card" aria-hidden="true" style={{ left: `${now.at.x}px`, top: `${now.at.y}px`, transform: isRight ? `translate(calc(-100% - ${GAP}px), ${GAP}px)` : `translate(${GAP}px, ${GAP}px)` }}>
      {shown.map((name) => (
        <div key={name}><dt dir="auto">{name}</dt><dd dir="auto">{formatValue(name, now.properties[name])}</dd></div>
      ))}
    </dl>
  );
}
