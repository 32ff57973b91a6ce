/* Hands each commit to all live subscribers of a stream: one socket.write of shared bytes each, in slices.
 *   commit -> pending -> batch (up to 256 KiB) -> bytes by wire, one gzip block for the group -> slices of subscribers
 *   { "commits": [{ "after": 41, "last": 43 }, { "after": 43, "last": 44 }], "after": 41, "last": 44 }        // a batch
 * It does one thing at a time (a batch, ends, comments), so that everybody gets everything in order. A subscriber that has
 * not taken its last write is given to the owner with its position: nothing is queued for it. */
import { setImmediate } from 'node:timers/promises';
import { type Cursor, formatCursor, formatSseComment } from '@ldes-live/rdf-stream';
import { SharedDeflate } from '@ldes-live/rdf-stream/push';
import type { Logger, RepeatedLines } from '../logging.ts';
import type { PushSettings } from '../options.ts';
import type { PushCounters } from './counters.ts';
import { type EncodedCommit, textBytes } from './encoded-commits.ts';
import { FilterIndex } from './filter-index.ts';
import type { SnapshotSource } from './snapshots.ts';
import { LiveSubscribers, type Subscriber } from './subscriber.ts';
import { Batch, type BytesByWire, bytesOf, sharedBlock, sharedText } from './wire.ts';

/** What is written before others have their turn: to so many subscribers, or so many bytes, which the system copies at once. */
export const SLICE_SUBSCRIBERS = 500;
export const SLICE_BYTES = 16 * 1024 * 1024;

/** Text of commits that goes out in one write when they come faster than they can be sent one by one, bytes. */
const BATCH_BYTES = 256 * 1024;

/** What is written to a subscriber at once, bytes; more goes out in strides, as it is taken, so that a slow reader is seen to read. */
const WHOLE_BYTES = 320 * 1024;

// Once for all: what it costs more than a lower level is nothing beside what all are spared.
const GROUP_LEVEL = 9;

/** How many times in the time of a heartbeat it is looked what is due. */
export const TICKS_PER_HEARTBEAT = 5;

// How late a timer may be, as a part of its interval.
const LATE_SHARE = 1 / 3;

const COMMENT_TEXT = formatSseComment('');
export const COMMENT = sharedText(COMMENT_TEXT);

/** When something must have been written last for the next tick to be in time, milliseconds. */
export function commentSinceMs(nowMs: number, heartbeatMs: number): number {
  return nowMs - (heartbeatMs - (heartbeatMs / TICKS_PER_HEARTBEAT) * (1 + LATE_SHARE));
}

/** Who has the subscribers that are not live. */
export interface FanOutOwner {
  readonly counters: PushCounters;
  /**
   * Takes over a subscriber whose reader has not taken what it was given, or to whom much is to be given.
   *
   * @param position - up to which it has everything then
   * @param bytes - what it is to be given first, as its reader takes it
   */
  fallBehind(subscriber: Subscriber, position: number, bytes?: Buffer): void;
  endNow(subscriber: Subscriber): void;
}

export interface FanOutOptions {
  readonly commits: { readonly head: Cursor };
  readonly settings: PushSettings;
  readonly clock: () => number;
  readonly logger: Logger;
  readonly lines: RepeatedLines;
  /** Name of the stream, for the log. */
  readonly stream: string;
}

interface Pending {
  readonly commit: EncodedCommit;
  readonly bytes: number;
  /** When it came, milliseconds. */
  readonly sinceMs: number;
}

/** The live subscribers of a stream, and what is on its way to them. */
export class FanOut {
  readonly #owner: FanOutOwner;
  readonly #options: FanOutOptions;
  readonly #whole = new LiveSubscribers();
  readonly #filtered = new FilterIndex<Subscriber>();
  readonly #deflate = new SharedDeflate({ level: GROUP_LEVEL });
  /** Commits that gzip subscribers have taken outside of the group since its start, added up. */
  #waited = 0;
  #pending: Pending[] = [];
  #pendingBytes = 0;
  readonly #ending: Subscriber[] = [];
  #sent = 0;
  /** When the last commit was written to all that take the whole stream, and something to the group, milliseconds. */
  #wroteAtMs = Number.NEGATIVE_INFINITY;
  #groupWroteAtMs = 0;
  #isTickDue = false;
  #status: string | undefined;
  #isOverrun = false;
  #isRunning = false;
  #isClosed = false;

