/** What the server refuses, in the language of the page: by its code, because its message is English. */
import type { Part } from "../protocol/types";
import { inOwnWords, language, t } from "./i18n";
import type { Key } from "./en";

const WORDS: Record<string, Key> = {
  invalid_payload: "faultInvalid", unknown_map: "unknownMap", unknown_layer: "faultLayer", unknown_table: "faultTable", unknown_chart: "faultGone",
  unknown_recipe: "faultGone", not_found: "faultGone", invalid_filter: "faultFilter", invalid_style: "faultStyle", conflict: "faultConflict",
  not_joined: "noConnection", unavailable: "faultUnavailable", busy: "faultBusy", forbidden: "faultForbidden", read_only: "viewOnlyNote",
  too_large: "faultTooLarge", rate_limited: "faultBusy", internal: "faultInternal",
};

/** English keeps the server's own words; so does another language where these have codes, for they say more. */
export function worded<Fault extends { code: string; message: string; wording?: Part[] }>(fault: Fault): Fault {
  if (language.value === "en") return fault;
  if (fault.wording?.length) return { ...fault, message: inOwnWords(fault.message, fault.wording) };
  const key = WORDS[fault.code];
  return key === undefined ? fault : { ...fault, message: t(key) };
}
