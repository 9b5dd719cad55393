/** Sends files to be read, shows them on the map, and carries out what the person decides. */
import { signal } from "@preact/signals";
import { language, t } from "../i18n/i18n";
import { worded } from "../i18n/faults";
import { addressOf, forget } from "../data/tables";
import { around } from "../geometry/sight";
import { zoomTo } from "../session/camera";
import { addLayer } from "../session/commands";
import { layers, map } from "../store/store";
import { notify } from "../ui/toast";
import { change, newPart, nextName, type Part, partOf, parts, type Report, split, type Staged, unite, waiting } from "./parts";
import { lookAtShapes } from "./preview";

interface Refusal {
  code: string;
  message: string;
  details?: { layers?: string[]; missing?: string[]; unknown?: string[]; different?: string[] };
}

/** How many tables were made or changed: lists of tables are read again. */
export const uploads = signal(0);
/** The tables that a file may be appended to or may replace. */
export const targets = signal<readonly string[]>([]);
/** Files are sent one after the other. */
let queue: Promise<void> = Promise.resolve();

export function take(files: readonly File[]): void {
  const taken = files.map((file) => newPart(file));
  parts.value = [...parts.value, ...taken];
  for (const { id } of taken) readLater(id);
  void readTargets();
}

/** Reads a part, again where something of it was changed. */
export function readLater(id: number): void {
  queue = queue.then(() => read(id));
}

/** The reference system is another than the one that was found. */
export function correctSrid(id: number, srid: string): void {
  const it = partOf(id);
  if (it === undefined || srid.trim() === (it.srid || String(it.staged?.srid ?? ""))) return;
  change(id, { srid: srid.trim() });
  readLater(id);
}

export function choose(id: number, isChosen: boolean): void {
  change(id, { isChosen });
  if (isChosen && partOf(id)?.state === "ready") readLater(id);
  showChosen();
}

export function uniteLayers(file: File): void {
  const { whole, left } = unite(file);
  for (const it of left) void discard(it.staged);
  readLater(whole.id);
}

/** Closes the panel: what was not loaded is dropped. */
export function dropAll(): void {
  for (const { staged, state } of parts.value) if (state === "staged") void discard(staged);
  parts.value = [];
  lookAtShapes([]);
}

/** Loads what is chosen, one after the other, and shows all of it. */
export async function loadChosen(): Promise<void> {
  const chosen = waiting();
  for (const { id } of chosen) {
    const now = partOf(id);
    if (now?.state === "staged") await load(now);
  }
  showChosen();
  zoomTo(around(chosen.flatMap(({ id, staged }) => (partOf(id)?.state === "done" && staged?.bounds ? [staged.bounds] : []))));
}

/** Shows where the chosen parts lie. */
export function showChosen(): void {
  lookAtShapes(waiting().flatMap(({ staged }) => staged?.shapes.features ?? []));
}

async function read(id: number): Promise<void> {
  const it = partOf(id);
  if (it === undefined || !it.isChosen) return;
  const before = it.staged;
  change(id, { state: "sending", share: 0, message: "", staged: null });
  void discard(before);
  try {
    const answer = await send(it, (share) => change(id, { share }));
    if ("error" in answer) return notRead(it, answer.error);
    if (partOf(id) === undefined) return void discard(answer);
    change(id, { state: "staged", staged: answer });
    showChosen();
    zoomTo(around(waiting().flatMap(({ staged }) => (staged?.bounds ? [staged.bounds] : []))) ?? answer.bounds);
  } catch (error) {
    change(id, { state: "failed", message: (error as Error).message });
  }
}

/** A file of several layers becomes a part for each; shapes of too many vertices are cut when the person tries again. */
function notRead(it: Part, fault: Refusal): void {
  const found = fault.details?.layers;
  if (found !== undefined) split(it.id, found);
  else if (fault.code === "too_many_vertices") change(it.id, { state: "failed", subdivide: true, message: t("uploadSubdivide") });
  else change(it.id, { state: "failed", message: worded(fault).message });
}

