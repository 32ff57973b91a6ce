// The process that has the logs: it serves them to others. See remote-log.ts for the other side, and for the messages.
import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import {
  type Commit,
  type ErrorCode,
  type ErrorDetails,
  isStreamError,
  type LogHead,
  type Member,
  writeQuads,
} from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import type { LivingEntities, ReadableLog } from './log.ts';
import { fromRecord, type MemberRecord } from './storage.ts';

/** The way to another process, and back: messages arrive whole and in order, as structured clones of what was sent. */
export interface ProcessChannel {
  /** Resolves once the message has left this process, and also when it never will: the channel is closed. */
  send(message: object): Promise<void>;
  /** Calls a listener with each message from now on. There may be several. */
  onMessage(listener: (message: object) => void): void;
  /** Calls a listener when nothing can be sent or received any more. There may be several. */
  onClose(listener: () => void): void;
  /** Ends the other process, or at least the way to it, without asking. */
  cut(): void;
}

export type Held = Pick<ReadableLog, 'heldFrom' | 'removals'>;

export type Question =
  | { readonly kind: 'read'; readonly after: number; readonly limit: number }
  | { readonly kind: 'members'; readonly sequences: readonly number[] }
  // Answered after the commits that there were: since messages keep their order, these have come by then.
  | { readonly kind: 'caughtUp' };

export interface ToWriter {
  readonly kind: 'log-asked';
  readonly id: number;
  readonly stream: string;
  readonly question: Question;
}

export type ToReader = { readonly stream: string } & (
  | ({
      readonly kind: 'log-opened';
      readonly entities: readonly string[];
      readonly sequences: readonly number[];
      readonly isLast: boolean;
      readonly held: Held;
    } & Pick<ReadableLog, 'head' | 'sequencePath'>)
  // The commit comes with the last part of its members.
  | { readonly kind: 'log-commit'; readonly bytes: Uint8Array; readonly commit?: CommitEnd }
  | { readonly kind: 'log-ended' }
  | ({ readonly kind: 'log-answer'; readonly id: number; readonly held: Held | undefined } & Answer)
);

type CommitEnd = Omit<Commit, 'members'> & { readonly held: Held };

interface Answer {
  readonly bytes?: Uint8Array;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails };
  readonly isLast: boolean;
}

// Bytes of commits that may wait for one reader: one that takes no more is not going to.
const LIMIT_READER_BYTES = 256 * 1024 * 1024;
// Text that is serialised before others get their turn on the event loop, and what a member counts besides its quads.
const PART_CHARACTERS = 1024 * 1024;
const MEMBER_CHARACTERS = 512;
const PART_ENTITIES = 5000;

/** Serves logs of this process to others. */
export class LogServer {
  readonly #feeds = new Map<string, Feed>();
  readonly #readers = new Set<Reader>();

  /** @param logs - by the names of their streams */
  constructor(logs: ReadonlyMap<string, ReadableLog>) {
    this.setLogs(logs);
  }

