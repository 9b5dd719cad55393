/** The head of a group of layers in the panel: fold, name, show or hide, and what can be done with all of it. */
import { t } from "../i18n/i18n";
import { around } from "../geometry/sight";
import { zoomTo } from "../session/camera";
import { changeGroup } from "../session/commands";
import { isShown } from "../instance/state";
import { layers as all, mayChange } from "../store/store";
import { NameField } from "../ui/form";
import { Icon, IconButton } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { startDrag } from "./drag";
import { Grip } from "./grip";
import { fold, isFolded, renaming, type Section, showGroup } from "./groups";

interface Props {
  group: string;
  section: Section;
  isDragged: boolean;
  /** Its place in the layout during a drag. */
  place: number | null;
  shift: (step: 1 | -1) => void;
}

export function GroupRow({ group, section, isDragged, place, shift }: Props) {
  const { layers } = section;
  const ids = layers.map(({ id }) => id);
  const folded = isFolded(group);
  const visible = layers.some(isShown);
  const bounds = around(layers.flatMap((layer) => (layer.bounds ? [layer.bounds] : [])));
  const menu = (): MenuItem[] => [
    { label: t("zoomTo"), icon: "target", disabled: bounds === null, act: () => zoomTo(bounds) },
    ...(mayChange.value ? [
      { label: t("rename"), icon: "edit" as const, act: () => (renaming.value = group) },
      { label: t("moveUp"), icon: "send" as const, disabled: ids.includes(all.value.at(-1)?.id ?? ""), act: () => shift(1) },
      { label: t("moveDown"), icon: "down" as const, disabled: ids.includes(all.value[0]?.id ?? ""), act: () => shift(-1) },
      { label: t("groupDissolve"), icon: "layers" as const, act: () => void changeGroup({ layers: ids, group: null }) },
    ] : []),
  ];
  const rename = (name: string) => {
    if (name === "") return;
    fold(name, false);
    void changeGroup({ layers: ids, group: name });
  };
  return (
    <li
      class={`layer-group ${visible ? "" : "layer-hidden"} ${isDragged ? "dragged" : ""}`} style={{ order: place ?? "" }}
      data-group={group} {...(folded && { "data-layer": ids[0] })}
    >
      <Grip name={group} drag={(event) => startDrag(event, ids[0] ?? "", ids)} shift={shift} />
      {renaming.value === group ? (
        <NameField class="rename" name={group} label={t("groupRename")} save={rename} done={() => (renaming.value = null)} />
      ) : (
        <button
          type="button" class="group-name" aria-expanded={!folded} title={group}
          onClick={() => fold(group, !folded)} onDblClick={() => mayChange.value && (renaming.value = group)}
        >
          <Icon name="chevron" /><span dir="auto">{group}</span><span class="count">{layers.length}</span>
        </button>
      )}
      {mayChange.value && <IconButton
        icon={visible ? "eye" : "eyeOff"} label={visible ? t("hideLayer", { name: group }) : t("showLayer", { name: group })}
        onClick={() => showGroup(section, !visible)}
      />}
      <Menu label={t("groupActions", { name: group })} icon="more" items={menu} />
    </li>
  );
}
