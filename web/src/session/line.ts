/** The line to the server that all commands share, and the message where it refuses one. */
import { Connection } from "../connection/connection";
import { uniqueId } from "../connection/unique";
import { t } from "../i18n/i18n";
import type { Turn } from "../store/state";
import { mayChange } from "../store/store";
import { session as stored } from "../browser/storage";
import { notify } from "../ui/toast";

type Asked = Parameters<Connection["request"]>[0];
type Wish<Name extends Asked> = Parameters<typeof Connection.prototype.request<Name>>[1];

/** Messages of this tab begin with this, also after a reload. */
export const tab = tabName();

export let connection: Connection | null = null;

export function openLine(opened: Connection): void {
  connection = opened;
}

/** Whether a message was sent from this tab. */
export const isMine = (turn: Turn): boolean => turn.clientId?.startsWith(tab) ?? false;

/** Asks the server, and says so where it does not want to. */
export async function asked<Name extends Asked>(name: Name, wish: Wish<Name>): Promise<boolean> {
  return (await answered(name, wish)) !== null;
}

/** The server's answer; null where it refused, which is shown. */
export async function answered<Name extends Asked>(name: Name, wish: Wish<Name>) {
  if (!allowed()) return null;
  const answer = await connection?.request(name, wish);
  if (answer !== undefined && !answer.ok) notify(t("couldNot", { reason: answer.error.message }), "error");
  return answer?.ok ? answer : null;
}

/** A viewer gets a message at once, instead of a request that the server would refuse. */
export function allowed(): boolean {
  if (!mayChange.value) notify(t("viewOnlyNote"));
  return mayChange.value;
}

function tabName(): string {
  const name = stored.getItem("geoagent.tab") ?? uniqueId().slice(0, 8);
  stored.setItem("geoagent.tab", name);
  return name;
}
