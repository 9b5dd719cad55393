/** One layer in the panel: show or hide, name, legend, and what can be done with it. */
import { useSignal } from "@preact/signals";
import { rounded, t } from "../i18n/i18n";
import type { Layer } from "../protocol/types";
import { reloadTiles, zoomTo } from "../session/camera";
import { updateLayer } from "../session/commands";
import { isolated, isShown, mayChangeNow } from "../instance/state";
import { tileFaults } from "../map/tiles/receipts";
import { loading } from "../map/tiles/loading";
import { bounds as viewed } from "../instance/selection";
import { isOutside } from "../geometry/sight";
import { thinnedWords } from "./thinned-words";
import { mayChange } from "../store/store";
import { NameField } from "../ui/form";
import { Icon, IconButton } from "../ui/icons";
import { Menu } from "../ui/menu";
import { openSide, side } from "../ui/page/side";
import { actions, show } from "./actions";
import { describe } from "../data/cql2";
import { startDrag } from "./drag";
import { Grip } from "./grip";
import { inkOf } from "./style/ink";
import { LegendView, Swatch } from "./style/legend";
import { inspected, openInspector, toggleEntry } from "./style/styling";

interface Props {
  layer: Layer;
  isDragged: boolean;
  isGrouped: boolean;
  /** Where a drag would leave it, counted from the top. */
  place: number | null;
  shift: (step: 1 | -1) => void;
}

export function LayerRow({ layer, isDragged, isGrouped, place, shift }: Props) {
  const renaming = useSignal(false);
  const isInspected = side.value === "layer" && inspected.value?.layerId === layer.id;
  const { name } = layer;
  const ink = inkOf(layer);
  const visible = isShown(layer);
  const hidden = !visible || (isolated.value !== null && isolated.value !== layer.id);
  return (
    <li
      class={`layer ${hidden ? "layer-hidden" : ""} ${isDragged ? "dragged" : ""} ${isInspected ? "layer-inspected" : ""} ${isGrouped ? "grouped" : ""}`} data-layer={layer.id}
      aria-busy={visible && loading.value.has(layer.id)}
      style={{ order: place ?? "", "--layer-opacity": ink.opacity, "--layer-edge": ink.edge?.color }}
    >
      <div class="layer-line">
        <Grip name={name} drag={(event) => startDrag(event, layer.id)} shift={shift} />
        <FirstSwatch layer={layer} />
        {renaming.value ? (
          <NameField
            class="rename" name={name} label={t("renameLayer")} done={() => (renaming.value = false)}
            save={(wanted) => wanted !== "" && void updateLayer(layer.id, { name: wanted })}
          />
        ) : !mayChange.value ? (
          <span class="layer-name" dir="auto" title={layer.table}>{name}</span>
        ) : (
          <button
            type="button" class="layer-name" dir="auto" title={`${name} · ${layer.table}`} aria-expanded={isInspected}
            onClick={() => (isInspected ? openSide("chat") : openInspector(layer.id))}
            onDblClick={() => (renaming.value = true)}
          >
            {name}
          </button>
        )}
        <IconButton
          icon="target" class="on-hover" label={`${t("zoomTo")}: ${name}`} disabled={layer.bounds === null}
          onClick={() => zoomTo(layer.bounds)}
        />
        {mayChange.value && <IconButton
          icon={visible ? "eye" : "eyeOff"} label={visible ? t("hideLayer", { name }) : t("showLayer", { name })}
          onClick={() => show(layer, !visible)}
        />}
        <Menu
          label={t("layerActions", { name })} icon="more"
          items={() => actions(layer, { shift, rename: () => (renaming.value = true) })}
        />
      </div>
      <div class="layer-body">
        <div class="layer-count">
          <FeatureCount layer={layer} />
          <Thinned layer={layer} />
          {visible && <Outside layer={layer} />}
          {visible && loading.value.has(layer.id) && <span class="layer-loading">{t("loading")}</span>}
          {layer.filter != null && (
            <button type="button" class="badge" title={describe(layer.filter)} disabled={!mayChange.value} onClick={() => openInspector(layer.id, "filter")}>
              <Icon name="filter" /><span dir="auto">{describe(layer.filter)}</span>
            </button>
          )}
        </div>
        {visible && tileFaults.value.has(layer.id) && (
          <p class="layer-fault" role="alert">
            <Icon name="alert" />{t("tilesFailed")} <button type="button" class="link" onClick={() => reloadTiles(layer.id)}>{t("retry")}</button>
          </p>
        )}
        {visible && (
          <LegendView
            layer={layer}
            toggle={mayChangeNow.value ? (label, alone) => toggleEntry(layer, label, alone) : undefined}
            restyle={mayChangeNow.value ? () => openInspector(layer.id) : undefined}
          />
        )}
      </div>
    </li>
  );
}

/** The exact number, or an estimate from a sample until the rows of a large table are counted. */
function FeatureCount({ layer: { count, estimated } }: { layer: Layer }) {
  if (!estimated) return <span>{t("featureCount", { n: count })}</span>;
  return <span title={t("estimatedHint")}>{t("aboutFeatures", { n: rounded(count) })}</span>;
}

/** Nothing of the layer is in view: the way there. */
function Outside({ layer: { bounds } }: { layer: Layer }) {
  const seen = viewed.value?.bounds;
  if (bounds == null || seen === undefined || !isOutside(bounds, seen)) return null;
  return <button type="button" class="link" onClick={() => zoomTo(bounds)}>{t("outsideView")}</button>;
}

/** Not everything in view is drawn. */
function Thinned({ layer }: { layer: Layer }) {
  const found = thinnedWords(layer);
  return found && <span class="thinned" title={found.hint}>{found.text}</span>;
}

function FirstSwatch({ layer: { legend } }: { layer: Layer }) {
  const [entry] = legend.entries;
  if (legend.kind !== "single" || entry === undefined) return null;
  return <Swatch entry={{ ...entry, size: Math.min(entry.size ?? 5, 6) }} shape={legend.shape} />;
}
