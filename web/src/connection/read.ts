import { worded } from "../i18n/faults";
import { t } from "../i18n/i18n";

const PUT_OFF = [429, 503];
const ATTEMPTS = 3;
/** The longest wait that is not shown on the page. */
const LONGEST_WAIT_S = 10;

/** The answer to a request that only reads; asks again when the server was too busy and named a time to try again. */
export async function patientFetch(address: string, request?: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(address, request);
    if (attempt === ATTEMPTS || !PUT_OFF.includes(answer.status)) return answer;
    const wait = Number(answer.headers.get("Retry-After"));
    if (!(wait > 0 && wait <= LONGEST_WAIT_S)) return answer;
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    request?.signal?.throwIfAborted();
  }
}

/** What the server answers to a GET. Rejects with words for people. */
export function read<Answer>(address: string, signal?: AbortSignal): Promise<Answer> {
  return answered<Answer>(address, { signal: signal ?? null });
}

async function answered<Answer>(address: string, request: RequestInit): Promise<Answer> {
  const answer = await patientFetch(address, request).catch((error: unknown) => {
    // The only one that a browser gives when there was no answer; its own words are for programmers.
    throw error instanceof TypeError ? new Error(t("offline")) : error;
  });
  const body = (await answer.json()) as Answer & { error?: { code: string; message: string } };
  if (body.error !== undefined) throw new Error(worded(body.error).message);
  return body;
}
