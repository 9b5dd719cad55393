/** Every string that the client shows, in English. Other languages have the same keys; `{name}` is filled in. */
import { chat } from "./chat";
import { data } from "./data";
import { layers } from "./layers";
import { map } from "./map";
import { page } from "./page";

export const en = { ...page, ...chat, ...layers, ...map, ...data };

export type Key = keyof typeof en;
