import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Snapshot } from "../protocol/types";
import type { MapEvent } from "../protocol/messages";
import { event } from "../testing/samples";
import { Connection, type Listener, type Outgoing, type Status, type Wire } from "./connection";

type Sent = { name: string; payload: Record<string, unknown>; ack: (answer: unknown) => void };

/** A socket whose other end is the test. */
class FakeWire implements Wire {
  connected = false;
  sent: Sent[] = [];
  private handlers = new Map<string, () => void>();
  private any: (name: string, data: unknown) => void = () => undefined;

  on(name: string, handler: (...args: never[]) => void) {
    this.handlers.set(name, handler as () => void);
  }
  onAny(handler: (name: string, data: unknown) => void) {
    this.any = handler;
  }
  emit(name: string, payload: unknown, ack: (answer: unknown) => void) {
    this.sent.push({ name, payload: payload as Record<string, unknown>, ack });
  }
  connect() {}
  come() {
    this.connected = true;
    this.handlers.get("connect")?.();
  }
  go() {
    this.connected = false;
    this.handlers.get("disconnect")?.();
  }
  push(it: MapEvent) {
    this.any(it.event, it.data);
  }
  last(name: string): Sent {
    const found = this.sent.findLast((it) => it.name === name);
    if (found === undefined) throw new Error(`nothing called ${name} was sent`);
    return found;
  }
}

const snapshot = (seq: number) => ({ map_id: "m", seq, layers: [], chat: [], turns: [] }) as unknown as Snapshot;
const settle = () => new Promise((resolve) => setTimeout(resolve));

let wire: FakeWire;
let seen: { events: number[]; statuses: Status[]; outbox: Outgoing[]; drafts: string[] };
let connection: Connection;

beforeEach(() => {
  wire = new FakeWire();
  seen = { events: [], statuses: [], outbox: [], drafts: [] };
  const listener: Listener = {
    snapshot: () => undefined,
    event: (it) => seen.events.push(it.data.seq),
    transient: () => undefined,
    status: (it) => seen.statuses.push(it),
    outbox: (it) => (seen.outbox = it),
    joined: () => undefined,
    drafts: (drafts) => seen.drafts.push(...drafts.map((it) => it.text)),
  };
  connection = new Connection(wire, listener, "m", 50);
});

async function join(seq = 2) {
  wire.come();
  wire.last("join").ack({ ok: true, map_id: "m", seq, snapshot: snapshot(seq), events: null, more: false });
  await settle();
}

describe("events", () => {
  it("are handed on once and in order, and a gap is asked for", async () => {
    await join(2);
    wire.push(event("map_reset", 3));
    wire.push(event("map_reset", 3));
    wire.push(event("map_reset", 5));
    expect(seen.events).toEqual([3]);
    expect(wire.last("join").payload).toEqual({ map_id: "m", after_seq: 3 });
    const events = [event("map_reset", 4), event("map_reset", 5), event("map_reset", 6)];
    wire.last("join").ack({ ok: true, map_id: "m", seq: 6, snapshot: null, events, more: false });
    await settle();
    expect(seen.events).toEqual([3, 4, 5, 6]);
  });

  it("that come before the snapshot are neither lost nor doubled", async () => {
    wire.come();
    wire.push(event("map_reset", 2));
    wire.push(event("map_reset", 3));
    wire.last("join").ack({ ok: true, map_id: "m", seq: 2, snapshot: snapshot(2), events: null, more: false });
    await settle();
    expect(seen.events).toEqual([3]);
  });

  it("that were missed while offline are fetched by number, page by page", async () => {
    await join(2);
    wire.go();
    expect(seen.statuses.at(-1)).toBe("offline");
    wire.come();
    expect(wire.last("join").payload).toEqual({ map_id: "m", after_seq: 2 });
    wire.last("join").ack({ ok: true, map_id: "m", seq: 3, snapshot: null, events: [event("map_reset", 3)], more: true });
    await settle();
    expect(wire.last("join").payload).toEqual({ map_id: "m", after_seq: 3 });
    wire.last("join").ack({ ok: true, map_id: "m", seq: 4, snapshot: null, events: [event("map_reset", 4)], more: false, drafts: [{ turn_id: "t", text: "so far" }] });
    await settle();
    expect(seen.events).toEqual([3, 4]);
    expect(seen.drafts).toEqual(["so far"]);
    expect(seen.statuses.at(-1)).toBe("online");
  });

  it("of another map are ignored", async () => {
    await join(2);
    wire.push(event("map_reset", 3, { map_id: "other" }));
    expect(seen.events).toEqual([]);
  });
});

