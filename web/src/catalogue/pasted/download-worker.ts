/** Fetches one file for the page, from the address that a person gave, and hands over its bytes. */

/** The bytes, or the status of an answer without them; null where there was no answer that may be read. */
export type Fetched = { data: ArrayBuffer } | { status: number | null };

addEventListener("message", ({ data: address }: MessageEvent<string>) => {
  void fetched(address).then((result) => postMessage(result));
});

async function fetched(address: string): Promise<Fetched> {
  try {
    const answer = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
    return answer.ok ? { data: await answer.arrayBuffer() } : { status: answer.status };
  } catch {
    return { status: null };
  }
}
