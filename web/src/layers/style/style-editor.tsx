/** How a layer looks, by hand: the same wishes that the agent sends, over the same event. */
import { useRef } from "preact/hooks";
import { number, t } from "../../i18n/i18n";
import type { Column, Layer, StyleSpec, Table } from "../../protocol/types";
import { updateLayer } from "../../session/commands";
import { config } from "../../session/state";
import { Field, Pick } from "../../ui/form";
import { firstChoice } from "../columns";
import { tableOf } from "../tables";

type Kind = NonNullable<StyleSpec["kind"]>;

export function StyleEditor({ layer }: { layer: Layer }) {
  const table = tableOf(layer.table);
  const { layers: _, ...style } = layer.style;
  const wish = useRef<{ style: StyleSpec; waiting: number } | null>(null);
  // A change goes on top of those that are still on their way, for the whole style is sent.
  const change = async (part: Partial<StyleSpec>) => {
    const mine = (wish.current ??= { style, waiting: 0 });
    mine.style = { ...mine.style, ...part };
    mine.waiting += 1;
    const taken = await updateLayer(layer.id, { style: mine.style });
    mine.waiting -= 1;
    if ((mine.waiting === 0 || !taken) && wish.current === mine) wish.current = null;
  };
  const columns = table === null ? [] : usable(table, style.kind);
  return (
    <div class="editor">
      <Field label={t("styleKind")}>
        <Pick value={style.kind} options={kinds(layer, table)} onPick={(kind) => change(withKind(style, kind, table))} />
      </Field>
      {style.kind !== "single" && (
        <Field label={style.kind === "heatmap" ? t("styleWeight") : t("styleColumn")}>
          <Pick
            value={style.column ?? ""} onPick={(column) => change({ column: column === "" ? null : column, values: [], breaks: [] })}
            options={[...(style.kind === "heatmap" ? [["", t("none")] as const] : []), ...named(columns)]}
          />
        </Field>
      )}
      {style.kind === "graduated" && <Classes style={style} change={change} />}
      {style.kind === "categorical" && <Values layer={layer} change={change} />}
      {(style.kind === "single" || style.kind === "proportional") && <Colour layer={layer} change={change} />}
      {(style.kind === "graduated" || style.kind === "categorical" || style.kind === "heatmap") && (
        <Ramp style={style} change={change} />
      )}
      {layer.geometry_type !== "polygon" && <Size style={style} change={change} />}
      <Field label={t("styleLabel")}>
        <Pick
          value={style.label ?? ""} onPick={(label) => change({ label: label === "" ? null : label })}
          options={[["", t("none")], ...named(table?.columns.filter((it) => it.kind !== "geometry") ?? [])]}
        />
      </Field>
      <Opacity layer={layer} />
    </div>
  );
}

interface PartProps {
  style: StyleSpec;
  change: (part: Partial<StyleSpec>) => unknown;
}

function Classes({ style, change }: PartProps) {
  return (
    <>
      <Field label={t("styleMethod")}>
        <Pick
          value={style.method ?? "quantile"} onPick={(method) => change({ method, breaks: [] })}
          options={[["quantile", t("quantile")], ["equal", t("equalSteps")], ["jenks", t("jenks")]]}
        />
      </Field>
      <Field label={t("styleClasses")} value={number(style.classes ?? 5)}>
        <input
          type="range" min={2} max={9} step={1} value={style.classes ?? 5}
          onChange={(event) => change({ classes: event.currentTarget.valueAsNumber, breaks: [] })}
        />
      </Field>
    </>
  );
}

/** A colour for each value of the legend; the first change keeps all others as they are. */
function Values({ layer, change }: { layer: Layer; change: PartProps["change"] }) {
  const values = layer.legend.entries.flatMap(({ value, color }) => (value == null ? [] : [{ value, color }]));
  return (
    <Field label={t("styleColours")}>
      <span class="swatches">
        {values.map(({ value, color }, at) => (
          <input
            key={String(value)} type="color" value={color} title={String(value)} aria-label={String(value)}
            onChange={(event) => change({ values: values.with(at, { value, color: event.currentTarget.value }) })}
          />
        ))}
      </span>
    </Field>
  );
}

