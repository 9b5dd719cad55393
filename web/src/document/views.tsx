/** Saved views of the map: a camera and the visible layers under a name, the same list for everyone on the map. */
import { useSignal } from "@preact/signals";
import { t } from "../i18n/i18n";
import type { Bookmark } from "../protocol/types";
import { goToBookmark, viewpoint } from "../session/camera";
import { removeBookmark, saveBookmark } from "../session/commands";
import { savedView } from "../instance/state";
import { bookmarks, mayChange } from "../store/store";
import { Icon } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { SidePanel } from "../ui/page/side-panel";

const MAX_NAME = 80;

export function ViewsPanel() {
  return (
    <SidePanel title={t("views")} takesFocus={false}>
      {mayChange.value && <SaveForm />}
      {bookmarks.value.length === 0 && <p class="quiet side-note">{t("viewsEmpty")}</p>}
      <ul class="views-list">
        {bookmarks.value.map((bookmark) => <Row key={bookmark.id} bookmark={bookmark} />)}
      </ul>
    </SidePanel>
  );
}

function SaveForm() {
  const name = useSignal("");
  const save = async () => {
    const view = viewpoint();
    const wanted = name.value.trim();
    if (view === null || wanted === "") return;
    if (await saveBookmark(wanted, view)) name.value = "";
  };
  return (
    <form class="views-save" onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <input
        type="text" value={name.value} maxLength={MAX_NAME} dir="auto" aria-label={t("viewName")} placeholder={t("viewName")}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <button type="submit" class="button" disabled={name.value.trim() === ""}>{t("viewSave")}</button>
    </form>
  );
}

function Row({ bookmark }: { bookmark: Bookmark }) {
  const { id, name, view } = bookmark;
  return (
    <li>
      <button
        type="button" class="views-go" aria-pressed={savedView.value?.id === id} title={t("viewGo")}
        onClick={() => goToBookmark(bookmark)}
      >
        <Icon name="bookmark" />
        <span class="views-name" dir="auto">{name}</span>
        <span class="quiet">{t("layerCount", { n: view.layers?.length ?? 0 })}</span>
      </button>
      {mayChange.value && <Menu label={t("viewActions", { name })} icon="more" items={() => actions(bookmark)} />}
    </li>
  );
}

function actions({ id, name }: Bookmark): MenuItem[] {
  const replace = () => {
    const view = viewpoint();
    if (view !== null) void saveBookmark(name, view, id);
  };
  return [
    { label: t("viewReplace"), icon: "retry", act: replace },
    { label: t("remove"), icon: "trash", danger: true, act: () => void removeBookmark(id) },
  ];
}
