import { worded } from "../i18n/faults";
import { t } from "../i18n/i18n";

/** What the server answers to a GET. Rejects with words for people. */
export function read<Answer>(address: string, signal?: AbortSignal): Promise<Answer> {
  return answered<Answer>(address, { signal: signal ?? null });
}

async function answered<Answer>(address: string, request: RequestInit): Promise<Answer> {
  const answer = await fetch(address, request).catch((error: unknown) => {
    // The only one that a browser gives when there was no answer; its own words are for programmers.
    throw error instanceof TypeError ? new Error(t("offline")) : error;
  });
  const body = (await answer.json()) as Answer & { error?: { code: string; message: string } };
  if (body.error !== undefined) throw new Error(worded(body.error).message);
  return body;
}
