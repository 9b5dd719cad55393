/** The layers of the map, top first as they lie, with their legends; a card that floats over the map. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n/i18n";
import { redo, undo } from "../session/commands";
import { isolated, past, savedView } from "../instance/state";
import { layers, map, mayChange } from "../store/store";
import { Icon, IconButton } from "../ui/icons";
import { openSide, side } from "../ui/page/side";
import { dragged, target } from "./drag";
import { GroupRow } from "./group-row";
import { arrange, isFolded, sections, shiftGroup } from "./groups";
import { filtering } from "./filter/filtering";
import { LayerRow } from "./row";
import { open } from "../instance/open";
import { openInspector } from "./style/styling";

const announcement = signal("");

export function LayersPanel() {
  const order = target.value;
  const all = (past.value?.layers ?? layers.value).toReversed();
  const state = map.value;
  useEffect(() => {
    if (filtering.value !== null) openInspector(filtering.value.layerId, "filter");
  }, [filtering.value]);
  return (
    <section class={open.value ? "layers card" : "layers card closed"} aria-label={t("layersPanel")}>
      <header class="layers-head">
        <button
          type="button" class="layers-title" aria-expanded={open.value} onClick={() => (open.value = !open.value)}
          title={open.value ? t("hideLayers") : t("showLayers")}
        >
          <Icon name="layers" />
          <h2>{t("layers")}</h2>
          {all.length > 0 && <span class="count">{all.length}</span>}
          <Icon name="chevron" />
        </button>
        {mayChange.value && (
          <>
            <IconButton icon="plus" label={t("openCatalogue")} onClick={openCatalogue} />
            <IconButton icon="undo" label={t("undo")} disabled={!state?.canUndo} onClick={() => void undo()} />
            <IconButton icon="redo" label={t("redo")} disabled={!state?.canRedo} onClick={() => void redo()} />
          </>
        )}
      </header>
      {open.value && all.length === 0 && (
        <p class="layers-empty"><strong>{t("noLayers")}</strong>{t("noLayersHint")}</p>
      )}
      {open.value && all.length > 0 && (
        <ol class="layer-list" inert={past.value !== null}>
          {sections(all).flatMap((section) => {
            const { group, layers: members } = section;
            // Between the places of two rows there is one for the head of a group.
            const place = (id: string, before = 0) => (order === null ? null : 2 * (order.length - order.indexOf(id)) - before);
            const rows = group !== null && isFolded(group) ? [] : members.map((layer) => (
              <LayerRow
                key={layer.id} layer={layer} isDragged={dragged.value === layer.id} isGrouped={group !== null}
                place={place(layer.id)} shift={(step) => shift(layer.id, step)}
              />
            ));
            const top = members[0]?.id ?? "";
            return group === null ? rows : [
              <GroupRow
                key={`group ${group}`} group={group} section={section} isDragged={dragged.value === top} place={place(top, 1)}
                shift={(step) => moveGroup(group, step)}
              />,
              ...rows,
            ];
          })}
        </ol>
      )}
      {open.value && isolated.value !== null && (
        <button type="button" class="link layers-foot" onClick={() => (isolated.value = null)}>{t("endIsolate")}</button>
      )}
      {open.value && savedView.value !== null && (
        <p class="layers-foot layers-saved-view">
          <Icon name="bookmark" /><span dir="auto">{savedView.value.name}</span>
          <button type="button" class="link" onClick={() => (savedView.value = null)}>{t("viewLeave")}</button>
        </p>
      )}
      <div class="hidden" role="status" aria-live="assertive">{announcement.value}</div>
    </section>
  );
}

function openCatalogue(): void {
  openSide(side.value === "catalogue" ? "chat" : "catalogue");
}

/** One step up or down, by the keyboard. */
function shift(id: string, step: 1 | -1): void {
  const order = layers.value.map((layer) => layer.id);
  const at = order.indexOf(id);
  let to = at + step;
  // A folded group is passed as a whole.
  const passed = layers.value[to]?.group ?? null;
  while (passed !== null && isFolded(passed) && layers.value[to + step]?.group === passed) to += step;
  if (to < 0 || to >= order.length) return;
  order.splice(to, 0, ...order.splice(at, 1));
  const name = layers.value[at]?.name ?? id;
  announcement.value = t("movedTo", { name, position: order.length - to, count: order.length });
  arrange(order, id);
}

function moveGroup(group: string, step: 1 | -1): void {
  const position = shiftGroup(group, step);
  if (position !== null) announcement.value = t("movedTo", { name: group, position, count: sections(layers.value).length });
}
