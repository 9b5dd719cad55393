/** The browser's storage, or none where it is refused, as in frames on other people's pages. */
interface Kept {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const none: Kept = { getItem: () => null, setItem: () => undefined };

function allowed(open: () => Storage): Kept {
  try {
    return open();
  } catch {
    return none;
  }
}

export const local = allowed(() => localStorage);
export const session = allowed(() => sessionStorage);
