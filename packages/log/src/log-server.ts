// The process that has the logs: it serves them to others. See remote-log.ts for the other side, and for the messages.
import { setImmediate } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { type Commit, type ErrorCode, type ErrorDetails, isStreamError, type Member } from '@ldes-live/rdf-stream';
import type { Cluster, ClusterRole } from './cluster.ts';
import { errors } from './errors.ts';
import type { ReadableLog } from './log.ts';
import { type MemberRecord, recordOfMember } from './storage.ts';

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

export type Question =
  // Answered by the living entities, and followed by the commits after them.
  | { readonly kind: 'open' }
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

export type Held = Pick<ReadableLog, 'heldFrom' | 'removals' | 'damaged'>;

/** What is sent of a member, or of a living entity, by its sequence number. */
export type SentRecord = readonly [sequence: number, record: MemberRecord | string];

/** A part of an answer; all but the bytes comes with the last one. */
export interface Answer {
  /** {@link SentRecord}s. */
  readonly bytes?: Uint8Array;
  readonly isLast: boolean;
  readonly held?: Held | undefined;
  /** Of the question `open`. */
  readonly opened?: Pick<ReadableLog, 'head' | 'sequencePath'>;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails };
}

/** What the process that has the logs is among others, and what it tells of itself, as JSON. */
export type Place = Pick<Cluster, 'role'> & { readonly told: string | undefined };

export type ToReader =
  // The commit comes with the last part of its members.
  | {
      readonly kind: 'log-commit';
      readonly stream: string;
      readonly bytes: Uint8Array;
      readonly commit?: Omit<Commit, 'members'>;
    }
  | { readonly kind: 'log-ended'; readonly stream: string }
  | ({ readonly kind: 'log-answer'; readonly id: number; readonly stream: string } & Answer)
  | { readonly kind: 'log-place'; readonly place: Place; readonly held: Readonly<Record<string, Held>> };

/** Where other machines have the logs too, their cluster; and what {@link Cluster.told} is for those that are served. */
interface LogServerOptions {
  readonly cluster?: Cluster | undefined;
  readonly status?: () => object;
}

// Bytes of commits that may wait for one reader: one that takes no more is not going to.
const LIMIT_READER_BYTES = 256 * 1024 * 1024;
// Text that is serialised before others get their turn on the event loop, and what a member and an entity count besides.
const PART_CHARACTERS = 1024 * 1024;
const MEMBER_CHARACTERS = 512;
const ENTITY_CHARACTERS = 64;
// How often it tells what it is at least, how soon after a commit, when what is said of that has come too, and how often
// for commits at most.
const TELL_MS = 1000;
const TELL_COMMIT_MS = 25;
const TELL_COMMITS_MS = 200;

/** Serves logs of this process to others, and tells these what it is. */
export class LogServer {
  readonly #feeds = new Map<string, Feed>();
  readonly #readers = new Set<Reader>();
  readonly #options: LogServerOptions;
  readonly #unwatch: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  #toldMs = Number.NEGATIVE_INFINITY;
  #toldRole: ClusterRole | undefined;

  /** @param logs - by the names of their streams */
  constructor(logs: ReadonlyMap<string, ReadableLog> = new Map(), options: LogServerOptions = {}) {
    this.#options = options;
    const { cluster } = options;
    this.#unwatch = cluster?.onChange(() => (cluster.role === this.#toldRole ? this.tellSoon() : this.tell()));
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
      this.#feeds.set(stream, new Feed(stream, log, this.#readers, () => this.tellSoon()));
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
    this.tell();
  }

