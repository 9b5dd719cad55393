/** What is drawn next, and what becomes of it: the shapes are saved through the panel of uploads, like any file. */
import { offer } from "../catalogue/offers";
import { t } from "../i18n/i18n";
import type { Key } from "../i18n/en";
import { IconButton, type IconName } from "../ui/icons";
import { choose, drawing, finished, removeSelected, selected, type Shape, shape, undoLast } from "../map/interaction/drawing";
import { escape, leaveMode } from "../map/interaction/interaction";

const SHAPES: [Shape, IconName, Key, Key][] = [
  ["point", "pin", "drawPoint", "drawPointHint"],
  ["linestring", "line", "drawLine", "drawLineHint"],
  ["polygon", "polygon", "drawArea", "drawAreaHint"],
  ["select", "edit", "drawEdit", "drawEditHint"],
];

const FILE_NAME = "drawing.geojson";

export function DrawPanel() {
  const save = () => {
    offer([new File([JSON.stringify(drawing())], FILE_NAME, { type: "application/geo+json" })]);
    leaveMode();
  };
  const chosen = SHAPES.find(([it]) => it === shape.value);
  return (
    <div class="draw card" role="group" aria-label={t("toolDraw")} onKeyDown={escape}>
      <div class="draw-shapes" role="toolbar" aria-label={t("toolDraw")}>
        {SHAPES.map(([it, icon, label]) => (
          <IconButton key={it} icon={icon} label={t(label)} pressed={shape.value === it} onClick={() => choose(it)} />
        ))}
        <IconButton icon="undo" label={t("drawUndo")} onClick={() => void undoLast()} />
        {selected.value !== null && <IconButton icon="trash" label={t("drawRemove")} onClick={removeSelected} />}
      </div>
      <p class="draw-hint" role="status">{chosen !== undefined && t(chosen[3])} <small class="tool-keys">{t("toolKeys")}</small></p>
      <div class="draw-ends">
        <button type="button" class="button" disabled={finished.value === 0} onClick={save}>{finished.value === 0 ? t("drawSaveNone") : t("drawSave", { n: finished.value })}</button>
        <button type="button" class="button plain" onClick={leaveMode}>{t("cancel")}</button>
      </div>
    </div>
  );
}
