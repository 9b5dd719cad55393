/** An id that nothing else has. `crypto.randomUUID` is missing on plain http away from localhost, so not that. */
export function uniqueId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
