/** What the colours and sizes mean. The server derives the entries from the very expression that is drawn. */
import { inOwnWords, number, t } from "../../i18n/i18n";
import type { Layer, Legend, LegendEntry } from "../../protocol/types";
import { isDark } from "../../instance/state";
import { legendAtNight } from "../../ui/night";
import { inkOf } from "./ink";
import { legendEntries, legendLabel, legendTitle } from "./words";

/** Hides the features of an entry, or shows them again; with `alone` hides those of all others. */
export type Toggle = (label: string, alone: boolean) => void;

/** Codes of notes on columns that a style showed and the table no longer has. */
const DROPPED = new Set(["legend_dropped_column", "legend_dropped_columns"]);

interface Props {
  layer: Layer;
  /** With it the entries of classes and values are buttons. */
  toggle?: Toggle | undefined;
  /** Opens the style, which a layer may need whose column is gone. */
  restyle?: (() => void) | undefined;
}

/** Nothing for one colour, which the panel shows beside the name, save notes. */
export function LegendView({ layer, toggle, restyle }: Props) {
  const { legend } = isDark.value ? legendAtNight(layer) : layer;
  if (legend.kind === "single" ? layer.style.extrude == null && !legend.note : legend.entries.length === 0) return null;
  const title = legendTitle(layer);
  return (
    <div class="legend" style={{ "--layer-opacity": inkOf(layer).opacity }}>
      {title !== "" && <div class="legend-title" dir="auto">{title}</div>}
      {legend.shape === "gradient" && <Gradient legend={legend} />}
      {legend.shape !== "gradient" && legend.kind !== "single" && <Rows legend={legend} toggle={toggle} />}
      {layer.style.extrude != null && <div class="legend-note" dir="auto">{t("legendHeight", { column: layer.style.extrude })}</div>}
      {legend.note && <div class="legend-note" dir="auto">{inOwnWords(legend.note, legend.wording)}</div>}
      {restyle !== undefined && legend.wording.some(({ code }) => DROPPED.has(code)) && (
        <button type="button" class="link" onClick={restyle}>{t("restyle")}</button>
      )}
      {layer.estimated && legend.kind !== "single" && <div class="legend-note">{t("estimatedLegend")}</div>}
    </div>
  );
}

/** Entries that stand for features of their own. */
const CAN_HIDE = new Set(["range", "value", "other", "no_data"]);

function Rows({ legend, toggle }: { legend: Legend; toggle: Toggle | undefined }) {
  const mayHide = ["categorical", "graduated", "hexbin", "grid"].includes(legend.kind ?? "");
  return (
    <ul class={`legend-rows legend-${legend.kind}`}>
      {legendEntries(legend).map((entry, index) => (
        <li key={index} class={entry.hidden ? "legend-hidden" : undefined}>
          {toggle !== undefined && mayHide && CAN_HIDE.has(entry.code ?? "") ? (
            <button
              type="button" class="legend-entry" aria-pressed={!entry.hidden} title={t("legendToggle")}
              onClick={(event) => toggle(entry.label, event.shiftKey)}
              onKeyDown={(event) => {
                // The click that a key makes knows of no Shift.
                if (event.key !== "Enter" || !event.shiftKey) return;
                event.preventDefault();
                toggle(entry.label, true);
              }}
            >
              <Entry entry={entry} shape={legend.shape} />
            </button>
          ) : <Entry entry={entry} shape={legend.shape} />}
        </li>
      ))}
    </ul>
  );
}

function Entry({ entry, shape }: { entry: LegendEntry; shape: Legend["shape"] }) {
  return (
    <>
      <Swatch entry={entry} shape={shape} />
      <span class="legend-label" dir={entry.code === "range" ? undefined : "auto"}>{legendLabel(entry)}</span>
      {entry.count != null && <span class="legend-count">{number(entry.count)}</span>}
    </>
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
