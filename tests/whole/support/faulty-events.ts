import type { ServerResponse } from 'node:http';
import { type Fault, faultOf } from './fault.ts';
import type { FaultChannel } from './fault-channel.ts';

const EVENT_END = '\n\n';

/** Passes the events of a push connection on as its faults say: late, twice, in part, or many together. */
export class FaultyEvents {
  readonly #outgoing: ServerResponse;
  readonly #faults: readonly Fault[];
  readonly #channel: FaultChannel;
  #unfinished = '';
  #held = '';
  #events = 0;
  #passing: Promise<void> = Promise.resolve();

  constructor(outgoing: ServerResponse, faults: readonly Fault[], channel: FaultChannel) {
    this.#outgoing = outgoing;
    this.#faults = faults;
    this.#channel = channel;
    channel.mended.addEventListener('abort', () => this.#release());
  }

  /** Takes what came. */
  take(chunk: Buffer): void {
    // Latin-1 keeps the bytes as they are.
    const text = this.#unfinished + chunk.toString('latin1');
    const end = text.lastIndexOf(EVENT_END) + EVENT_END.length;
    if (end < EVENT_END.length) {
      this.#unfinished = text;
      return;
    }
    this.#unfinished = text.slice(end);
    for (const event of text.slice(0, end).split(/(?<=\n\n)/)) {
      this.#passing = this.#passing.then(() => this.#pass(event));
    }
  }

  /** Ends the connection after what came. */
  end(): void {
    this.#passing = this.#passing.then(() => {
      this.#release();
      this.#outgoing.end(Buffer.from(this.#unfinished, 'latin1'));
    });
  }

  async #pass(event: string): Promise<void> {
    // Comments and the wait before a reconnect are no events.
    if (!/^data:/m.test(event)) return this.#write(event);
    const faults = this.#channel.mended.aborted ? [] : this.#faults;
    const index = this.#events++;
    const here = faults.filter((fault) => 'event' in fault && fault.event === index);
    const delay = faultOf(here, 'delay-event');
    if (delay) await this.#channel.wait(delay.ms);
    const cut = faultOf(here, 'cut-event');
    if (cut) {
      this.#release();
      const part = Buffer.from(event.slice(0, event.length * cut.share), 'latin1');
      // What passes has to arrive before the end does.
      this.#outgoing.write(part, () => this.#outgoing.destroy());
      return;
    }
    this.#write(faultOf(here, 'double-event') ? event + event : event);
  }

  #write(event: string): void {
    const faults = this.#channel.mended.aborted ? [] : this.#faults;
    const bytes = faultOf(faults, 'hold-bytes')?.bytes ?? 0;
    const forMs = faultOf(faults, 'hold-time')?.ms;
    const isFirst = this.#held === '';
    this.#held += event;
    if (this.#channel.isHolding) return;
    if (forMs === undefined) {
      if (this.#held.length >= bytes) this.#release();
    } else if (isFirst) void this.#channel.wait(forMs).then(() => this.#release());
  }

  #release(): void {
    const held = Buffer.from(this.#held, 'latin1');
    this.#held = '';
    if (held.length > 0 && !this.#outgoing.destroyed) this.#outgoing.write(held);
  }
}
