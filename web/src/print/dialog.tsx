/** The map as a sheet of paper: title, legend, scale, north arrow and sources, as PDF or PNG. */
import { useSignal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { printing } from "../ui/page/dialogs";
import { printSheet } from "./print";
import { description } from "../store/store";
import { Dialog } from "../ui/dialog";
import { Pick } from "../ui/form";
import { Icon } from "../ui/icons";
import { type Paper, PAPERS } from "./sheet";

const MAX_TITLE = 120;

export function PrintDialog() {
  return <Dialog title={t("print")} close={() => (printing.value = false)}><Form /></Dialog>;
}

function Form() {
  const title = useSignal(description.value?.name ?? "");
  const paper = useSignal<Paper>("A4");
  const turned = useSignal<"landscape" | "portrait">("landscape");
  const format = useSignal<"pdf" | "png">("pdf");
  const parts = { legend: useSignal(true), scale: useSignal(true), north: useSignal(true) };
  const isWriting = useSignal(false);
  const fault = useSignal("");
  const write = async () => {
    isWriting.value = true;
    fault.value = "";
    try {
      await printSheet(paper.value, turned.value === "landscape", format.value, {
        title: title.value.trim(), legend: parts.legend.value, scale: parts.scale.value, north: parts.north.value,
      });
      printing.value = false;
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
    isWriting.value = false;
  };
  return (
    <form class="dialog-form" onSubmit={(event) => { event.preventDefault(); void write(); }}>
      <div class="dialog-fields">
        <label class="wide">
          <span>{t("printTitle")}</span>
          <input value={title.value} maxLength={MAX_TITLE} dir="auto" onInput={({ currentTarget }) => (title.value = currentTarget.value)} />
        </label>
        <label>
          <span>{t("exportFormat")}</span>
          <Pick value={format.value} options={[["pdf", "PDF"], ["png", "PNG"]]} onPick={(it) => (format.value = it)} />
        </label>
        <label>
          <span>{t("printPaper")}</span>
          <Pick value={paper.value} options={(Object.keys(PAPERS) as Paper[]).map((it) => [it, it] as const)} onPick={(it) => (paper.value = it)} />
        </label>
        <label>
          <span>{t("printTurned")}</span>
          <Pick
            value={turned.value} options={[["landscape", t("printLandscape")], ["portrait", t("printPortrait")]]}
            onPick={(it) => (turned.value = it)}
          />
        </label>
      </div>
      <fieldset class="dialog-choices">
        <legend>{t("printShows")}</legend>
        {([["legend", t("printLegend")], ["scale", t("printScaleBar")], ["north", t("printNorth")]] as const).map(([part, label]) => (
          <label key={part}>
            <input type="checkbox" checked={parts[part].value} onChange={() => (parts[part].value = !parts[part].value)} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <p class="quiet">{t("printNote")}</p>
      {isWriting.value && <progress class="step-progress" aria-label={t("exportWriting")} />}
      {fault.value !== "" && <p class="missing" role="alert" dir="auto">{fault.value}</p>}
      <div class="dialog-actions">
        <button type="button" class="button plain" onClick={() => (printing.value = false)}>{t("cancel")}</button>
        <button type="submit" class="button" disabled={isWriting.value}><Icon name="download" />{t("printStart")}</button>
      </div>
    </form>
  );
}
