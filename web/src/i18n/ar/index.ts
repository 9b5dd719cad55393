/** The client's strings in Arabic, which is written from right to left. */
import type { Key } from "../en";
import { chat } from "./chat";
import { data } from "./data";
import { layers } from "./layers";
import { map } from "./map";
import { page } from "./page";

export const ar: Record<Key, string> = { ...page, ...chat, ...layers, ...map, ...data };
