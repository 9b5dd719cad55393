/** The dialog of uploads: what each file becomes, how far it is, and what there is to decide or to know of it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n/i18n";
import { say } from "../session/commands";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icons";
import { side } from "../ui/page/side";
import { type Join, joinsFor } from "./joins";
import { change, chooseAll, layersOf, type Part, parts, type Report, unite, uploadChosen } from "./upload";

export function UploadDialog() {
  if (parts.value.length === 0) return null;
  const close = () => (parts.value = []);
  const isSending = parts.value.some(({ state }) => state === "sending");
  const isLeft = parts.value.some(({ state, isChosen }) => isChosen && (state === "ready" || state === "failed"));
  return (
    <Dialog title={t("uploadFile")} close={close}>
      <form class="uploads" onSubmit={(event) => { event.preventDefault(); void uploadChosen(); }}>
        <ul>{parts.value.map((part) => <Row key={part.id} part={part} close={close} />)}</ul>
        <div class="editor-actions">
          <button type="button" class="button plain" onClick={close}>{isLeft ? t("cancel") : t("close")}</button>
          {(isLeft || isSending) && <button type="submit" class="button" disabled={isSending || !isLeft}><Icon name="upload" />{t("uploadStart")}</button>}
        </div>
      </form>
    </Dialog>
  );
}

function Row({ part, close }: { part: Part; close: () => void }) {
  const { id, file, layer, united, name, srid, state, message, report, isChosen } = part;
  const isOpen = state === "ready" || state === "failed";
  const title = layer === null ? (united ? `${file.name} · ${t("uploadUnited")}` : file.name) : `${file.name} · ${layer}`;
  const others = layersOf(file);
  return (
    <li class={`upload upload-${state}`}>
      {others.length > 1 && others[0]?.id === id && (
        <p class="upload-layers">
          <span>{t("uploadLayers", { n: others.length, name: file.name })}</span>
          <button type="button" class="link" onClick={() => chooseAll(file)}>{t("uploadAll")}</button>
          <button type="button" class="link" onClick={() => unite(file)}>{t("uploadUnite")}</button>
        </p>
      )}
      <label class="upload-title">
        {isOpen && <input type="checkbox" checked={isChosen} onChange={() => change(id, { isChosen: !isChosen })} />}
        {state === "done" && <Icon name="check" />}
        <span dir="auto">{title}</span>
      </label>
      {state === "sending" && <progress class="step-progress" aria-label={t("uploading", { name: title })} max={1} {...(part.share < 1 && { value: part.share })} />}
      {message !== "" && <p class="missing" role="alert" dir="auto">{message}</p>}
      {isOpen && isChosen && (
        <div class="upload-fields">
          <label><span>{t("uploadName")}</span><input value={name} maxLength={60} dir="auto" onInput={({ currentTarget }) => change(id, { name: currentTarget.value })} /></label>
          <label>
            <span>{t("uploadSrid")}</span>
            <input
              value={srid} maxLength={12} dir="ltr" inputMode="numeric" placeholder={t("uploadDetected")}
              onInput={({ currentTarget }) => change(id, { srid: currentTarget.value })}
            />
          </label>
        </div>
      )}
      {report !== null && <Outcome report={report} close={close} />}
    </li>
  );
}

function Outcome({ report, close }: { report: Report; close: () => void }) {
  const { rows, srid, geometry_type: shape, remarks, problems, shared } = report;
  const facts = [t("rowCount", { n: rows }), shape === null ? t("notDrawable") : `${shape.toLowerCase()} · EPSG:${srid}`];
  return (
    <div class="upload-outcome">
      <p class="quiet">{facts.join(" · ")}</p>
      {[...(shared ? [] : [t("uploadPrivate")]), ...remarks, ...problems.slice(0, 3)].map((line) => <p key={line} class="warn" dir="auto">{line}</p>)}
      {shape === null && <Joins report={report} close={close} />}
    </div>
  );
}

/** A table without geometry can be seen through another one that has the same key. */
function Joins({ report, close }: { report: Report; close: () => void }) {
  const found = useSignal<Join[]>([]);
  useEffect(() => void joinsFor(report.table).then((joins) => (found.value = joins)), []);
  if (found.value.length === 0) return null;
  return (
    <>
      <p>{t("uploadJoin")}</p>
      {found.value.map((join) => (
        <button key={join.words} type="button" class="chip" onClick={() => { close(); side.value = "chat"; say(join.words); }}>
          {t("uploadJoinTo", { table: join.other, column: join.column })}
        </button>
      ))}
    </>
  );
}
