/**
 * Colour ramps as swatches: pointing at one previews it on the map, a click takes it. The layer's own is marked, and
 * shown from its end where the layer has it so (`YlOrRd_r`).
 */
import { t } from "../../i18n/i18n";
import { config } from "../../instance/state";
import { along } from "./live";
import type { PartProps } from "./part";

export function RampPicker({ layer, change, preview }: PartProps) {
  const { sequential, diverging, qualitative } = config.value.ramps;
  const isCategorical = layer.style.kind === "categorical";
  const groups = isCategorical ? [qualitative, sequential] : [sequential, diverging];
  const entries = layer.legend.entries.filter(({ code }) => code === "range" || code === "value" || code === "few" || code === "many" || code === "step");
  const coloursOf = (ramp: readonly string[], isQualitative: boolean) => {
    const cut = isQualitative ? entries.map((_, at) => ramp[at] ?? ramp.at(-1) ?? "#808080") : along(ramp, entries.length);
    return new Map(entries.map((entry, at) => [entry.color, cut[at] ?? entry.color]));
  };
  const take = (ramp: string | null) => change({ ramp, color: null, values: [] });
  return (
    <div class="ramps" role="group" aria-label={t("styleRamp")} onPointerLeave={() => preview(null)}>
      <button type="button" class="ramp-automatic" aria-pressed={layer.style.ramp == null && layer.style.color == null} onClick={() => take(null)}>
        {t("automatic")}
      </button>
      {groups.map((group) => Object.entries(group).map(([name, ramp]) => {
        const isReversed = layer.style.ramp === `${name}_r`;
        const swatches = group === qualitative ? ramp : along(ramp, 7);
        const show = () => preview({ colours: coloursOf(ramp, group === qualitative) });
        return (
          <button
            key={name} type="button" class="ramp" title={name} aria-label={name} aria-pressed={isReversed || layer.style.ramp === name}
            onPointerEnter={(event) => event.pointerType !== "touch" && show()} onFocus={show} onBlur={() => preview(null)}
            onClick={() => take(name)}
          >
            {(isReversed ? [...swatches].reverse() : swatches).map((colour, at) => <i key={at} style={{ background: colour }} />)}
          </button>
        );
      }))}
    </div>
  );
}
