/**
 * The client's line to the server: joins a map, keeps its events gapless over any interruption, sends requests and
 * keeps messages that could not be sent. It changes no state itself; all that it learns goes to its `Listener`.
 */
import { worded } from "../i18n/faults";
import { t } from "../i18n/i18n";
import type { DraftText, Focus, JoinAck, Protocol, Snapshot } from "../protocol/types";
import type { MapEvent, TransientEvent } from "../protocol/messages";
import { Sequence } from "./sequence";

export type Status = "connecting" | "online" | "offline" | "unknown_map" | "refused";

export interface Fault {
  code: string;
  message: string;
  /** Seconds after which the same request may be granted. */
  retry_after?: number | null;
}

/** What the server answers a request of this name, or why it refused. */
export type Answer<Name extends keyof Requests = keyof Requests> = Protocol["answers"][Name] | { ok: false; error: Fault };

/** What is used of a Socket.IO socket. */
export interface Wire {
  readonly connected: boolean;
  on(event: string, listener: (...args: never[]) => void): unknown;
  onAny(listener: (event: string, data: unknown) => void): unknown;
  emit(event: string, payload: unknown, ack: (answer: unknown) => void): unknown;
  connect(): unknown;
}

export interface Outgoing {
  clientId: string;
  text: string;
  focus: Focus | null;
  /** Why the server refused it; null while it is on its way. */
  fault: Fault | null;
  /** The server had no place for it; it is sent again by itself. */
  isPutOff?: boolean;
}

export interface Listener {
  snapshot(snapshot: Snapshot): void;
  event(event: MapEvent): void;
  transient(event: TransientEvent): void;
  status(status: Status): void;
  outbox(messages: Outgoing[]): void;
  /** What this client may do on the map, and who it is to the others. */
  joined(answer: JoinAck): void;
  /** The texts that turns are writing now, in place of what is known of them. */
  drafts(drafts: readonly DraftText[]): void;
}

type Requests = Protocol["requests"];
type Wish<Name extends keyof Requests> = Omit<Requests[Name], "map_id">;

const NO_ANSWER: Fault = { code: "no_answer", get message() { return t("noAnswer"); } };
const TOO_LARGE: Fault = { code: "too_large", get message() { return t("tooLong"); } };
const OFFLINE: Fault = { code: "offline", get message() { return t("noConnection"); } };

export class Connection {
  private readonly sequence: Sequence;
  private joined = false;
  /** It was joined once, so it is known what is lost when the connection is. */
  private entered = false;
  private joining = false;
  /** Since it was connected nothing is known yet of the texts that are being written. */
  private isFresh = true;
  private messages: Outgoing[] = [];
  private presence: TransientEvent | null = null;
  /** Longer messages would be refused, and far longer ones end the connection; 0 while it is not known. */
  private maxBytes = 0;
  private readonly waiting = new Set<(fault: { ok: false; error: Fault }) => void>();

  constructor(
    private readonly wire: Wire,
    private readonly listener: Listener,
    private mapId: string | null,
    private readonly patience = 15_000,
  ) {
    this.sequence = new Sequence(0, (event) => this.deliver(event), () => void this.join());
    wire.on("connect", () => void this.join());
    wire.on("disconnect", () => this.lost());
    wire.on("connect_error", () => this.lost());
    wire.onAny((name, data) => this.receive(name, data));
  }

  /** Asks the server for something about this map; the answer says what became of it, and never throws. */
  async request<Name extends Exclude<keyof Requests, "join" | "chat" | "introduce">>(
    name: Name,
    wish: Wish<Name>,
    patience?: number,
  ): Promise<Answer<Name>> {
    if (!this.joined || this.mapId === null) return { ok: false, error: OFFLINE };
    return this.ask(name, { map_id: this.mapId, ...wish }, patience);
  }

  /** Tells everybody on the map by what name this person may be called. */
  introduce(name: string): void {
    if (this.joined) void this.ask("introduce", { name });
  }

  /** Every event of the map after this one, page by page; for the history panel. */
  async history(since = 0): Promise<MapEvent[] | Fault> {
    const events: MapEvent[] = [];
    for (let after = since, more = true; more; after = events.at(-1)?.data.seq ?? after) {
      if (!this.joined || this.mapId === null) return OFFLINE;
      const answer = await this.ask("join", { map_id: this.mapId, after_seq: after });
      if (!answer.ok) return answer.error;
      events.push(...((answer.events ?? []) as unknown as MapEvent[]));
      more = answer.more && answer.events !== null && answer.events.length > 0;
    }
    return events;
  }

  /** Sends a message now, or as soon as there is a connection; the server makes one turn of it, however often it is sent. */
  say(text: string, focus: Focus | null, clientId: string): string {
    this.setMessages([...this.messages, { clientId, text, focus, fault: null }]);
    void this.send(clientId);
    return clientId;
  }

  /** Messages of an earlier page that were not sent yet. */
  restore(messages: Outgoing[]): void {
    this.setMessages(messages.map((message) => ({ ...message, fault: null })));
    if (this.joined) this.sendAll();
  }

