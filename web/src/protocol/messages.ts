/** The events of the protocol as they travel. */
import type { Protocol } from "./types";

/** A persisted event as it travels: its name and its payload. */
export type MapEvent = {
  [Name in keyof Protocol["events"]]: { event: Name; data: Protocol["events"][Name] };
}[keyof Protocol["events"]];

/** An event that is not kept: it is shown and forgotten. */
export type TransientEvent = {
  [Name in keyof Protocol["transient"]]: { event: Name; data: Protocol["transient"][Name] };
}[keyof Protocol["transient"]];

/** The code of a text that the server makes. The list with the English texts is the server's. */
export type Code = keyof typeof import("./wordings.json");
