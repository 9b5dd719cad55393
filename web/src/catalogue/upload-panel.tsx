/** The panel of uploads: what each file holds and where it lies, what it becomes, and what came of it. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { inOwnWords, number, t } from "../i18n/i18n";
import { zoomTo } from "../session/camera";
import { say } from "../session/commands";
import { Icon, IconButton } from "../ui/icons";
import { side } from "../ui/page/side";
import { SidePanel } from "../ui/page/side-panel";
import { type Join, joinsFor, requestOf, short } from "./joins";
import { offered } from "./offers";
import { change, layersOf, type Mode, type Part, parts, type Report, type Staged, waiting } from "./parts";
import { choose, correctSrid, dropAll, loadChosen, readLater, showChosen, take, targets, uniteLayers } from "./upload";

export function UploadPanel() {
  useSignalEffect(() => {
    if (offered.value.length === 0) return;
    const files = offered.value;
    offered.value = [];
    take(files);
  });
  useEffect(() => {
    showChosen();
    return dropAll;
  }, []);
  const close = () => (side.value = "chat");
  const isBusy = parts.value.some(({ state }) => state === "sending" || state === "loading");
  const isLeft = parts.value.some(({ state, isChosen }) => isChosen && state !== "done");
  return (
    <SidePanel title={t("uploadFile")} role="dialog">
      <form class="uploads" onSubmit={(event) => { event.preventDefault(); void loadChosen(); }}>
        <ul>{parts.value.map((part) => <Row key={part.id} part={part} close={close} />)}</ul>
        <div class="editor-actions">
          <button type="button" class="button plain" onClick={close}>{isLeft ? t("cancel") : t("close")}</button>
          {isLeft && <button type="submit" class="button" disabled={isBusy || waiting().length === 0}><Icon name="plus" />{t("uploadLoad")}</button>}
        </div>
      </form>
    </SidePanel>
  );
}

function Row({ part, close }: { part: Part; close: () => void }) {
  const { id, file, layer, united, state, message, notice, staged, report, isChosen, share } = part;
  const title = layer === null ? (united ? `${file.name} · ${t("uploadUnited")}` : file.name) : `${file.name} · ${layer}`;
  const bounds = staged?.bounds ?? null;
  return (
    <li class={`upload upload-${state}`}>
      <Layers part={part} />
      <div class="upload-head">
        <label class="upload-title">
          {state !== "done" && <input type="checkbox" checked={isChosen} disabled={state === "loading"} onChange={() => choose(id, !isChosen)} />}
          {state === "done" && <Icon name="check" />}
          <span dir="auto">{title}</span>
        </label>
        {bounds !== null && <IconButton icon="target" label={`${t("zoomTo")}: ${title}`} onClick={() => zoomTo(bounds)} />}
      </div>
      {state === "sending" && <progress class="step-progress" aria-label={t("uploading", { name: title })} max={1} {...(share < 1 && { value: share })} />}
      {state === "loading" && <progress class="step-progress" aria-label={t("uploadLoading", { name: title })} />}
      {message !== "" && <p class="missing" role="alert" dir="auto">{message}</p>}
      {notice !== "" && <p class="quiet" role="status" dir="auto">{notice}</p>}
      {staged !== null && isChosen && state !== "done" && <Facts staged={staged} />}
      {staged !== null && isChosen && state === "staged" && <Decision part={part} />}
      {(staged === null || staged.srid !== null) && isChosen && (state === "staged" || state === "failed") && <ReferenceField part={part} />}
      {state === "failed" && isChosen && <button type="button" class="link" onClick={() => readLater(id)}>{t("retry")}</button>}
      {report !== null && staged !== null && <Outcome part={part} report={report} staged={staged} close={close} />}
    </li>
  );
}

/** Above the first of several layers of a file: take all of them, or make one table of all. */
function Layers({ part: { id, file } }: { part: Part }) {
  const others = layersOf(file);
  if (others.length < 2 || others[0]?.id !== id) return null;
  return (
    <p class="upload-layers">
      <span>{t("uploadLayers", { n: others.length, name: file.name })}</span>
      <button type="button" class="link" onClick={() => others.forEach((it) => choose(it.id, true))}>{t("uploadAll")}</button>
      <button type="button" class="link" onClick={() => uniteLayers(file)}>{t("uploadUnite")}</button>
    </p>
  );
}

function Facts({ staged: { rows, geometry_type: shape, remarks, problems, wordings, columns } }: { staged: Staged }) {
  const attributes = columns.length - (shape === null ? 0 : 1);
  return (
    <div class="upload-outcome">
      <p class="quiet">
        {[t("rowCount", { n: rows }), t("columnCount", { n: attributes }), shape === null ? t("notDrawable") : t(shapeWord(shape))].join(" · ")}
      </p>
      {[...remarks, ...problems.slice(0, 3)].map((line) => <p key={line} class="warn" dir="auto">{inOwnWords(line, wordings[line])}</p>)}
    </div>
  );
}

