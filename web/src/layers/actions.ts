/** What can be done with a layer: the menu of its row, and commands of the palette. */
import { startChart } from "../charts/actions";
import { otherLayer } from "../instance/sides";
import { t } from "../i18n/i18n";
import type { Layer } from "../protocol/types";
import { zoomTo } from "../session/camera";
import { changeGroup, duplicateLayer, removeLayer, updateLayer } from "../session/commands";
import { download } from "../session/exports";
import { compared, isolated, past, savedView } from "../instance/state";
import { exporting } from "../ui/page/dialogs";
import { layers, mayChange } from "../store/store";
import { openTable } from "../instance/table";
import { mayBeSlid, openTime, timeColumns } from "../instance/time";
import type { MenuItem } from "../ui/menu";
import { groupNames, startGroup } from "./groups";
import { makeRoom } from "../instance/open";
import { openInspector } from "./style/styling";
import { tableOf } from "../data/tables";

const FORMATS = [
  ["geojson", "GeoJSON"], ["csv", "CSV"], ["gpkg", "GeoPackage"], ["fgb", "FlatGeobuf"], ["parquet", "GeoParquet"],
] as const;

export interface InPanel {
  /** One step up or down. */
  shift: (step: 1 | -1) => void;
  rename: () => void;
}

/** What can be done with a layer; with `panel` also what needs its row in the panel. */
export function actions(layer: Layer, panel?: InPanel): MenuItem[] {
  const alone = isolated.value === layer.id;
  return [
    { label: t("zoomTo"), icon: "target", disabled: layer.bounds === null, act: () => zoomTo(layer.bounds) },
    {
      label: alone ? t("endIsolate") : t("isolate"), icon: "eye",
      act: () => (isolated.value = alone ? null : layer.id),
    },
    ...(mayChange.value ? [{ label: t("chartOf"), icon: "chart" as const, act: () => startChart({ layer_id: layer.id }) }] : []),
    ...compare(layer),
    { label: t("openTable"), icon: "table", act: () => openTable({ layer: layer.id }) },
    ...(mayBeSlid(layer) && timeColumns(tableOf(layer.table)).length > 0 ? [{ label: t("timeSlider"), icon: "history" as const, act: () => openTime(layer.id) }] : []),
    ...(mayChange.value ? changes(layer, panel) : []),
    ...FORMATS.map(([format, label], index): MenuItem => ({
      label, icon: "download", act: () => download(layer.id, format), ...(index === 0 && { section: t("download") }),
    })),
    ...(mayChange.value ? [{ label: t("exportLayers"), icon: "download" as const, act: () => (exporting.value = [layer.id]) }] : []),
  ];
}

/** Beside the topmost other layer, which can be exchanged then. */
function compare({ id, geometry_type }: Layer): MenuItem[] {
  const other = otherLayer(layers.value, id);
  if (other === undefined || geometry_type === "none") return [];
  const act = () => {
    [isolated.value, past.value] = [null, null];
    compared.value = { left: id, right: other };
    makeRoom();
  };
  return [{ label: t("compareLayer"), icon: "compare", act }];
}

function changes(layer: Layer, panel: InPanel | undefined): MenuItem[] {
  return [
    { label: t("editStyle"), icon: "palette", act: () => openInspector(layer.id) },
    { label: t("editFilter"), icon: "filter", act: () => openInspector(layer.id, "filter") },
    ...(panel === undefined ? [] : [{ label: t("rename"), icon: "edit" as const, act: panel.rename }]),
    { label: t("duplicate"), icon: "copy", act: () => duplicateLayer(layer.id) },
    ...(panel === undefined ? [] : [
      { label: t("moveUp"), icon: "send" as const, disabled: layers.value.at(-1)?.id === layer.id, act: () => panel.shift(1) },
      { label: t("moveDown"), icon: "down" as const, disabled: layers.value[0]?.id === layer.id, act: () => panel.shift(-1) },
    ]),
    ...grouping(layer),
    { label: t("remove"), icon: "trash", danger: true, act: () => void removeLayer(layer.id) },
  ];
}

function grouping({ id, group = null }: Layer): MenuItem[] {
  const others = groupNames().filter((name) => name !== group);
  return [
    { label: t("groupNew"), icon: "layers", act: () => startGroup(id) },
    ...others.map((name): MenuItem => ({ label: t("groupMove", { name }), icon: "layers", act: () => void changeGroup({ layers: [id], group: name }) })),
    ...(group === null ? [] : [{ label: t("groupLeave", { name: group }), icon: "layers" as const, act: () => void changeGroup({ layers: [id], group: null }) }]),
  ];
}

/** For everyone; a saved view says no more about this layer then. */
export function show(layer: Layer, visible: boolean): void {
  const saved = savedView.value;
  if (saved !== null) {
    const others = [...saved.visible].filter(([id]) => id !== layer.id);
    savedView.value = { ...saved, visible: new Map(others).set(layer.id, visible) };
  }
  if (layer.visible !== visible) void updateLayer(layer.id, { visible });
}