  constructor(owner: FanOutOwner, options: FanOutOptions) {
    this.#owner = owner;
    this.#options = options;
  }

  get size(): number {
    return this.#whole.size + this.#filtered.size;
  }

  add(subscriber: Subscriber): void {
    (subscriber.filter ? this.#filtered : this.#whole).add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    (subscriber.filter ? this.#filtered : this.#whole).remove(subscriber);
  }

  /** At once, or after commits that are on their way. */
  endLater(subscriber: Subscriber): void {
    this.#ending.push(subscriber);
    this.#wake();
  }

  push(commit: EncodedCommit): void {
    const bytes = textBytes(commit);
    this.#pending.push({ commit, bytes, sinceMs: this.#options.clock() });
    this.#pendingBytes += bytes;
    if (this.#pendingBytes > this.#options.settings.limitFrameBytes && this.#pending.length > 1) {
      // More than is remembered: nobody can be given that much one after the other.
      this.#dropPending();
      this.#isOverrun = true;
    }
    this.#wake();
  }

  /** Sends a comment where nothing has been sent for long, and ends those that are old. It is called again in that time. */
  tick(): void {
    this.#isTickDue = true;
    this.#wake();
  }

  /** Gives all that are live an event on the sources of the stream. */
  sendStatus(text: string): void {
    this.#status = text;
    this.#wake();
  }

  learnPositions(snapshots: SnapshotSource): Promise<void> {
    return this.#filtered.learnPositions(snapshots);
  }

  /** Cuts all: readers resume after what they have; left open, some would lack what others got. */
  fail(error: unknown): void {
    this.#dropPending();
    const subscribers = this.#subscribers();
    for (const subscriber of subscribers) subscriber.cut('error');
    const { lines, stream } = this.#options;
    lines.error({ stream, subscribers: subscribers.length, err: error }, 'fan-out failed');
  }

  close(): void {
    this.#isClosed = true;
    this.#dropPending();
    this.#deflate.close();
  }

  #wake(): void {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    this.#run().catch((error: unknown) => {
      this.#isRunning = false;
      this.fail(error);
    });
  }

  async #run(): Promise<void> {
    let hasDelivered = false;
    while (!this.#isClosed) {
      const isOtherDue = this.#ending.length > 0 || this.#isTickDue || this.#status !== undefined;
      if (this.#isOverrun) this.#giveUp();
      // In turns: commits may come as fast as they are sent, and then there would never be time for the rest.
      else if (this.#pending.length > 0 && !(hasDelivered && isOtherDue)) {
        await this.#deliver(this.#takeBatch());
        hasDelivered = true;
        continue;
      } else if (this.#ending.length > 0) {
        for (const subscriber of this.#ending.splice(0)) this.#owner.endNow(subscriber);
      } else if (this.#status !== undefined) await this.#writeStatus(this.#status);
      else if (this.#isTickDue) await this.#comment();
      else break;
      hasDelivered = false;
    }
    this.#isRunning = false;
  }

  /** As much text as goes out in one write, one commit however large it is. */
  #takeBatch(): readonly Pending[] {
    let count = 0;
    let bytes = 0;
    for (const pending of this.#pending) {
      if (count > 0 && bytes + pending.bytes > BATCH_BYTES) break;
      bytes += pending.bytes;
      count += 1;
    }
    this.#pendingBytes -= bytes;
    return this.#pending.splice(0, count);
  }

  #dropPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  async #deliver(pending: readonly Pending[]): Promise<void> {
    const { clock, logger, stream } = this.#options;
    const { counters } = this.#owner;
    const debug = logger.isLevelEnabled('debug') ? logger : undefined;
    const batch = new Batch(pending.map(({ commit }) => commit));
    const group = await this.#compress(batch).catch(() => undefined);
    if (this.#isClosed) return;
    this.#wroteAtMs = clock();
    if (group) this.#groupWroteAtMs = this.#wroteAtMs;
    await this.#sweep(this.#whole.visit(), (subscriber) => this.#writeBatch(subscriber, batch, group));
    for (const commit of batch.commits) await this.#deliverFiltered(commit);
    this.#sent = batch.last;
    counters.commits += batch.commits.length;
    const doneMs = clock();
    for (const { commit, sinceMs } of pending) {
      counters.fannedOut((doneMs - sinceMs) / 1000);
      const timing = { startMs: this.#wroteAtMs - sinceMs, sweepMs: doneMs - this.#wroteAtMs };
      debug?.debug(
        { stream, cursor: commit.id, members: commit.subjects.length, subscribers: this.size, ...timing },
        'commit',
      );
    }
  }

  /**
   * Compresses a batch once for the group. Those outside are sent larger blocks, but a restart costs each member one: so all
   * start anew together as soon as those outside have taken as many commits, added up, as there are members.
   */
  async #compress(batch: Batch): Promise<GroupBlock | undefined> {
    const { grouped, ungrouped } = this.#whole;
    if (grouped + ungrouped === 0) return undefined;
    this.#waited += ungrouped * batch.commits.length;
    const joins = ungrouped > 0 && this.#waited >= grouped;
    if (joins) this.#waited = 0;
    return { joins, bytes: sharedBlock(await this.#deflate.write(batch.events, joins)) };
  }

  #writeBatch(subscriber: Subscriber, batch: Batch, group: GroupBlock | undefined): void {
    const { position, wire } = subscriber;
    if (position >= batch.last || !this.#canTake(subscriber, batch.after)) return;
    let bytes: Buffer | undefined;
    let events = batch.commits.length;
    if (position > batch.after) {
      const lacking = batch.commitsAfter(position);
      bytes = Buffer.concat(lacking.map((commit) => bytesOf(commit, wire)));
      events = lacking.length;
    } else {
      if (group?.joins && wire.encoding === 'gzip') this.#whole.join(subscriber);
      // A block of another kind in between, and later ones of the group could not be read.
      else if (!group) this.#whole.part(subscriber);
      bytes = subscriber.inGroup ? group?.bytes(wire) : batch.bytes(wire);
    }
    // When that was is not noted for each: of all that is done here, what is touched only for that costs most.
    this.#write(subscriber, bytes as Buffer, batch.last);
    this.#owner.counters.deliveries += events;
  }

  async #deliverFiltered(commit: EncodedCommit): Promise<void> {
    if (this.#filtered.size === 0) return;
    const { clock } = this.#options;
    const { counters } = this.#owner;
    let chosen: readonly number[] = [];
    const matches = this.#filtered.match(commit);
    const concerned = function* () {
      for (const match of matches) {
        ({ chosen } = match);
        yield* match.readers;
      }
    };
    // Others come and go while some are written to: who has left is passed over, and who has come is past it.
    await this.#sweep(concerned(), (subscriber) => {
      const { position, wire } = subscriber;
      if (position >= commit.last || !this.#canTake(subscriber, commit.after)) return;
      subscriber.wroteAtMs = clock();
      this.#write(subscriber, bytesOf(commit, wire, chosen), commit.last);
      counters.deliveries += 1;
    });
  }

  async #comment(): Promise<void> {
    this.#isTickDue = false;
    const { clock, settings, commits } = this.#options;
    const nowMs = clock();
    const sinceMs = commentSinceMs(nowMs, settings.heartbeatMs);
    const write = (subscriber: Subscriber, comment: BytesByWire) => {
      this.#owner.counters.bytes += subscriber.writeShared(comment, nowMs);
      this.#owner.counters.heartbeats += 1;
    };
    await this.#sweep(this.#whole.visit(), (subscriber) => {
      if (!this.#isDue(subscriber, nowMs, sinceMs) || subscriber.inGroup || this.#wroteAtMs > sinceMs) return;
      write(subscriber, COMMENT);
    });
    // Where all are given up next, it is not said.
    if (this.#filtered.size > 0 && !this.#isOverrun) {
      const { head } = commits;
      // What is pending has not been looked at for them.
      const cursor = this.#pending.length > 0 ? { ...head, sequence: this.#sent } : head;
      // Filtered streams get the cursor, so that a reader whom nothing concerns can still resume.
      const comment = sharedText(`id: ${formatCursor(cursor)}\n\n`);
      await this.#sweep(this.#filtered.readers(), (subscriber) => {
        // Who has come since is past it.
        if (subscriber.position > cursor.sequence || !this.#isDue(subscriber, nowMs, sinceMs)) return;
        write(subscriber, comment);
      });
    }
    if (this.#whole.grouped > 0 && this.#groupWroteAtMs <= sinceMs) await this.#writeGroup(COMMENT_TEXT, nowMs);
  }

  /** @see specs/push.md PUSH-65 */
  async #writeStatus(status: string): Promise<void> {
    this.#status = undefined;
    const nowMs = this.#options.clock();
    const text = sharedText(status);
    const give = (subscriber: Subscriber) => {
      // Who has come since was given it, or a later one.
      if (subscriber.inGroup || subscriber.status === status || !this.#canTake(subscriber, this.#sent)) return;
      subscriber.status = status;
      this.#owner.counters.bytes += subscriber.writeShared(text, nowMs);
    };
    await this.#sweep(this.#whole.visit(), give);
    await this.#sweep(this.#filtered.readers(), give);
    if (this.#whole.grouped > 0 && !(await this.#writeGroup(status, nowMs, status))) {
      await this.#sweep(this.#whole.visit(), give);
    }
  }

  /** What one member of the group gets all must get, as later blocks refer to it. */
  async #writeGroup(text: string, nowMs: number, status?: string): Promise<boolean> {
    const block = await this.#deflate.write(Buffer.from(text), false).catch(() => undefined);
    if (this.#isClosed) return true;
    if (!block) {
      // Later blocks would refer to it.
      for (const subscriber of this.#whole.subscribers()) this.#whole.part(subscriber);
      return false;
    }
    const bytes = sharedBlock(block);
    this.#groupWroteAtMs = nowMs;
    await this.#sweep(this.#whole.visit(), (subscriber) => {
      if (!subscriber.inGroup || !this.#canTake(subscriber, this.#sent)) return;
      subscriber.status = status ?? subscriber.status;
      this.#owner.counters.bytes += subscriber.writeShared(bytes, nowMs);
      if (!status) this.#owner.counters.heartbeats += 1;
    });
    return true;
  }

  /** In slices, between which others have their turn. */
  async #sweep(subscribers: Iterable<Subscriber>, act: (subscriber: Subscriber) => void): Promise<void> {
    const { counters } = this.#owner;
    let [count, untilBytes] = [0, counters.bytes + SLICE_BYTES];
    for (const subscriber of subscribers) {
      act(subscriber);
      count += 1;
      if (count < SLICE_SUBSCRIBERS && counters.bytes < untilBytes) continue;
      await setImmediate();
      [count, untilBytes] = [0, counters.bytes + SLICE_BYTES];
      if (this.#isClosed) return;
    }
  }

  /** Whether a comment is due to one that is to go on. */
  #isDue(subscriber: Subscriber, nowMs: number, sinceMs: number): boolean {
    if (nowMs >= subscriber.endsAtMs) {
      this.#ending.push(subscriber);
      return false;
    }
    return this.#canTake(subscriber, this.#sent) && subscriber.wroteAtMs <= sinceMs;
  }

  /** Whether a subscriber has taken all that it was given; else it catches up from now on. */
  #canTake(subscriber: Subscriber, position: number): boolean {
    if (subscriber.isOpen && !subscriber.isFull) return true;
    this.remove(subscriber);
    // One whose reader has hung up too: it has to be let go of.
    if (subscriber.closeReason === undefined) {
      this.#owner.fallBehind(subscriber, Math.max(position, subscriber.position));
    }
    return false;
  }

  #write(subscriber: Subscriber, bytes: Buffer, position: number): void {
    this.#owner.counters.bytes += bytes.length;
    if (bytes.length <= WHOLE_BYTES) return void subscriber.socket.write(bytes);
    this.remove(subscriber);
    this.#owner.fallBehind(subscriber, position, bytes);
  }

  /** Everyone is behind, and is given the newest state when there is time. */
  #giveUp(): void {
    this.#isOverrun = false;
    for (const subscriber of this.#subscribers()) {
      this.remove(subscriber);
      this.#owner.fallBehind(subscriber, Math.max(this.#sent, subscriber.position));
    }
  }

  #subscribers(): Subscriber[] {
    return [...this.#whole.subscribers(), ...this.#filtered.readers()];
  }
}

/** A batch as the group gets it, and whether all gzip subscribers join the group by it. */
type GroupBlock = { readonly bytes: BytesByWire; readonly joins: boolean };
