/**
 * How a layer looks, by hand: the same wishes that the agent sends, over the same event. While a control is dragged only
 * this page sees the change; it is shared, as one step to undo, when the control is let go.
 */
import type { ComponentChildren } from "preact";
import { t } from "../../i18n/i18n";
import type { Layer, StyleSpec, Table } from "../../protocol/types";
import { tilt } from "../../session/camera";
import { Field, Pick } from "../../ui/form";
import { tableOf } from "../../data/tables";
import { ClassLimits } from "./class-limits";
import { ColourBox, Slider } from "./controls";
import { columnsFor, kindOf, kindsFor, toKind } from "./kinds";
import { limitsOf } from "./classes/limits";
import { withLook } from "./live";
import { named, type PartProps } from "./part";
import { RampPicker } from "./ramps";
import { asAsked, changeOpacity, restyle } from "./styling";
import { previewed } from "../../instance/preview";
import { LabelSettings, TooltipSettings, ZoomSettings } from "./writing/writing";

export function StyleEditor({ layer: known }: { layer: Layer }) {
  const layer = asAsked(known);
  const table = tableOf(layer.table);
  const kind = kindOf(layer.style);
  const part: PartProps = {
    layer,
    change: (it) => restyle(layer, it),
    preview: (look) => (previewed.value = look === null ? null : withLook(layer, look)),
  };
  const has = (control: (typeof kind.controls)[number]) => kind.controls.includes(control);
  return (
    <div class="editor style-editor">
      <Group title={t("styleKind")}>
        <Kinds {...part} table={table} />
        {kind.columnLabel !== null && (
          <Field label={t(kind.columnLabel)}>
            <Pick
              value={layer.style.column ?? ""}
              onPick={(column) => part.change({ column: column === "" ? null : column, statistic: null, values: [], breaks: [], hidden: [] })}
              options={[...(kind.isColumnOptional ? [["", t("none")] as const] : []), ...named(columnsFor(kind, table))]}
            />
          </Field>
        )}
        {has("statistic") && layer.style.column != null && <Statistic {...part} />}
      </Group>
      <Group title={t("styleColours")}>
        {has("colour") && <Colour {...part} />}
        {has("ramp") && <RampPicker {...part} />}
        {has("values") && <Values {...part} />}
        <Opacity {...part} />
        <Blend {...part} />
      </Group>
      {has("classes") && <Group title={t("styleClasses")}><Classes {...part} /></Group>}
      {(layer.geometry_type !== "polygon" || kind.sizes.most > 20) && <Group title={t("styleSize")}><Size {...part} />{hasOutline(layer) && <Outline {...part} />}</Group>}
      {layer.geometry_type === "polygon" && kind.sizes.most <= 20 && layer.style.extrude == null && <Group title={t("styleOutline")}><Outline {...part} /></Group>}
      {layer.geometry_type === "polygon" && canRise(kind) && <Group title={t("styleHeight")}><Height {...part} table={table} /></Group>}
      {!kind.isBinned && (
        <>
          <Group title={t("styleLabel")}><LabelSettings {...part} table={table} /></Group>
          <Group title={t("styleTooltip")}><TooltipSettings {...part} table={table} /></Group>
        </>
      )}
      <Group title={t("styleZooms")}><ZoomSettings {...part} /></Group>
    </div>
  );
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <fieldset class="style-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

function Kinds({ layer, change, table }: PartProps & { table: Table | null }) {
  return (
    <div class="style-kinds">
      {kindsFor(layer, table).map((kind) => (
        <button
          key={kind.name} type="button" aria-pressed={layer.style.kind === kind.name}
          onClick={() => layer.style.kind !== kind.name && change(toKind(kind, layer.style, table))}
        >
          <i class={`kind-sign kind-${kind.name}`} aria-hidden="true" />
          {t(kind.label)}
        </button>
      ))}
    </div>
  );
}

function Classes({ layer, change, preview }: PartProps) {
  const { style } = layer;
  const classes = style.classes ?? 5;
  return (
    <>
      <Field label={t("styleMethod")}>
        <Pick
          value={style.method ?? "quantile"} onPick={(method) => change({ method, breaks: [], hidden: [] })}
          options={[["quantile", t("quantile")], ["equal", t("equalSteps")], ["jenks", t("jenks")]]}
        />
      </Field>
      <Slider label={t("styleCount")} value={classes} min={2} max={9} step={1} change={(it) => change({ classes: it, breaks: [], hidden: [] })} />
      <ClassLimits key={`${limitsOf(layer.legend).length} ${style.column}`} layer={layer} change={change} preview={preview} />
    </>
  );
}

/** A colour for each value of the legend; the first change keeps all others as they are. */
function Values({ layer, change, preview }: PartProps) {
  const values = layer.legend.entries.flatMap(({ value, color }) => (value == null ? [] : [{ value, color }]));
  return (
    <Field label={t("styleValues")}>
      <span class="swatches">
        {values.map(({ value, color }, at) => (
          <span key={String(value)} class="swatch">
            <ColourBox
              value={color} label={String(value)}
              live={(next) => preview({ colours: new Map([[color, next]]) })}
              change={(next) => change({ values: values.with(at, { value, color: next }) })}
            />
            <span dir="auto" aria-hidden="true">{String(value)}</span>
          </span>
        ))}
      </span>
    </Field>
  );
}

function Colour({ layer, change, preview }: PartProps) {
  const colours = [layer.style.color, layer.legend.entries[0]?.color, "#808080"];
  const shown = colours.find((it) => it != null && /^#[0-9a-f]{6}$/i.test(it)) ?? "#808080";
  return (
    <Field label={t("styleColour")}>
      <ColourBox value={shown} live={(color) => preview({ colours: new Map([[shown, color]]) })} change={(color) => change({ color })} />
    </Field>
  );
}

/** What is shown of the column in each cell. */
function Statistic({ layer, change }: PartProps) {
  return (
    <Field label={t("styleStatistic")}>
      <Pick
        value={layer.style.statistic ?? "mean"} onPick={(statistic) => change({ statistic, breaks: [], hidden: [] })}
        options={[["mean", t("statisticMean")], ["sum", t("chartSum")], ["min", t("statisticMin")], ["max", t("statisticMax")], ["count", t("statisticCount")]]}
      />
    </Field>
  );
}

function Size({ layer, change, preview }: PartProps) {
  const { sizes, isBinned } = kindOf(layer.style);
  return (
    <Slider
      label={t("styleSize")} value={layer.style.size ?? sizes.usual} min={isBinned ? 8 : 1} max={sizes.most} step={isBinned ? 4 : 0.5}
      live={isBinned ? undefined : (size) => preview({ size })} change={(size) => change({ size })}
    />
  );
}

const canRise = ({ name }: { name: string }): boolean => name === "single" || name === "categorical" || name === "graduated";

/** Areas rise in 3D by a column, and the map is tilted for the person who asked for it. */
function Height({ layer, change, table }: PartProps & { table: Table | null }) {
  const { extrude, extrude_scale: scale } = layer.style;
  const numeric = (table?.columns ?? []).filter(({ kind }) => kind === "integer" || kind === "number");
  const pick = async (column: string) => {
    await change({ extrude: column === "" ? null : column, extrude_scale: null });
    if (column !== "") tilt();
  };
  return (
    <>
      <Field label={t("styleHeightColumn")}>
        <Pick value={extrude ?? ""} onPick={(column) => void pick(column)} options={[["", t("none")], ...named(numeric)]} />
      </Field>
      {extrude != null && (
        <Field label={t("styleHeightScale")}>
          <input
            type="number" min="0" step="any" dir="ltr" value={scale ?? ""} placeholder={t("automatic")}
            onChange={({ currentTarget }) => change({ extrude_scale: currentTarget.valueAsNumber > 0 ? currentTarget.valueAsNumber : null })}
          />
        </Field>
      )}
    </>
  );
}

const hasOutline = (layer: Layer): boolean => layer.geometry_type !== "line" && layer.style.kind !== "heatmap";

function Outline({ layer, change, preview }: PartProps) {
  const { stroke, stroke_color: colour } = layer.style;
  return (
    <>
      <Slider
        label={t("styleOutlineWidth")} value={stroke ?? 1} min={0} max={6} step={0.25} written={stroke == null ? t("automatic") : undefined}
        live={(it) => preview({ stroke: it })} change={(it) => change({ stroke: it })}
      />
      <Field label={t("styleOutlineColour")}>
        <ColourBox value={colour ?? "#ffffff"} live={(it) => preview({ strokeColour: it })} change={(it) => change({ stroke_color: it })} />
      </Field>
      {(stroke != null || colour != null) && (
        <button type="button" class="link" onClick={() => change({ stroke: null, stroke_color: null })}>{t("styleOutlineReset")}</button>
      )}
    </>
  );
}

function Blend({ layer, change }: PartProps) {
  return (
    <Field label={t("styleBlend")}>
      <Pick
        value={layer.style.blend ?? "normal"} onPick={(blend) => change({ blend: blend as NonNullable<StyleSpec["blend"]> })}
        options={[["normal", t("blendNormal")], ["multiply", t("blendMultiply")], ["screen", t("blendScreen")], ["add", t("blendAdd")]]}
      />
    </Field>
  );
}

function Opacity({ layer, preview }: PartProps) {
  return (
    <Slider
      label={t("opacity")} value={layer.opacity} min={0} max={1} step={0.05} format={{ style: "percent" }}
      live={(opacity) => preview({ opacity })} change={(opacity) => changeOpacity(layer, opacity)}
    />
  );
}