  /** Serves these from now on. What is served already goes on, unless another log has taken its name. */
  setLogs(logs: ReadonlyMap<string, ReadableLog>): void {
    for (const feed of this.#feeds.values()) {
      if (logs.get(feed.stream) === feed.log) continue;
      feed.end();
      this.#feeds.delete(feed.stream);
      for (const reader of this.#readers) reader.end(feed);
    }
    for (const [stream, log] of logs) {
      if (this.#feeds.has(stream)) continue;
      const feed = new Feed(stream, log, this.#readers);
      this.#feeds.set(stream, feed);
      for (const reader of this.#readers) reader.open(feed);
    }
  }

  /**
   * Serves the logs to one more process, until its channel closes.
   *
   * @param limitBytes - bytes of commits that may wait for it, past which its channel is cut; 256 MiB by default
   */
  attach(channel: ProcessChannel, limitBytes = LIMIT_READER_BYTES): void {
    const reader = new Reader(channel, limitBytes, this.#feeds);
    this.#readers.add(reader);
    channel.onClose(() => {
      this.#readers.delete(reader);
      reader.isOpen = false;
    });
    for (const feed of this.#feeds.values()) reader.open(feed);
  }

  /** Cuts the channels of those who still read. The logs stay open. */
  close(): void {
    for (const feed of this.#feeds.values()) feed.end();
    for (const reader of this.#readers) reader.cut();
    this.#feeds.clear();
    this.#readers.clear();
  }
}

/** Gives the commits of one log to all who read it. */
class Feed {
  readonly end: () => void;
  readonly stream: string;
  readonly log: ReadableLog;
  readonly #readers: ReadonlySet<Reader>;
  /** Resolves when all commits that there were have been given. */
  #given: Promise<unknown> = Promise.resolve();
  #queuedBytes = 0;

  constructor(stream: string, log: ReadableLog, readers: ReadonlySet<Reader>) {
    this.stream = stream;
    this.log = log;
    this.#readers = readers;
    this.end = log.subscribe((commit) => {
      for (const reader of readers) reader.checkRoom(this.#queuedBytes);
      if (readers.size === 0) return;
      const bytes = charactersOf(commit.members);
      this.#queuedBytes += bytes;
      this.after(async () => {
        await this.#give(commit);
        this.#queuedBytes -= bytes;
      });
    });
  }

  get held(): Held {
    return { heldFrom: this.log.heldFrom, removals: this.log.removals };
  }

  /** Does something after the commits that there are. */
  after(next: () => unknown): void {
    this.#given = this.#given.then(next);
  }

  async #give({ cursor, time, members }: Commit): Promise<void> {
    await eachPart(members, (bytes, isLast) => {
      const commit = isLast && { commit: { cursor, time, held: this.held } };
      const message = { kind: 'log-commit', stream: this.stream, bytes, ...commit } as const;
      for (const reader of this.#readers) reader.give(this, cursor.sequence, message);
    });
  }
}

/** A process that reads, as the one that writes has it. */
class Reader {
  isOpen = true;
  readonly #channel: ProcessChannel;
  readonly #limitBytes: number;
  readonly #feeds: ReadonlyMap<string, Feed>;
  // Where it began to read: what was committed by then, and is still being given to others, is not for it.
  readonly #since = new Map<Feed, number>();
  // One answer of a kind is made at a time, and the next when it has left: what waits is bounded.
  readonly #turns = new Map<Question['kind'], Promise<void>>();
  #waitingBytes = 0;

  constructor(channel: ProcessChannel, limitBytes: number, feeds: ReadonlyMap<string, Feed>) {
    this.#channel = channel;
    this.#limitBytes = limitBytes;
    this.#feeds = feeds;
    channel.onMessage((message) => {
      const asked = message as ToWriter;
      if (asked.kind !== 'log-asked') return;
      const turn = this.#turns.get(asked.question.kind) ?? Promise.resolve();
      // Nobody is to wait for an answer that will never come.
      this.#turns.set(
        asked.question.kind,
        turn.then(() => this.#answer(asked)).catch(() => this.cut()),
      );
    });
  }

  /** Tells it of a log, as of now. */
  open(feed: Feed): void {
    this.#since.set(feed, feed.log.head.cursor.sequence);
    void this.#open(feed, Array.from(feed.log.latest.entries()), feed.log.head);
  }

  end(feed: Feed): void {
    this.#since.delete(feed);
    void this.#send({ kind: 'log-ended', stream: feed.stream });
  }

  /** @param last - sequence number of the last member of the commit */
  give(feed: Feed, last: number, part: ToReader & { kind: 'log-commit' }): void {
    if (last <= (this.#since.get(feed) ?? Number.POSITIVE_INFINITY)) return;
    this.#waitingBytes += part.bytes.length;
    void this.#send(part).then(() => {
      this.#waitingBytes -= part.bytes.length;
    });
  }

  /** @param queuedBytes - what else is to be given to it */
  checkRoom(queuedBytes: number): void {
    if (this.isOpen && this.#waitingBytes + queuedBytes > this.#limitBytes) this.cut();
  }

  cut(): void {
    this.isOpen = false;
    this.#channel.cut();
  }

  async #open(feed: Feed, living: readonly LivingEntity[], head: LogHead): Promise<void> {
    const { stream, log, held } = feed;
    const opened = { kind: 'log-opened', stream, head, sequencePath: log.sequencePath, held } as const;
    for (let start = 0, isLast = false; !isLast && this.#since.has(feed); start += PART_ENTITIES) {
      const part = living.slice(start, start + PART_ENTITIES);
      isLast = start + PART_ENTITIES >= living.length;
      const [entities, sequences] = [part.map(({ entity }) => entity), part.map(({ sequence }) => sequence)];
      await this.#send({ ...opened, entities, sequences, isLast });
    }
  }

  async #answer({ id, stream, question }: ToWriter): Promise<void> {
    const feed = this.#feeds.get(stream);
    const reply = (answer: Answer) =>
      this.#send({ kind: 'log-answer', id, stream, held: this.#feeds.get(stream)?.held, ...answer });
    try {
      if (!feed) throw errors.ERR_LOG_CLOSED({ stream });
      if (question.kind === 'caughtUp') {
        await feed.log.caughtUp();
        feed.after(() => void reply({ isLast: true }));
        return;
      }
      const members =
        question.kind === 'read'
          ? await feed.log.read(question.after, question.limit)
          : await feed.log.readMembers(question.sequences);
      await eachPart(members, (bytes, isLast) => reply({ bytes, isLast }));
    } catch (error) {
      const told = isStreamError(error) ? error : errors.ERR_OWNER_FAILED({ stream, reason: String(error) });
      const { code, message, details } = told;
      await reply({ error: { code, message, details }, isLast: true });
    }
  }

  async #send(message: ToReader): Promise<void> {
    if (this.isOpen) await this.#channel.send(message);
  }
}

type LivingEntity = NonNullable<ReturnType<LivingEntities['get']>>;

function charactersOf(members: readonly Member[]): number {
  let characters = 0;
  for (const { nquads = '' } of members) characters += MEMBER_CHARACTERS + nquads.length;
  return characters;
}

// The first part in the tick of the call; one part where there is no member.
async function eachPart(
  members: readonly Member[],
  give: (bytes: Uint8Array, isLast: boolean) => unknown,
): Promise<void> {
  for (let index = 0, isLast = false; !isLast; ) {
    const records: [number, MemberRecord][] = [];
    for (let characters = 0; index < members.length && characters < PART_CHARACTERS; index += 1) {
      const member = members[index]!;
      // Of a stored member the text is at hand, and its quads are not.
      const nquads = member.nquads ?? writeQuads(member.quads, 'nquads', {});
      const { id, entity, kind, time, versionTime, isOlder } = member;
      records.push([member.sequence, { id, entity, kind, time, versionTime, isOlder, nquads }]);
      characters += MEMBER_CHARACTERS + nquads.length;
    }
    isLast = index >= members.length;
    await give(serialize(records), isLast);
    if (!isLast) await setImmediate();
  }
}

export function membersOf(bytes: Uint8Array): Member[] {
  return (deserialize(bytes) as [number, MemberRecord][]).map(([sequence, record]) => fromRecord(record, sequence));
}