async function load({ id, name, mode, target, staged }: Part): Promise<void> {
  if (staged === null) return;
  change(id, { state: "loading", message: "", notice: "" });
  try {
    const answer = await decide(staged.staged, { mode, table: mode === "new" ? name.trim() : target });
    if ("error" in answer) return notLoaded(id, name, answer.error);
    change(id, { state: "done", report: answer });
    uploads.value += 1;
    forget();
    void readTargets();
    const isShown = layers.value.some(({ table }) => table === answer.table);
    if (!isShown && staged.geometry_type !== null) await addLayer(answer.table);
  } catch {
    change(id, { state: "staged", message: t("offline") });
  }
}

/** What was read waits for another decision, unless the server has dropped it meanwhile. */
function notLoaded(id: number, name: string, fault: Refusal): void {
  const { code } = fault;
  if (code === "conflict") {
    const next = nextName(name);
    change(id, { state: "staged", name: next, notice: t("uploadTaken", { name, next }) });
  } else if (code === "unknown_table" && partOf(id)?.mode === "new") {
    change(id, { state: "failed", staged: null, message: t("uploadExpired") });
  } else {
    change(id, { state: "staged", message: code === "columns_differ" ? inColumns(fault) : worded(fault).message });
  }
}

/** English says more, in the server's words. */
function inColumns({ message, details = {} }: Refusal): string {
  if (language.value === "en") return message;
  const { missing = [], unknown = [], different = [] } = details;
  const sentences = ([["uploadMissing", missing], ["uploadUnknown", unknown], ["uploadDifferent", different]] as const)
    .flatMap(([key, columns]) => (columns.length > 0 ? [t(key, { columns: columns.join(", ") })] : []));
  return sentences.join(" ");
}

const addressOfUploads = (number?: number): string => `/api/maps/${map.value?.mapId ?? ""}/uploads${number === undefined ? "" : `/${number}`}`;

async function decide(number: number, decision: { mode: string; table: string }): Promise<Report | { error: Refusal }> {
  const answer = await fetch(addressOfUploads(number), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(decision),
  });
  return (await answer.json()) as Report | { error: Refusal };
}

/** The server drops it in an hour by itself, too. */
async function discard(staged: Staged | null): Promise<void> {
  if (staged !== null) await fetch(addressOfUploads(staged.staged), { method: "DELETE" }).catch(() => undefined);
}

async function readTargets(): Promise<void> {
  try {
    targets.value = ((await (await fetch(addressOfUploads())).json()) as { tables: string[] }).tables;
  } catch {
    targets.value = [];
  }
}

/** By XMLHttpRequest, because `fetch` does not report the progress of uploads. */
function send({ file, layer, united, srid, subdivide }: Part, progress: (share: number) => void): Promise<Staged | { error: Refusal }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    const fields = {
      map: map.value?.mapId ?? "", stage: "true", layer: layer ?? "", layers: united ? "united" : "", srid: srid.trim(),
      subdivide: subdivide ? "true" : "",
    };
    for (const [field, value] of Object.entries(fields)) if (value !== "") form.append(field, value);
    form.append("file", file);
    request.open("POST", "/api/uploads");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      // What is not JSON comes from something in between, such as a proxy that refuses large files.
      const { status, response } = request;
      if (response !== null) resolve(response as Staged | { error: Refusal });
      else reject(new Error(status === 413 ? t("uploadTooLarge", { name: file.name }) : t("uploadRefused", { status: String(status) })));
    };
    request.onerror = () => reject(new Error(t("noConnection")));
    request.send(form);
  });
}

/** Lets every map see a table that was uploaded to this one; whether it worked. */
export async function shareUpload(table: string): Promise<boolean> {
  try {
    const answer = await fetch(addressOf(`/${encodeURIComponent(table)}/share`), { method: "POST" });
    if (!answer.ok) throw new Error(((await answer.json()) as { error: { message: string } }).error.message);
    forget();
    notify(t("uploadShared", { table }));
    return true;
  } catch (error) {
    notify((error as Error).message, "error");
    return false;
  }
}
