/** The tools for pointing at things (select by a box or a lasso, draw an area, measure), and the choice of the base map. */
import { number, t } from "../i18n/i18n";
import type { Key } from "../i18n/en";
import { chooseBase } from "../session/base-maps";
import { baseName, config } from "../instance/state";
import { IconButton, type IconName } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { narrow } from "../browser/narrow";
import { mayChange } from "../store/store";
import { type Tool, tool } from "../instance/selection";
import { escape, leaveMode } from "../map/interaction/interaction";
import { isArea, measured, session } from "../map/interaction/session";

const TOOLS: [Tool, IconName, Key, Key][] = [
  ["select", "select", "toolSelect", "hintSelect"],
  ["lasso", "lasso", "toolLasso", "hintLasso"],
  ["area", "polygon", "toolArea", "hintArea"],
  ["measure", "ruler", "toolMeasure", "hintMeasure"],
  ["draw", "edit", "toolDraw", "toolDraw"],
  ["comment", "comment", "toolComment", "hintComment"],
];

const FOR_EDITORS = new Set<Tool>(["area", "draw", "comment"]);

/** Visitors with a view link can select and measure. */
const offered = () => TOOLS.filter(([it]) => mayChange.value || !FOR_EDITORS.has(it));

export function Toolbar() {
  const chosen = TOOLS.find(([it]) => it === tool.value);
  return (
    <>
      <div
        class="toolbar card" role="toolbar" aria-label={t("tools")} aria-orientation="vertical"
        onKeyDown={escape}
      >
        {narrow.value ? <Menu label={t("tools")} icon={chosen?.[1] ?? "select"} items={toolItems} /> : offered().map(([it, icon, label]) => (
          <IconButton
            key={it} icon={icon} label={t(label)} pressed={tool.value === it}
            onClick={() => (tool.value = tool.value === it ? "look" : it)}
          />
        ))}
        {!narrow.value && config.value.basemaps.length > 0 && <Menu label={t("basemap")} icon="map" items={bases} />}
      </div>
      {chosen !== undefined && (tool.value !== "draw" || session.value === null) && (
        <div class="tool-hint card" role="status" onKeyDown={escape}>
          <span>{hint(chosen)}</span>
          <small class="tool-keys">{t("toolKeys")}</small>
          {tool.value === "area" && <button type="button" class="link" disabled={!isArea.value} onClick={() => session.value?.finish()}>{t("finish")}</button>}
          <button type="button" class="link" onClick={leaveMode}>{t("cancel")}</button>
        </div>
      )}
    </>
  );
}

function hint([name, , , key]: (typeof TOOLS)[number]): string {
  if (name !== "comment" && session.value === null) return t("loading");
  return measured.value === null ? t(key) : sizes(measured.value);
}

/** The tools and the base maps: on a phone behind one button, and commands of the palette. */
export function toolItems(): MenuItem[] {
  const tools = offered().map(([it, icon, label]): MenuItem => ({
    label: t(label), icon, checked: tool.value === it, act: () => void (tool.value = tool.value === it ? "look" : it),
  }));
  const [first, ...others] = config.value.basemaps.length > 0 ? bases() : [];
  return first === undefined ? tools : [...tools, { ...first, section: t("basemap") }, ...others];
}

function bases(): MenuItem[] {
  return [...config.value.basemaps.map(({ name }) => name), ""].map((name) => ({
    label: name || t("basemapBuiltIn"), checked: baseName.value === name, act: () => void chooseBase(name),
  }));
}

function sizes({ length, area }: { length: number; area: number | null }): string {
  const long = length < 1000 ? unit(length, "meter") : unit(length / 1000, "kilometer");
  if (area === null) return long;
  const wide = area < 1e6 ? `${unit(area, "meter")}²` : `${unit(area / 1e6, "kilometer")}²`;
  return `${long} · ${wide}`;
}

/** Four digits, and all of those before the point. */
function unit(value: number, name: "meter" | "kilometer"): string {
  return number(value, { style: "unit", unit: name, ...(value < 1000 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 0 }) });
}
