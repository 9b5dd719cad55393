/** What is drawn next, and what becomes of it: the shapes are saved through the panel of uploads, like any file. */
import { useEffect } from "preact/hooks";
import { offer } from "../catalogue/offers";
import { t } from "../i18n/i18n";
import type { Key } from "../i18n/en";
import { tool } from "../instance/selection";
import { view } from "../session/camera";
import { IconButton, type IconName } from "../ui/icons";
import { beginDrawing, choose, drawing, finished, removeSelected, selected, type Shape, shape, undoLast } from "./drawing";

const SHAPES: [Shape, IconName, Key, Key][] = [
  ["point", "pin", "drawPoint", "drawPointHint"],
  ["linestring", "line", "drawLine", "drawLineHint"],
  ["polygon", "polygon", "drawArea", "drawAreaHint"],
  ["select", "edit", "drawEdit", "drawEditHint"],
];

const FILE_NAME = "drawing.geojson";

export function DrawPanel() {
  useEffect(() => (view === null ? undefined : beginDrawing(view.map)), []);
  const close = () => void (tool.value = "look");
  const save = () => {
    offer([new File([JSON.stringify(drawing())], FILE_NAME, { type: "application/geo+json" })]);
    close();
  };
  const chosen = SHAPES.find(([it]) => it === shape.value);
  return (
    <div class="draw card" role="group" aria-label={t("toolDraw")}>
      <div class="draw-shapes" role="toolbar" aria-label={t("toolDraw")}>
        {SHAPES.map(([it, icon, label]) => (
          <IconButton key={it} icon={icon} label={t(label)} pressed={shape.value === it} onClick={() => choose(it)} />
        ))}
        <IconButton icon="undo" label={t("drawUndo")} onClick={() => void undoLast()} />
        {selected.value !== null && <IconButton icon="trash" label={t("drawRemove")} onClick={removeSelected} />}
      </div>
      <p class="draw-hint" role="status">{chosen !== undefined && t(chosen[3])}</p>
      <div class="draw-ends">
        <button type="button" class="button" disabled={finished.value === 0} onClick={save}>{finished.value === 0 ? t("drawSaveNone") : t("drawSave", { n: finished.value })}</button>
        <button type="button" class="button plain" onClick={close}>{t("cancel")}</button>
      </div>
    </div>
  );
}