function Colour({ layer, change }: { layer: Layer; change: PartProps["change"] }) {
  const colours = [layer.style.color, layer.legend.entries[0]?.color, "#808080"];
  const shown = colours.find((it) => it != null && /^#[0-9a-f]{6}$/i.test(it)) ?? "#808080";
  return (
    <Field label={t("styleColour")}>
      <input type="color" value={shown} onChange={(event) => change({ color: event.currentTarget.value })} />
    </Field>
  );
}

function Ramp({ style, change }: PartProps) {
  const { sequential, diverging, qualitative } = config.value.ramps;
  const all: Record<string, readonly string[]> = { ...sequential, ...diverging, ...qualitative };
  const names = Object.keys(style.kind === "categorical" ? { ...qualitative, ...sequential } : { ...sequential, ...diverging });
  const colours = style.ramp != null ? all[style.ramp] : undefined;
  return (
    <>
      <Field label={t("styleRamp")}>
        <Pick
          value={style.ramp ?? ""} onPick={(ramp) => change({ ramp: ramp === "" ? null : ramp, color: null, values: [] })}
          options={[["", t("automatic")], ...names.map((name) => [name, name] as const)]}
        />
      </Field>
      {colours !== undefined && (
        <div class="ramp" aria-hidden="true">{colours.map((colour, i) => <i key={i} style={{ background: colour }} />)}</div>
      )}
    </>
  );
}

function Size({ style, change }: PartProps) {
  const most = style.kind === "proportional" || style.kind === "heatmap" ? 60 : 20;
  const value = style.size ?? (style.kind === "proportional" || style.kind === "heatmap" ? 24 : 4);
  return (
    <Field label={t("styleSize")} value={number(value, { maximumFractionDigits: 1 })}>
      <input
        type="range" min={1} max={most} step={0.5} value={value}
        onChange={(event) => change({ size: event.currentTarget.valueAsNumber })}
      />
    </Field>
  );
}

/** Sends the value when the user lets go, so that one drag is one change to undo. */
function Opacity({ layer }: { layer: Layer }) {
  return (
    <Field label={t("opacity")} value={number(layer.opacity, { style: "percent" })}>
      <input
        type="range" min={0} max={1} step={0.05} value={layer.opacity}
        aria-valuetext={number(layer.opacity, { style: "percent" })}
        onChange={(event) => void updateLayer(layer.id, { opacity: event.currentTarget.valueAsNumber })}
      />
    </Field>
  );
}

function kinds(layer: Layer, table: Table | null): (readonly [Kind, string])[] {
  const numbers = table !== null && usable(table, "graduated").length > 0;
  const all: [Kind, string, boolean][] = [
    ["single", t("kindSingle"), true],
    ["categorical", t("kindCategorical"), true],
    ["graduated", t("kindGraduated"), numbers],
    ["proportional", t("kindProportional"), numbers && layer.geometry_type !== "line"],
    ["heatmap", t("kindHeatmap"), layer.geometry_type === "point"],
  ];
  return all.filter(([kind, , possible]) => possible || kind === layer.style.kind).map(([kind, label]) => [kind, label]);
}

/** Another kind needs a column that suits it: the one that is shown, else the first that does. */
function withKind(style: StyleSpec, kind: Kind, table: Table | null): Partial<StyleSpec> {
  if (kind === "single" || kind === "heatmap" || table === null) return { kind, column: null, size: null, ramp: null, values: [], breaks: [] };
  const columns = usable(table, kind);
  const same = columns.find((it) => it.name === style.column);
  return { kind, column: (same ?? firstChoice(columns, kind === "categorical"))?.name ?? null, size: null, ramp: null, values: [], breaks: [] };
}

/** Columns that this kind of style can show; keys say nothing about a thing. */
function usable(table: Table, kind: Kind | undefined): Column[] {
  const isNumber = (it: Column) => it.kind === "integer" || it.kind === "number";
  const plain = table.columns.filter((it) => !table.key.includes(it.name) && it.kind !== "geometry" && it.kind !== "json");
  if (kind === "categorical") return plain;
  return plain.filter(isNumber);
}

function named(columns: readonly Column[]): (readonly [string, string])[] {
  return columns.map(({ name }) => [name, name]);
}
