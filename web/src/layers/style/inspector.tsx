/** The right-hand inspector of a layer: how it looks, and which of its features are drawn. */
import "../../theme/inspector.css";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/i18n";
import { layers, mayChange } from "../../store/store";
import { onEscape, ReturnFocus, useFocusOnOpen } from "../../ui/focus";
import { IconButton } from "../../ui/icons";
import { side } from "../../ui/page/side";
import { FilterEditor } from "../filter/filter-editor";
import { StyleEditor } from "./style-editor";
import { inspected } from "./styling";
import { previewed } from "../../instance/preview";

const TABS = ["style", "filter"] as const;

export function LayerInspector() {
  const layer = layers.value.find(({ id }) => id === inspected.value?.layerId);
  const isOpen = layer !== undefined && mayChange.value;
  useEffect(() => {
    if (!isOpen) side.value = "chat";
  }, [isOpen]);
  useEffect(() => () => { previewed.value = null; }, []);
  return layer === undefined || !isOpen ? null : <Inspector key={layer.id} layer={layer} />;
}

function Inspector({ layer }: { layer: NonNullable<(typeof layers.value)[number]> }) {
  const box = useRef<HTMLElement>(null);
  useFocusOnOpen(box);
  const tab = inspected.value?.tab ?? "style";
  const close = () => (side.value = "chat");
  const choose = (next: (typeof TABS)[number]) => (inspected.value = { layerId: layer.id, tab: next });
  const turn = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    choose(tab === "style" ? "filter" : "style");
    ((event.currentTarget as HTMLElement).querySelector('[aria-selected="false"]') as HTMLElement | null)?.focus();
  };
  return (
    <section ref={box} class="side layer-inspector" tabIndex={-1} aria-label={t("editLayer", { name: layer.name })} onKeyDown={onEscape(close)}>
      <ReturnFocus />
      <header class="side-head">
        <h2 dir="auto" title={layer.name}>{layer.name}</h2>
        <IconButton icon="close" label={t("close")} onClick={close} />
      </header>
      <div class="tabs" role="tablist" aria-label={t("editLayer", { name: layer.name })} onKeyDown={turn}>
        {TABS.map((it) => (
          <button
            key={it} type="button" role="tab" id={`layer-tab-${it}`} aria-controls="layer-tab-panel" aria-selected={tab === it}
            tabIndex={tab === it ? 0 : -1} onClick={() => choose(it)}
          >
            {it === "style" ? t("editStyle") : t("editFilter")}
          </button>
        ))}
      </div>
      <div class="layer-tab" role="tabpanel" id="layer-tab-panel" aria-labelledby={`layer-tab-${tab}`}>
        {tab === "style" ? <StyleEditor layer={layer} /> : <FilterEditor layer={layer} />}
      </div>
    </section>
  );
}
