/** What a language of the page consists of. */
import type { Part } from "../protocol/types";
import type { Key } from "./en";

export type Language = "en" | "ar";

export type Strings = Record<Key, string>;

/** Translations of the server's texts and of the titles of tools. Other text stays as it is. */
export interface Wording {
  worded(signs: readonly string[], parts: readonly Part[]): string;
  requests(text: string, parts: readonly Part[]): Map<string, string>;
  tool(name: string): string | undefined;
}

export interface Loaded {
  strings: Strings;
  wording: Wording | null;
}
