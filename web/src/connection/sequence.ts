/**
 * Keeps events gapless: hands each persisted event on once and in order, whatever the wire does. An event that
 * comes early is kept aside and `onGap` asks for what is missing.
 */
import type { MapEvent } from "../protocol/messages";

export class Sequence {
  private readonly early = new Map<number, MapEvent>();

  constructor(
    private last: number,
    private readonly deliver: (event: MapEvent) => void,
    private readonly onGap: () => void,
  ) {}

  get lastSeq(): number {
    return this.last;
  }

  /** Starts over from a snapshot that holds everything up to `seq`. */
  restart(seq: number): void {
    this.last = seq;
    for (const known of [...this.early.keys()]) if (known <= seq) this.early.delete(known);
    this.drain();
  }

  receive(event: MapEvent): void {
    const { seq } = event.data;
    if (seq <= this.last) return;
    this.early.set(seq, event);
    this.drain();
    if (this.early.size > 0) this.onGap();
  }

  private drain(): void {
    for (let next = this.early.get(this.last + 1); next !== undefined; next = this.early.get(this.last + 1)) {
      this.early.delete(next.data.seq);
      this.last = next.data.seq;
      this.deliver(next);
    }
  }
}
