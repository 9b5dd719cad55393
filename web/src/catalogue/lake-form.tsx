/** Registers a dataset of Parquet files on the server as a table of this map. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { worded } from "../i18n/faults";
import { number, t } from "../i18n/i18n";
import { forget } from "../data/tables";
import { addAndZoom } from "../session/camera";
import { config } from "../instance/state";
import { map, mayChange } from "../store/store";
import { onEscape, ReturnFocus } from "../ui/focus";
import { Field } from "../ui/form";
import { Icon } from "../ui/icons";
import { notify } from "../ui/toast";
import { uploads } from "./upload";

interface Added {
  table: string;
  rows: number;
  files: number;
  geometry: string | null;
  remarks: string[];
}

export function LakeForm() {
  const isOpen = useSignal(false);
  if (!config.value.lake || !mayChange.value) return null;
  return (
    <div class="lake-adding">
      <button type="button" class="link" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        <Icon name="plus" />{t("lakeAdd")}
      </button>
      {isOpen.value && <Form close={() => (isOpen.value = false)} />}
    </div>
  );
}

function Form({ close }: { close: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const fault = useSignal("");
  const isBusy = useSignal(false);
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>("input")?.focus(), []);
  const send = async (event: Event) => {
    event.preventDefault();
    const given = new FormData(form.current ?? undefined);
    const [location, name, srid] = ["location", "name", "srid"].map((field) => String(given.get(field) ?? "").trim());
    isBusy.value = true;
    fault.value = "";
    const answer = await register({ location, ...(name && { name }), ...(srid && { srid: Number(srid) }) });
    isBusy.value = false;
    if ("error" in answer) {
      fault.value = worded(answer.error).message;
      return;
    }
    uploads.value += 1;
    forget();
    notify([t("lakeAdded", { table: answer.table, rows: number(answer.rows), n: answer.files }), ...answer.remarks].join(" "));
    close();
    if (answer.geometry !== null) await addAndZoom(answer.table);
  };
  return (
    <form ref={form} class="recipe-form" aria-label={t("lakeAdd")} onSubmit={(event) => void send(event)} onKeyDown={onEscape(close)}>
      <ReturnFocus />
      <p class="quiet">{t("lakeAddHint")}</p>
      <Field label={t("lakePath")}><input name="location" required maxLength={2000} dir="ltr" spellcheck={false} autocomplete="off" placeholder="/srv/lake/pings" /></Field>
      <Field label={t("lakeName")}><input name="name" maxLength={63} dir="auto" spellcheck={false} autocomplete="off" placeholder={t("lakeNameHint")} /></Field>
      <Field label={t("lakeSrid")}><input name="srid" inputMode="numeric" pattern="[0-9]{1,6}" dir="ltr" autocomplete="off" placeholder={t("lakeSridHint")} /></Field>
      {fault.value !== "" && <p class="missing" role="alert" dir="auto">{fault.value}</p>}
      <div class="recipe-actions">
        <button type="submit" class="button" disabled={isBusy.value}><Icon name="plus" />{t(isBusy.value ? "lakeReading" : "lakeRegister")}</button>
        <button type="button" class="button plain" onClick={close}>{t("cancel")}</button>
      </div>
    </form>
  );
}

async function register(wish: object): Promise<Added | { error: { code: string; message: string } }> {
  try {
    const answer = await fetch(`/api/maps/${map.value?.mapId ?? ""}/lake`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wish),
    });
    return (await answer.json()) as Added | { error: { code: string; message: string } };
  } catch {
    return { error: { code: "unavailable", message: t("noConnection") } };
  }
}
