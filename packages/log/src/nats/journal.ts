// The journal of one log in a JetStream stream. It has a subject of its own, on which each entry is one message, or several.
//   ldes.log.vehicles   #1207   Nats-Msg-Id: vehicles/node-a.3.k2x.17   Nats-Expected-Last-Subject-Sequence: 1203
//                               Ldes-Epoch: m3x1k9f2ab   Ldes-Version: 1   Ldes-After: node-a.3.k2x.16   [Ldes-Part: 1/3]
//                               <entry-bytes.ts>
// The position of an entry is the sequence number of its last message. The server refuses a message whose expectation is not
// met, so each says which one it follows: none can be missing between two that fit. Sequence numbers are given out anew where
// NATS has lost its end, so each names the entry before it as well.
// Entries are read one by one from whichever server has them (direct get), as soon as the writer has told that there are more.
// A consumer of NATS 2.9 can be silent for tens of seconds after its server has died; this is as quick as any other server.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager, StoredMsg } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { errors } from '../errors.ts';
import type { LogEntry } from '../log-state.ts';
import type { Journal, JournalEnd, JournalEntry, JournalPlace } from '../replica.ts';
import { decodeEntry, encodeEntry } from './entry-bytes.ts';

export interface NatsJournalOptions {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  /** The JetStream stream. */
  readonly name: string;
  /** The stream whose log it is. */
  readonly stream: string;
  /** The epoch that the log has here, and the one that alone may follow; empty while it has none. */
  readonly epoch: () => string;
  /** Bytes of a message, header included. */
  readonly limitMessageBytes: number;
  readonly tell: (stream: string, end: JournalEnd) => void;
}

/** How entries are written; another number is of another release. */
const VERSION = '1';
/** What the header of a message may take, and its framing. */
const HEADER_BYTES = 4096;
/** How long a server may take to answer. */
const REQUEST_MS = 1500;
const RETRY_MS = 100;
/** How long who waits for the next entry waits without a word from the writer, milliseconds. */
const WAIT_MS = 2000;
/** How long the servers may take to have what the writer has told of. */
const ARRIVAL_MS = 5;

/** How often a journal may be found to end before what was read of it. */
const LIMIT_BEFORE = 20;

const EXPECTED = 'Nats-Expected-Last-Subject-Sequence';
const ID = 'Nats-Msg-Id';
const PART = 'Ldes-Part';
const AFTER = 'Ldes-After';

