/** Sharing a map: my name, the link that changes it, the link that only shows it, and a frame for other pages. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n/i18n";
import { keepName, myName } from "../people/people";
import { introduce, shareView } from "../session/commands";
import { map, mayChange } from "../store/store";
import { copy } from "../ui/clipboard";
import { Dialog } from "../ui/dialog";
import { sharing } from "../ui/page/dialogs";

export function ShareDialog() {
  return sharing.value ? <Dialog title={t("shareMap")} close={() => (sharing.value = false)}><Links /></Dialog> : null;
}

function Links() {
  /** Undefined until the server has answered whether there is a view link. */
  const viewKey = useSignal<string | null | undefined>(undefined);
  const ask = async (view?: boolean) => {
    const answer = await shareView(view);
    if (answer !== undefined) viewKey.value = answer;
  };
  useEffect(() => {
    if (mayChange.value) void ask();
  }, []);
  const key = mayChange.value ? viewKey.value : map.value?.mapId;
  return (
    <>
      <label class="dialog-field">
        <span>{t("yourName")}</span>
        <input
          type="text" defaultValue={myName.value} maxLength={40} dir="auto" autocomplete="nickname" placeholder={t("yourNameHint")}
          onChange={(event) => {
            keepName(event.currentTarget.value);
            introduce();
          }}
        />
      </label>
      {mayChange.value && <Link title={t("editLink")} hint={t("editLinkHint")} text={address(map.value?.mapId ?? "")} />}
      {key != null && <Link title={t("viewLink")} hint={t("viewLinkHint")} text={address(key)} />}
      {key === null && (
        <section class="dialog-part">
          <h3>{t("viewLink")}</h3>
          <p class="quiet">{t("viewLinkHint")}</p>
          <button type="button" class="button" onClick={() => void ask(true)}>{t("makeViewLink")}</button>
        </section>
      )}
      {key != null && <Link title={t("embed")} hint={t("embedHint")} text={frame(key)} />}
      {key != null && mayChange.value && (
        <section class="dialog-part">
          <button type="button" class="button plain danger" onClick={() => void ask(false)}>{t("withdrawLink")}</button>
          <p class="quiet">{t("withdrawLinkHint")}</p>
        </section>
      )}
    </>
  );
}

function Link({ title, hint, text }: { title: string; hint: string; text: string }) {
  return (
    <section class="dialog-part">
      <h3>{title}</h3>
      <p class="quiet">{hint}</p>
      <div class="copy-line">
        <input type="text" readOnly value={text} dir="ltr" aria-label={title} onFocus={(event) => event.currentTarget.select()} />
        <button type="button" class="button" aria-label={`${t("copy")}: ${title}`} onClick={() => void copy(text)}>{t("copy")}</button>
      </div>
    </section>
  );
}

const address = (key: string): string => `${location.origin}/m/${key}`;

function frame(key: string): string {
  return `<iframe src="${address(key)}?embed=1" title="GeoAgent" width="100%" height="480" loading="lazy" allow="fullscreen; geolocation" style="border:0"></iframe>`;
}
