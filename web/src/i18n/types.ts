/** What a language of the page consists of. */
import type { Key } from "./en";

export type Language = "en" | "ar";

export type Strings = Record<Key, string>;

/** How the server's own sentences and tools are called in a language. Text that is not the server's stays as it is. */
export interface Wording {
  sentences(text: string): string;
  tool(name: string): string | undefined;
}

export interface Loaded {
  strings: Strings;
  wording: Wording | null;
}