/** Codes of JetStream, by what they say. @see https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const WRONG_LAST_SEQUENCE = 10071;
const NO_ROOM: ReadonlySet<unknown> = new Set([10002, 10023, 10028, 10047, 10077]);
const REFUSED: ReadonlySet<unknown> = new Set([10052, 10053, 10054, 10060, 10061, 10109, 10110]);

export class NatsJournal implements Journal {
  readonly #options: NatsJournalOptions;
  readonly #subject: string;
  /** Parts of an entry that could not be published whole: they stand, and mean nothing. */
  #strays: { readonly after: number; readonly end: number } | undefined;
  #told: JournalEnd | undefined;
  #wake: () => void = () => {};

  constructor(options: NatsJournalOptions) {
    this.#options = options;
    this.#subject = subjectOf(options.name, options.stream);
  }

  async publish(
    entry: LogEntry,
    { id, afterId, epoch, after }: JournalPlace,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    // The server knows ids for all subjects of its stream together.
    const entryId = `${this.#options.stream}/${id}`;
    const parts = await encodeEntry(entry, this.#options.limitMessageBytes - HEADER_BYTES);
    let expected = this.#strays?.after === after ? this.#strays.end : after;
    for (const [index, part] of parts.entries()) {
      const fields = headers();
      fields.set('Ldes-Epoch', epoch);
      fields.set('Ldes-Version', VERSION);
      fields.set(AFTER, afterId);
      if (parts.length > 1) fields.set(PART, `${index + 1}/${parts.length}`);
      const messageId = index + 1 === parts.length ? entryId : `${entryId}/${index + 1}`;
      const position = await this.#put(part, { messageId, expected, fields, signal });
      if (position === undefined) return undefined;
      expected = position;
      if (index + 1 < parts.length) this.#strays = { after, end: position };
    }
    this.#strays = undefined;
    return expected;
  }

  async next(after: number): Promise<JournalEntry | undefined> {
    let parts: StoredMsg[] = [];
    let id: string | undefined;
    for (let position = after; ; ) {
      const message = await this.#at(position + 1);
      if (!message) return undefined;
      this.#check(message, position);
      position = message.seq;
      const [part, count] = partOf(message.header);
      const messageId = message.header.get(ID);
      const entryId = part < count ? messageId.slice(0, messageId.lastIndexOf('/')) : messageId;
      if (part === 1) parts = [];
      else if (entryId !== id || parts.length !== part - 1) {
        // Of an entry that was never whole.
        parts = [];
        continue;
      }
      id = entryId;
      parts.push(message);
      if (part < count) continue;
      const ids = { id: id.slice(id.indexOf('/') + 1), afterId: message.header.get(AFTER) };
      return { entry: await this.#decode(parts), ...ids, position };
    }
  }

  async wait(after: () => number): Promise<void> {
    // It is told of before each server has it.
    if ((this.#told?.position ?? 0) > after()) return sleep(ARRIVAL_MS);
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(WAIT_MS, undefined, { signal: woken.signal }).catch(() => {});
  }

  async end(): Promise<{ last: number; whole: number }> {
    const { manager, name } = this.#options;
    // Not by direct get: by the server that orders them.
    let message = await manager.streams.getMessage(name, { last_by_subj: this.#subject });
    const last = message?.seq ?? 0;
    while (message) {
      const [part, count] = partOf(message.header);
      if (part === count) break;
      const seq = Number(message.header.get(EXPECTED));
      message = seq === 0 ? null : await manager.streams.getMessage(name, { seq });
    }
    return { last, whole: message?.seq ?? 0 };
  }

  /** The last message that there is, as the server has it that orders them. */
  async last(): Promise<{ readonly position: number; readonly epoch: string } | undefined> {
    const { manager, name } = this.#options;
    const message = await manager.streams.getMessage(name, { last_by_subj: this.#subject });
    return message ? { position: message.seq, epoch: message.header.get('Ldes-Epoch') } : undefined;
  }

  /** The first message that there is, as whoever has nothing finds it. */
  async first(): Promise<{ readonly position: number; readonly after: number } | undefined> {
    const message = await this.#at(1);
    return message ? { position: message.seq, after: Number(message.header.get(EXPECTED)) } : undefined;
  }

  told(): JournalEnd | undefined {
    return this.#told;
  }

  /** @internal */
  hear(end: JournalEnd, isStatus: boolean): void {
    if (!isStatus && end.position < (this.#told?.position ?? 0)) return;
    this.#told = end;
    this.#wake();
  }

  tell(end: JournalEnd): void {
    this.#options.tell(this.#options.stream, end);
  }

  #at(sequence: number): Promise<StoredMsg | null> {
    return this.#options.manager.direct.getMessage(this.#options.name, {
      ...{ seq: sequence, next_by_subj: this.#subject },
    });
  }

  #check({ header, seq }: StoredMsg, after: number): void {
    const { stream, epoch } = this.#options;
    const version = header.get('Ldes-Version');
    if (version !== VERSION)
      throw errors.ERR_CLUSTER_VERSION({ stream, position: seq, found: version, known: VERSION });
    const [own, found] = [epoch(), header.get('Ldes-Epoch')];
    if (own !== '' && own !== found) throw errors.ERR_CLUSTER_EPOCH({ stream, own, found });
    const before = Number(header.get(EXPECTED));
    if (before !== after) throw errors.ERR_CLUSTER_GAP({ stream, position: after, before });
  }

  async #decode(parts: readonly StoredMsg[]): Promise<LogEntry> {
    try {
      return await decodeEntry(parts.map(({ data }) => data));
    } catch (cause) {
      const { stream } = this.#options;
      const position = parts.at(-1)!.seq;
      throw errors.ERR_CLUSTER_ENTRY({ stream, position, reason: (cause as Error).message }, cause);
    }
  }

  /** Publishes one message, until it is known whether it stands. */
  async #put(bytes: Uint8Array, { messageId, expected, fields, signal }: MessagePlace): Promise<number | undefined> {
    const { client, stream, epoch } = this.#options;
    let isUnanswered = false;
    for (let before = 0; ; ) {
      signal.throwIfAborted();
      try {
        const { seq } = await client.publish(this.#subject, bytes, {
          ...{ msgID: messageId, headers: fields, timeout: REQUEST_MS, retries: 0 },
          expect: { lastSubjectSequence: expected },
        });
        // 0: an earlier attempt of ours is under way.
        if (seq > 0) return seq;
      } catch (error) {
        const { code, message: reason } = error as Error & { readonly code?: unknown };
        if (isUnanswered && (NO_ROOM.has(code) || REFUSED.has(code))) {
          // Limits are looked at before duplicates: an attempt before, which was not answered, may stand.
          const last = await this.#last(signal);
          if (last?.header.get(ID) === messageId) return last.seq;
        }
        if (NO_ROOM.has(code)) throw errors.ERR_NATS_STORAGE({ stream, reason }, error);
        if (REFUSED.has(code)) throw errors.ERR_NATS_REFUSED({ stream, reason }, error);
        if (code === undefined) isUnanswered = true;
        if (code === WRONG_LAST_SEQUENCE) {
          const last = await this.#last(signal);
          // Sent twice, it is refused by its expectation as often as it is told to be a duplicate.
          if (last?.header.get(ID) === messageId) return last.seq;
          if ((last?.seq ?? 0) > expected) return undefined;
          // A server that is behind says so for a moment, one that was emptied for ever.
          before += 1;
          if ((last?.seq ?? 0) < expected && before >= LIMIT_BEFORE) {
            throw errors.ERR_CLUSTER_EPOCH({ stream, own: epoch(), found: last?.header.get('Ldes-Epoch') ?? '' });
          }
        }
      }
      await sleep(RETRY_MS);
    }
  }

  async #last(signal: AbortSignal): Promise<StoredMsg | null> {
    const { manager, name } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      try {
        return await manager.streams.getMessage(name, { last_by_subj: this.#subject });
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }
}

interface MessagePlace {
  readonly messageId: string;
  readonly expected: number;
  readonly fields: MsgHdrs;
  readonly signal: AbortSignal;
}

/** On which the entries of a log are published. */
export function subjectOf(name: string, stream: string): string {
  return `${name}.log.${stream}`;
}

function partOf(header: MsgHdrs): [part: number, count: number] {
  const [part = 1, count = 1] = header.has(PART) ? header.get(PART).split('/').map(Number) : [];
  return [part, count];
}
