/** Sends a file to the server, which makes a table of it, and puts that on the map. */
import { signal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { forget } from "../layers/tables";
import { addLayer } from "../session";
import { notify } from "../ui/toast";

interface Report {
  table: string;
  geometry_type: string | null;
  problems: string[];
  remarks: string[];
  error?: { message: string };
}

/** What is being sent, and how much of it has been, from 0 to 1. */
export const uploading = signal<{ name: string; share: number } | null>(null);

export async function upload(file: File): Promise<void> {
  if (uploading.value !== null) return;
  uploading.value = { name: file.name, share: 0 };
  try {
    const report = await send(file);
    if (report.error !== undefined) return notify(report.error.message, "error");
    forget();
    notify([t("uploaded", { name: file.name }), ...report.problems, ...report.remarks].slice(0, 3).join(" · "));
    if (report.geometry_type !== null) await addLayer(report.table);
  } catch (error) {
    notify((error as Error).message, "error");
  } finally {
    uploading.value = null;
  }
}

/** By XMLHttpRequest, for `fetch` tells nothing of the progress. */
function send(file: File): Promise<Report> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", file);
    request.open("POST", "/api/uploads");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => {
      uploading.value = { name: file.name, share: total > 0 ? loaded / total : 0 };
    };
    request.onload = () => {
      // What is not JSON was said by something in between, like a proxy that takes no file as large.
      const { status, response } = request;
      if (response !== null) resolve(response as Report);
      else reject(new Error(status === 413 ? t("uploadTooLarge", { name: file.name }) : t("uploadRefused", { status: String(status) })));
    };
    request.onerror = () => reject(new Error(t("noConnection")));
    request.send(form);
  });
}
