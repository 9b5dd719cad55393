/**
 * Files on their way to becoming tables. Each `Part` is one table to be: a file, or one layer of it. What the server asks
 * for (which layer, another name, a reference system) is kept with the part, so that the dialog can ask the person.
 */
import { signal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { addressOf, forget } from "../layers/tables";
import { addAndZoom } from "../session/camera";
import { map } from "../store/store";
import { notify } from "../ui/toast";

export interface Report {
  table: string;
  rows: number;
  geometry_type: string | null;
  srid: number | null;
  columns: string[];
  problems: string[];
  remarks: string[];
  /** Whether other maps see the table, too. */
  shared: boolean;
}

interface Refusal {
  code: string;
  message: string;
  details?: { layers?: string[] };
}

export interface Part {
  id: number;
  file: File;
  /** One of several in the file; null for the only one. */
  layer: string | null;
  /** All layers of the file become one table, with a column that names the layer. */
  united: boolean;
  name: string;
  /** An EPSG code, or empty: as the file says. */
  srid: string;
  isChosen: boolean;
  /** Cut shapes of too many vertices into pieces. */
  subdivide: boolean;
  state: "ready" | "sending" | "done" | "failed";
  /** How much has been sent, from 0 to 1. */
  share: number;
  message: string;
  report: Report | null;
}

/** What the dialog shows; it is open while there is anything. */
export const parts = signal<readonly Part[]>([]);
/** How many tables were made: lists of tables are read again. */
export const uploads = signal(0);
let count = 0;

/** Opens the dialog with these files. */
export function offer(files: Iterable<File>): void {
  parts.value = [...parts.value, ...Array.from(files, (file) => part(file, null, stem(file.name), true))];
}

export function change(id: number, by: Partial<Part>): void {
  parts.value = parts.value.map((it) => (it.id === id ? { ...it, ...by } : it));
}

/** The layers of a file that are still to be decided on, if there are several. */
export const layersOf = (file: File): readonly Part[] =>
  parts.value.filter((it) => it.file === file && it.layer !== null && (it.state === "ready" || it.state === "failed"));

export function chooseAll(file: File): void {
  for (const { id } of layersOf(file)) change(id, { isChosen: true });
}

/** Makes one table of all layers of a file in place of one for each. */
export function unite(file: File): void {
  const [first] = layersOf(file);
  if (first === undefined) return;
  const whole = { ...part(file, null, stem(file.name), true), united: true };
  parts.value = parts.value.flatMap((it) => (it.id === first.id ? [whole] : it.file === file && it.layer !== null && it.state !== "done" ? [] : [it]));
}

/** Uploads what is chosen and not there yet, one after the other. */
export async function uploadChosen(): Promise<void> {
  for (const { id } of parts.value) {
    const now = parts.value.find((it) => it.id === id);
    if (now !== undefined && now.isChosen && (now.state === "ready" || now.state === "failed")) await upload(now);
  }
}

async function upload(it: Part): Promise<void> {
  change(it.id, { state: "sending", share: 0, message: "" });
  try {
    const answer = await send(it, (share) => change(it.id, { share }));
    if ("error" in answer) return refused(it, answer.error);
    change(it.id, { state: "done", report: answer });
    uploads.value += 1;
    forget();
    if (answer.geometry_type !== null) await addAndZoom(answer.table);
  } catch (error) {
    change(it.id, { state: "failed", message: (error as Error).message });
  }
}

/** A file of several layers becomes a part for each, of which none is chosen yet; a name that is taken gets a number, and shapes
 * of too many vertices are cut when the person tries again. */
function refused(it: Part, { code, message, details }: Refusal): void {
  const layers = details?.layers;
  if (layers !== undefined) {
    const split = layers.map((layer) => part(it.file, layer, layer, false));
    parts.value = parts.value.flatMap((other) => (other.id === it.id ? split : [other]));
  } else if (code === "conflict") {
    const name = /_(\d+)$/.exec(it.name);
    const next = name === null ? `${it.name}_2` : it.name.replace(/\d+$/, String(Number(name[1]) + 1));
    change(it.id, { state: "failed", name: next, message: t("uploadTaken", { name: it.name, next }) });
  } else if (code === "too_many_vertices") {
    change(it.id, { state: "failed", subdivide: true, message: t("uploadSubdivide") });
  } else {
    change(it.id, { state: "failed", message });
  }
}

function part(file: File, layer: string | null, name: string, isChosen: boolean): Part {
  return { id: ++count, file, layer, united: false, name, srid: "", isChosen, subdivide: false, state: "ready", share: 0, message: "", report: null };
}

const stem = (name: string): string => name.replace(/(\.\w{1,10}){1,2}$/, "");

/** By XMLHttpRequest, for `fetch` tells nothing of the progress. */
function send({ file, layer, united, name, srid, subdivide }: Part, progress: (share: number) => void): Promise<Report | { error: Refusal }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    const fields = {
      map: map.value?.mapId ?? "", table: name.trim(), layer: layer ?? "", layers: united ? "united" : "", srid: srid.trim(),
      subdivide: subdivide ? "true" : "",
    };
    for (const [field, value] of Object.entries(fields)) if (value !== "") form.append(field, value);
    form.append("file", file);
    request.open("POST", "/api/uploads");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      // What is not JSON was said by something in between, like a proxy that takes no file as large.
      const { status, response } = request;
      if (response !== null) resolve(response as Report | { error: Refusal });
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