/** A new table, or the rows of one that was uploaded before. */
function Decision({ part: { id, name, mode, target } }: { part: Part }) {
  const decide = (value: string) => {
    const [wanted = "new", ...rest] = value.split(" ");
    change(id, { mode: wanted as Mode, target: rest.join(" "), message: "", notice: "" });
  };
  const groups: [Mode, string][] = [["append", t("uploadAppend")], ["replace", t("uploadReplace")]];
  return (
    <div class="upload-fields">
      {targets.value.length > 0 && (
        <label>
          <span>{t("uploadInto")}</span>
          <select value={mode === "new" ? "new" : `${mode} ${target}`} onChange={({ currentTarget }) => decide(currentTarget.value)}>
            <option value="new">{t("uploadNew")}</option>
            {groups.map(([each, label]) => (
              <optgroup key={each} label={label}>
                {targets.value.map((table) => <option key={table} value={`${each} ${table}`}>{`${label} ${short(table)}`}</option>)}
              </optgroup>
            ))}
          </select>
        </label>
      )}
      {mode === "new" && (
        <label>
          <span>{t("uploadName")}</span>
          <input value={name} maxLength={60} dir="auto" onInput={({ currentTarget }) => change(id, { name: currentTarget.value, notice: "" })} />
        </label>
      )}
      {mode === "replace" && <p class="quiet">{t("uploadReplaceNote", { table: short(target) })}</p>}
    </div>
  );
}

function ReferenceField({ part: { id, srid, staged } }: { part: Part }) {
  const found = staged?.srid == null ? "" : String(staged.srid);
  return (
    <div class="upload-fields">
      <label>
        <span>{t("uploadSrid")}</span>
        <input
          value={srid || found} maxLength={12} dir="ltr" inputMode="numeric" placeholder={t("uploadDetected")}
          onChange={({ currentTarget }) => correctSrid(id, currentTarget.value)}
          onKeyDown={(event) => { if (event.key === "Enter") { event.preventDefault(); event.currentTarget.blur(); } }}
        />
        {staged?.reference != null && <span class="quiet" dir="auto">{staged.reference}{srid === "" && ` · ${t("uploadDetected")}`}</span>}
      </label>
    </div>
  );
}

function Outcome({ part: { mode }, report, staged, close }: { part: Part; report: Report; staged: Staged; close: () => void }) {
  const { table, rows, shared, remarks } = report;
  const wordings = { ...staged.wordings, ...report.wordings };
  const shape = staged.geometry_type;
  const did = {
    new: () => t("uploadMade", { table: short(table), n: rows }),
    append: () => t("uploadAppended", { table: short(table), n: staged.rows, total: number(rows) }),
    replace: () => t("uploadReplaced", { table: short(table), n: rows }),
  };
  return (
    <div class="upload-outcome">
      <p class="quiet">{did[mode]()}</p>
      {!shared && mode === "new" && <p class="quiet">{t("uploadPrivate")}</p>}
      {[...staged.remarks, ...remarks].map((line) => <p key={line} class="warn" dir="auto">{inOwnWords(line, wordings[line])}</p>)}
      {shape === null && <Joins table={table} close={close} />}
    </div>
  );
}

/** A table without geometry can be seen through another one that has the same key. */
function Joins({ table, close }: { table: string; close: () => void }) {
  const found = useSignal<Join[]>([]);
  useEffect(() => void joinsFor(table).then((joins) => (found.value = joins)), []);
  if (found.value.length === 0) return null;
  return (
    <>
      <p>{t("uploadJoin")}</p>
      {found.value.map((join) => (
        <button key={join.other} type="button" class="chip join" onClick={() => { close(); say(requestOf(table, join)); }}>
          <span>{t("uploadJoinTo", { table: short(join.other), column: pair(join) })}</span>
          <span class="quiet">{t("uploadJoinMatched", { n: join.matched, total: join.values })}</span>
        </button>
      ))}
    </>
  );
}

const pair = ({ column, other_column }: Join) => (column === other_column ? column : `${column} = ${other_column}`);

const SHAPES = { POINT: "shapePoints", LINESTRING: "shapeLines", POLYGON: "shapeAreas" } as const;
const shapeWord = (type: string) => SHAPES[type.toUpperCase().replace(/^MULTI/, "").replace(/Z?M?$/, "") as keyof typeof SHAPES] ?? "shapeMixed";
