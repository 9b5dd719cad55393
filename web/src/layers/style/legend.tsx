/** What the colours and sizes mean. The server derives the entries from the very expression that is drawn. */
import { number, t } from "../../i18n/i18n";
import type { Layer, Legend, LegendEntry } from "../../protocol/types";
import { legendLabel } from "./words";

export function LegendView({ layer }: { layer: Layer }) {
  const { legend } = layer;
  if (legend.entries.length === 0) return null;
  return (
    <div class="legend" style={{ "--layer-opacity": layer.opacity }}>
      {legend.kind !== "single" && <div class="legend-title" dir="auto">{legend.title}</div>}
      {legend.shape === "gradient" ? <Gradient legend={legend} /> : <Rows legend={legend} />}
      {legend.note && <div class="legend-note" dir="auto">{legend.note}</div>}
      {layer.estimated && legend.kind !== "single" && <div class="legend-note">{t("estimatedLegend")}</div>}
    </div>
  );
}

function Rows({ legend }: { legend: Legend }) {
  return (
    <ul class={`legend-rows legend-${legend.kind}`}>
      {legend.entries.map((entry, index) => (
        <li key={index}>
          <Swatch entry={entry} shape={legend.shape} />
          <span class="legend-label" dir="auto">{legendLabel(entry)}</span>
          {entry.count !== null && entry.count !== undefined && <span class="legend-count">{number(entry.count)}</span>}
        </li>
      ))}
    </ul>
  );
}

function Gradient({ legend: { entries } }: { legend: Legend }) {
  const colours = entries.map((entry) => entry.color).join(", ");
  return (
    <div class="legend-gradient">
      <div class="gradient-bar" style={{ background: `linear-gradient(to right, ${colours})` }} />
      <div class="gradient-ends"><span>{ends(entries, 0)}</span><span>{ends(entries, -1)}</span></div>
    </div>
  );
}

function ends(entries: readonly LegendEntry[], at: 0 | -1): string {
  const entry = entries.at(at);
  return entry === undefined ? "" : legendLabel(entry);
}

export function Swatch({ entry, shape }: { entry: LegendEntry; shape: Legend["shape"] }) {
  const size = Math.min(entry.size ?? 5, 28);
  if (shape === "circle") {
    const across = Math.max(8, size * 2);
    return <span class="swatch-box"><i class="swatch circle" style={{ background: entry.color, width: `${across}px`, height: `${across}px` }} /></span>;
  }
  if (shape === "line") {
    return <span class="swatch-box"><i class="swatch line" style={{ background: entry.color, height: `${Math.max(2, Math.min(size, 8))}px` }} /></span>;
  }
  return <span class="swatch-box"><i class="swatch fill" style={{ background: entry.color }} /></span>;
}