describe("messages", () => {
  it("typed offline are sent after the reconnect, under the same client_id", async () => {
    await join();
    wire.go();
    connection.say("hello", null, "c1");
    expect(wire.sent.filter((it) => it.name === "chat")).toHaveLength(0);
    wire.come();
    wire.last("join").ack({ ok: true, map_id: "m", seq: 2, snapshot: null, events: [], more: false });
    await settle();
    expect(wire.last("chat").payload).toMatchObject({ text: "hello", client_id: "c1" });
  });

  it("that the server does not acknowledge can be sent again, and are, when it is back", async () => {
    await join();
    connection.say("hello", null, "c1");
    await vi.waitFor(() => expect(seen.outbox).toMatchObject([{ fault: { code: "no_answer" } }]));
    wire.go();
    wire.come();
    wire.last("join").ack({ ok: true, map_id: "m", seq: 2, snapshot: null, events: [], more: false });
    await settle();
    expect(wire.sent.filter((it) => it.name === "chat").map((it) => it.payload["client_id"])).toEqual(["c1", "c1"]);
    expect(seen.outbox).toMatchObject([{ fault: null }]);
  });

  it("wait in the outbox until their event arrives", async () => {
    await join();
    connection.say("hello", null, "c1");
    wire.last("chat").ack({ ok: true, turn_id: "t", seq: 3 });
    await settle();
    expect(seen.outbox).toHaveLength(1);
    wire.push(event("user_message", 3, { text: "hello", client_id: "c1" }, "t"));
    expect(seen.outbox).toEqual([]);
  });

  it("that are refused say why, and can be tried again", async () => {
    await join();
    connection.say("hello", null, "c1");
    wire.last("chat").ack({ ok: false, error: { code: "rate_limited", message: "Slow down." } });
    await settle();
    expect(seen.outbox[0]?.fault?.message).toBe("Slow down.");
    connection.retry("c1");
    expect(wire.sent.filter((it) => it.name === "chat")).toHaveLength(2);
  });
});

describe("a busy server", () => {
  it("gets the message again by itself, and the person sees why meanwhile", async () => {
    await join();
    connection.say("hello", null, "c1");
    wire.last("chat").ack({ ok: false, error: { code: "busy", message: "Busy.", retry_after: 0.01 } });
    await settle();
    expect(seen.outbox[0]).toMatchObject({ fault: null, isPutOff: true });
    await vi.waitFor(() => expect(wire.sent.filter((it) => it.name === "chat")).toHaveLength(2));
    expect(wire.last("chat").payload).toMatchObject({ text: "hello", client_id: "c1" });
  });
});

describe("requests", () => {
  it("made offline are answered at once", async () => {
    expect(await connection.request("undo", {})).toMatchObject({ ok: false, error: { code: "offline" } });
  });

  it("without an answer end with a fault", async () => {
    await join();
    expect(await connection.request("undo", {})).toMatchObject({ ok: false, error: { code: "no_answer" } });
  });

  it("under way when the connection is lost end at once", async () => {
    await join();
    const answer = connection.request("undo", {});
    wire.go();
    expect(await answer).toMatchObject({ ok: false, error: { code: "offline" } });
  });
});

it("an unknown map is distinguished from a lost connection", async () => {
  vi.spyOn(console, "error");
  wire.come();
  wire.last("join").ack({ ok: false, error: { code: "unknown_map", message: "no" } });
  await settle();
  expect(seen.statuses.at(-1)).toBe("unknown_map");
});