  /** Tells those that read what this process is now; else it does so once a second, and soon after each commit. */
  tell(): void {
    clearTimeout(this.#timer);
    this.#isSoon = false;
    if (this.#readers.size === 0) return;
    const { cluster, status } = this.#options;
    const feeds = [...this.#feeds.values()];
    this.#toldRole = cluster?.role;
    const place: Place = { role: this.#toldRole ?? { role: 'writer' }, told: status && JSON.stringify(status()) };
    const held = Object.fromEntries(feeds.map((feed) => [feed.stream, feed.held]));
    for (const reader of this.#readers) reader.tell({ kind: 'log-place', place, held });
    this.#toldMs = performance.now();
    this.#tellIn(TELL_MS);
  }

  /** The same, once for all that changes at the same time. */
  tellSoon(): void {
    if (this.#isSoon || this.#readers.size === 0) return;
    this.#isSoon = true;
    this.#tellIn(Math.max(TELL_COMMIT_MS, this.#toldMs + TELL_COMMITS_MS - performance.now()));
  }

  #tellIn(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.tell(), waitMs).unref();
  }

  /** Cuts the channels of those who still read. The logs stay open. */
  close(): void {
    clearTimeout(this.#timer);
    this.#unwatch?.();
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

  constructor(stream: string, log: ReadableLog, readers: ReadonlySet<Reader>, onCommit: () => void) {
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
      onCommit();
    });
  }

  get held(): Held {
    return { heldFrom: this.log.heldFrom, removals: this.log.removals, damaged: this.log.damaged };
  }

  /** Does something after the commits that there are. */
  after(next: () => unknown): void {
    this.#given = this.#given.then(next);
  }

  async #give({ cursor, time, members }: Commit): Promise<void> {
    await eachPart(members, sentMember, (bytes, isLast) => {
      const commit = isLast && { commit: { cursor, time } };
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
  #isTelling = false;

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

  end(feed: Feed): void {
    if (this.#since.delete(feed)) void this.#send({ kind: 'log-ended', stream: feed.stream });
  }

  /** @param last - sequence number of the last member of the commit */
  give(feed: Feed, last: number, part: ToReader & { kind: 'log-commit' }): void {
    if (last <= (this.#since.get(feed) ?? Number.POSITIVE_INFINITY)) return;
    this.#waitingBytes += part.bytes.length;
    void this.#send(part).then(() => {
      this.#waitingBytes -= part.bytes.length;
    });
  }

  /** One that has not taken what it was told is told again later: what waits for it does not grow. */
  tell(place: ToReader & { kind: 'log-place' }): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    void this.#send(place).then(() => {
      this.#isTelling = false;
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

  async #answer({ id, stream, question }: ToWriter): Promise<void> {
    const feed = this.#feeds.get(stream);
    const reply = (answer: Answer) => this.#send({ kind: 'log-answer', id, stream, ...answer });
    try {
      if (!feed) throw errors.ERR_LOG_CLOSED({ stream });
      if (question.kind === 'open') await this.#open(feed, reply);
      else if (question.kind === 'caughtUp') {
        await feed.log.caughtUp();
        feed.after(() => void reply({ isLast: true, held: feed.held }));
      } else {
        const members =
          question.kind === 'read'
            ? await feed.log.read(question.after, question.limit)
            : await feed.log.readMembers(question.sequences);
        await eachPart(members, sentMember, (bytes, isLast) =>
          reply({ bytes, isLast, ...(isLast && { held: feed.held }) }),
        );
      }
    } catch (error) {
      const told = isStreamError(error) ? error : errors.ERR_OWNER_FAILED({ stream, reason: String(error) });
      const { code, message, details } = told;
      await reply({ error: { code, message, details }, isLast: true, held: feed?.held });
    }
  }

  /** The log as of now; the commits after that follow. */
  async #open(feed: Feed, reply: (answer: Answer) => Promise<void>): Promise<void> {
    const { head, sequencePath, latest } = feed.log;
    const { held } = feed;
    this.#since.set(feed, head.cursor.sequence);
    const living = Array.from(latest.entries(), ({ sequence, entity }) => [sequence, entity] as const);
    await eachPart(
      living,
      (entity) => entity,
      (bytes, isLast) => reply({ bytes, isLast, ...(isLast && { held, opened: { head, sequencePath } }) }),
    );
  }

  async #send(message: ToReader): Promise<void> {
    if (this.isOpen) await this.#channel.send(message);
  }
}

function charactersOf(members: readonly Member[]): number {
  let characters = 0;
  for (const { nquads = '' } of members) characters += MEMBER_CHARACTERS + nquads.length;
  return characters;
}

function sentMember(member: Member): SentRecord {
  return [member.sequence, recordOfMember(member)];
}

// The first part in the tick of the call; one part where there is nothing.
async function eachPart<Item>(
  items: readonly Item[],
  sent: (item: Item) => SentRecord,
  give: (bytes: Uint8Array, isLast: boolean) => unknown,
): Promise<void> {
  for (let index = 0, isLast = false; !isLast; ) {
    const records: SentRecord[] = [];
    for (let characters = 0; index < items.length && characters < PART_CHARACTERS; index += 1) {
      const record = sent(items[index]!);
      const [, text] = record;
      records.push(record);
      characters += typeof text === 'string' ? ENTITY_CHARACTERS + text.length : MEMBER_CHARACTERS + text.nquads.length;
    }
    isLast = index >= items.length;
    await give(serialize(records), isLast);
    if (!isLast) await setImmediate();
  }
}