  retry(clientId: string): void {
    this.setMessages(this.messages.map((it) => (it.clientId === clientId ? { ...it, fault: null } : it)));
    void this.send(clientId);
  }

  discard(clientId: string): void {
    this.setMessages(this.messages.filter((message) => message.clientId !== clientId));
  }

  private async join(): Promise<void> {
    if (this.joining || !this.wire.connected) return;
    this.joining = true;
    const afterSeq = this.sequence.lastSeq > 0 ? this.sequence.lastSeq : null;
    const wish = { ...(this.mapId !== null && { map_id: this.mapId }), ...(afterSeq !== null && { after_seq: afterSeq }) };
    const answer = await this.ask("join", wish);
    this.joining = false;
    if (answer.ok) this.enter(answer);
    else if (answer.error.code === "unknown_map") this.listener.status("unknown_map");
    else if (answer.error.code === "forbidden") this.listener.status("refused");
    else setTimeout(() => void this.join(), 1000);
  }

  private enter(answer: JoinAck): void {
    this.mapId = answer.map_id;
    this.joined = true;
    this.entered = true;
    this.maxBytes = answer.max_bytes ?? 0;
    this.listener.joined(answer);
    if (answer.snapshot) {
      this.listener.snapshot(answer.snapshot);
      this.sequence.restart(answer.snapshot.seq);
    }
    for (const event of answer.events ?? []) this.sequence.receive(event as unknown as MapEvent);
    for (const data of [...(answer.snapshot?.progress ?? []), ...(answer.progress ?? [])]) {
      this.listener.transient({ event: "analysis_progress", data });
    }
    if (answer.more) void this.join();
    else if (this.isFresh) {
      this.listener.drafts(answer.drafts ?? []);
      this.isFresh = false;
    }
    if (this.presence !== null) this.listener.transient(this.presence);
    this.presence = null;
    this.listener.status("online");
    this.sendAll();
  }

  private lost(): void {
    this.joined = false;
    this.isFresh = true;
    for (const resolve of [...this.waiting]) resolve({ ok: false, error: OFFLINE });
    this.listener.status(this.entered ? "offline" : "connecting");
  }

  private receive(name: string, data: unknown): void {
    if (name === "access_withdrawn") {
      this.joined = false;
      this.listener.status("unknown_map");
    } else if (typeof (data as { seq?: unknown })?.seq === "number") {
      if (this.mapId !== null && (data as { map_id?: string }).map_id !== this.mapId) return;
      this.sequence.receive({ event: name, data } as MapEvent);
    } else if (this.joined) {
      this.listener.transient({ event: name, data } as TransientEvent);
    } else if (name === "presence") {
      this.presence = { event: name, data } as TransientEvent;
    }
  }

  private deliver(event: MapEvent): void {
    if (event.event === "user_message" && event.data.client_id) this.discard(event.data.client_id);
    this.listener.event(event);
  }

  private sendAll(): void {
    for (const { clientId, fault } of this.messages) if (fault === null || fault.code === NO_ANSWER.code) this.retry(clientId);
  }

  private async send(clientId: string): Promise<void> {
    const message = this.messages.find((it) => it.clientId === clientId);
    if (message === undefined || !this.joined || this.mapId === null) return;
    const { text, focus } = message;
    const answer = await this.ask("chat", { map_id: this.mapId, text, client_id: clientId, focus });
    if (answer.ok || answer.error === OFFLINE) return;
    const isPutOff = answer.error.code === "busy" && answer.error.retry_after != null;
    if (isPutOff) setTimeout(() => void this.send(clientId), (answer.error.retry_after ?? 0) * 1000);
    const fault = isPutOff ? null : answer.error;
    this.setMessages(this.messages.map((it) => (it.clientId === clientId ? { ...it, fault, isPutOff } : it)));
  }

  private setMessages(messages: Outgoing[]): void {
    this.messages = messages;
    this.listener.outbox(messages);
  }

  private ask<Name extends keyof Requests>(name: Name, payload: unknown, patience = this.patience): Promise<Answer<Name>> {
    return new Promise((resolve) => {
      if (!this.wire.connected) return resolve({ ok: false, error: OFFLINE });
      if (this.maxBytes > 0 && weight(payload) > this.maxBytes) return resolve({ ok: false, error: TOO_LARGE });
      const finish = (answer: Answer<Name>) => {
        clearTimeout(timer);
        this.waiting.delete(finish);
        resolve(answer);
      };
      const timer = setTimeout(() => finish({ ok: false, error: NO_ANSWER }), patience);
      this.waiting.add(finish);
      this.wire.emit(name, payload, (answer) => finish(inOurWords(answer as Answer<Name>)));
    });
  }
}

function inOurWords<Name extends keyof Requests>(answer: Answer<Name>): Answer<Name> {
  return answer.ok ? answer : { ok: false, error: worded(answer.error) };
}

/** Bytes of a payload on the wire, as near as is needed: nothing here is long but text. */
function weight(payload: unknown): number {
  const text = JSON.stringify(payload) ?? "";
  return text.length < 100_000 ? text.length : new TextEncoder().encode(text).length;
}
