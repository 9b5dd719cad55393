/**
 * A file at an address that was pasted, fetched by this browser. The page itself may connect to its own server only
 * (Content-Security-Policy); the worker that fetches does nothing else, sends no cookies and no referrer.
 */
import { t } from "../../i18n/i18n";
import { notify } from "../../ui/toast";
import { offer } from "../offers";
import type { Fetched } from "./download-worker";

const FORMATS = /\.(geojson|json|parquet|geoparquet|csv|geojsonl|ndjson|gpkg|fgb|kml|gpx|zip|xlsx)$/i;

/** The name of the file that an address means; null where it means none that can be read. */
export function fileNameOf(address: string): string | null {
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address)) return null;
  const name = decodeURIComponent(new URL(address).pathname.split("/").at(-1) ?? "");
  return FORMATS.test(name) ? name : null;
}

/** Fetches the file and offers it for upload, or says why it cannot be had. */
export async function download(address: string): Promise<void> {
  const name = fileNameOf(address);
  if (name === null) return notify(t("urlNoFile"), "error");
  notify(t("urlLoading", { name }));
  const fetched = await fetchApart(address);
  if ("data" in fetched) return offer([new File([fetched.data], name)]);
  const { host } = new URL(address);
  notify(fetched.status === null ? t("urlBlocked", { host }) : t("urlRefused", { host, status: fetched.status }), "error");
}

async function fetchApart(address: string): Promise<Fetched> {
  const worker = new Worker(new URL("./download-worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<Fetched>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<Fetched>) => resolve(data);
      worker.onerror = () => resolve({ status: null });
      worker.postMessage(address);
    });
  } finally {
    worker.terminate();
  }
}
