/* The push of one stream: the life of a subscriber, read from top to bottom.
 *   open         header, `retry:` and a first comment, gap or status are written, and it counts           'push opened'
 *   catching up  commits it lacks, in order, at its reader's pace; where that is more than the limit the newest state
 *                ('conflated'); where the log no longer holds it, 'gap'                                'push catching up'
 *   live         in the tick in which it reaches the head it joins the fan-out: one shared write a commit 'push live'
 *   slow         the last write has not left when the next commit comes: it leaves the fan-out with its position, nothing is
 *                queued for it, and it catches up again                                                'push slow'
 *   ending       age or shutdown: the body ends after a whole event; what takes longer than 2 s is cut  'push ending'
 *   closed       counted by reason, and its slot is free                                              'push closed'
 * Nothing waits in memory for a subscriber but what its socket has not taken of one write: the rest is where all can read it. */
import { setImmediate } from 'node:timers/promises';
import { formatCursor, type ReplayFilter, type SourceState } from '@ldes-live/rdf-stream';
import type { StreamUrls } from '../documents/document.ts';
import { LoggedCount, type Logger } from '../logging.ts';
import { PushCounters } from './counters.ts';
import { type EncodedCommit, type EncodedCommits, isGap } from './encoded-commits.ts';
import { COMMENT, commentSinceMs, FanOut, type FanOutOptions, type FanOutOwner } from './fanout.ts';
import type { ReplayMemory } from './replay-memory.ts';
import type { PushRequest } from './request.ts';
import type { SnapshotSource } from './snapshots.ts';
import { Subscriber, type TakenSocket } from './subscriber.ts';
import { conflatedEvent, gapEvent, replayBytes, statusEvent } from './wire.ts';

/** How long a reader may take to see that its stream has ended, milliseconds. */
const END_GRACE_MS = 2000;

/** What is sent at once to a subscriber that takes it, bytes: what most lack who come back after a cut. */
const AT_ONCE_BYTES = 256 * 1024;

interface StreamPushOptions extends FanOutOptions {
  readonly commits: EncodedCommits;
  readonly snapshots: SnapshotSource;
  readonly urls: StreamUrls;
  /** What those who catch up hold, of all streams. */
  readonly replays: ReplayMemory;
  readonly sources?: WatchedSources | undefined;
}

/** How the sources of a stream are. */
export interface WatchedSources {
  /** `undefined` where the stream has no source. */
  sourceState(): SourceState | undefined;
  /** @returns ends the calls */
  onSourceState(listener: () => void): () => void;
}

interface OpenOptions extends TakenSocket, PushRequest, Pick<Subscriber, 'endsAtMs'> {
  /** How long its reader waits before it comes back, milliseconds. */
  readonly retryMs: number;
  readonly onClose: () => void;
}

export class StreamPush implements FanOutOwner {
  readonly counters = new PushCounters();
  readonly #options: StreamPushOptions;
  readonly #open = new Set<Subscriber>();
  readonly #catchingUp = new Set<Subscriber>();
  /** Those that were ended, by when they are cut, milliseconds by that clock. */
  readonly #ending = new Map<Subscriber, number>();
  readonly #fanOut: FanOut;
  readonly #slowCuts = new LoggedCount();
  readonly #unwatch: (() => void) | undefined;
  /** What is said of the sources since they failed first. */
  #status: string | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: StreamPushOptions) {
    this.#options = options;
    this.#fanOut = new FanOut(this, options);
    const { sources } = options;
    this.#status = statusOf(sources);
    this.#unwatch = sources?.onSourceState(() => {
      const before = this.#status;
      this.#status = statusOf(sources);
      // A worker is told of it with its streams, too: then nothing has changed.
      if (this.#status && this.#status !== before) this.#fanOut.sendStatus(this.#status);
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** The subscribers that are open, those longest so first. */
  subscribers(): Subscriber[] {
    return [...this.#open];
  }

  // open

  /** Takes a subscriber on: first what it lacks, at its reader's pace, then every commit as it comes. */
  open({ socket, isChunked, header, encoding, filter, position, retryMs, endsAtMs, onClose }: OpenOptions): Subscriber {
    const { commits, clock, urls, sources } = this.#options;
    this.counters.accepted += 1;
    const number = this.counters.accepted;
    const subscriber = new Subscriber({ socket, encoding, isChunked, filter, endsAtMs, nowMs: clock(), number });
    socket.on('close', () => {
      onClose();
      this.#close(subscriber);
    });
    // What the reader breaks off is no fault of the server.
    socket.on('error', () => {});
    const { head } = commits;
    const { after, isState, gapFrom } = position;
    const gap = gapFrom ? gapEvent(gapFrom, head, urls) : '';
    subscriber.open(header, retryMs, sources?.sourceState()?.kind === 'failing' ? gap + this.#status : gap);
    subscriber.status = this.#status;
    this.#debug?.debug(this.#fields(subscriber), 'push opened');
    if (gapFrom) this.counters.gaps += 1;
    else if (after !== head.sequence) this.counters.replays += 1;
    this.#open.add(subscriber);
    // While there is nobody to push to, commits are not even encoded.
    this.#unsubscribe ??= commits.subscribe(
      (commit) => this.#fanOut.push(commit),
      (error) => this.#fanOut.fail(error),
    );
    subscriber.position = after;
    this.#catchUp(subscriber, isState);
    return subscriber;
  }

  // catching up

  /** @param isState - begin with the newest state of what changed after its position */
  #catchUp(subscriber: Subscriber, isState = false): void {
    // Most lack nothing, and many a little after a cut: none of these costs a promise.
    if (!isState && this.#catchUpAtOnce(subscriber)) this.#goLive(subscriber);
    else this.#whenCaughtUp(subscriber, this.#catchUpSlowly(subscriber, isState));
  }

  #whenCaughtUp(subscriber: Subscriber, caughtUp: Promise<void>): void {
    this.#catchingUp.add(subscriber);
    this.#debug?.debug({ ...this.#fields(subscriber), after: subscriber.position }, 'push catching up');
    caughtUp
      .then(() => this.#goLive(subscriber))
      .catch((error: unknown) => {
        this.#catchingUp.delete(subscriber);
        // Its reader resumes; left open, it would be kept alive by comments and never get an event.
        subscriber.cut('error');
        this.#options.lines.error({ stream: this.#options.stream, err: error }, 'catch-up failed');
      });
  }

  /** Where what it lacks is little and remembered, and its reader takes it. */
  #catchUpAtOnce(subscriber: Subscriber): boolean {
    const { commits } = this.#options;
    const isAtHead = () => subscriber.position >= commits.head.sequence;
    if (!isAtHead() && (commits.bytesAfter(subscriber.position) ?? AT_ONCE_BYTES + 1) > AT_ONCE_BYTES) return false;
    const filter = subscriber.replayFilter();
    while (!isAtHead() && !subscriber.isFull && subscriber.isOpen) {
      const commit = commits.remembered(subscriber.position);
      if (!commit) return false;
      const bytes = this.#replayBytes(commit, subscriber, filter);
      if (bytes) subscriber.socket.write(bytes);
      subscriber.position = commit.last;
    }
    return isAtHead() && !subscriber.isFull;
  }

  /** As its reader takes it; resolves when it is at the head, or closed. */
  async #catchUpSlowly(subscriber: Subscriber, isState: boolean): Promise<void> {
    const { commits, clock, urls, replays } = this.#options;
    let filter = subscriber.replayFilter();
    let conflate = isState;
    while (subscriber.isOpen) {
      await subscriber.drained(clock);
      if (!subscriber.isOpen || (!conflate && subscriber.position >= commits.head.sequence)) return;
      try {
        if (conflate || this.#isFarBehind(subscriber)) {
          await this.#giveSnapshot(subscriber);
          // What moved meanwhile the one before has not seen.
          filter = subscriber.replayFilter();
        } else {
          const read = await commits.read(subscriber.position, replays);
          await replays.holding(read, async () => {
            for (const commit of read) {
              if (!subscriber.isOpen) return;
              await this.#send(commit, subscriber, filter, subscriber.position);
              subscriber.position = commit.last;
            }
          });
        }
      } catch (error) {
        if (!isGap(error)) throw error;
        if (!subscriber.isOpen) return;
        this.counters.gaps += 1;
        const { head } = commits;
        subscriber.writeOwn(gapEvent({ epoch: head.epoch, sequence: subscriber.position }, head, urls));
        subscriber.position = head.sequence;
        filter = subscriber.replayFilter();
      }
      conflate = false;
      // Many may come back at once: between the steps of one of them the others have their turn, and requests.
      await setImmediate();
    }
  }

  /** Whether more waits for it than may wait for one that has been live. */
  #isFarBehind({ wasLive, position }: Subscriber): boolean {
    const bytes = this.#options.commits.bytesAfter(position) ?? Number.POSITIVE_INFINITY;
    return wasLive && bytes > this.#options.settings.limitQueueBytes;
  }

  /** @see specs/push.md PUSH-60 */
  async #giveSnapshot(subscriber: Subscriber): Promise<void> {
    const { commits, snapshots, replays } = this.#options;
    const { position: after } = subscriber;
    const snapshot = await snapshots.after(after);
    if (!subscriber.isOpen) return;
    const { epoch } = commits.head;
    const to = formatCursor({ epoch, sequence: snapshot.to });
    subscriber.writeOwn(conflatedEvent(formatCursor({ epoch, sequence: after }), to));
    if (subscriber.wasLive) this.counters.conflations += 1;
    const filter = subscriber.replayFilter(after === 0);
    let hasId = false;
    const first = snapshot.lasts?.findIndex((last) => last > after) ?? 0;
    for (let index = Math.max(0, first); index < snapshot.length && subscriber.isOpen; index += 1) {
      const part = await snapshot.part(index, replays);
      // A snapshot that others share may begin before this reader's position.
      if (part.last <= after) continue;
      const isSent = await replays.holding([part], () => this.#send(part, subscriber, filter, after));
      hasId = isSent && part.id !== '';
      await setImmediate();
    }
    // The last part may have had nothing for this reader; the cursor is for everyone.
    if (!hasId && subscriber.isOpen) subscriber.writeOwn(`id: ${to}\n\n`);
    subscriber.position = snapshot.to;
  }

  /** Sends what comes after a position, as its reader takes it; whether there was something for it. */
  #send(commit: EncodedCommit, subscriber: Subscriber, filter: ReplayFilter | undefined, after: number) {
    const { clock, replays } = this.#options;
    const make = () => (subscriber.isOpen ? this.#replayBytes(commit, subscriber, filter, after) : undefined);
    return replays.sending(make, (bytes) => subscriber.writeSlowly(bytes, clock));
  }

  #replayBytes(commit: EncodedCommit, { wire }: Subscriber, filter?: ReplayFilter, after?: number): Buffer | undefined {
    const bytes = replayBytes(commit, wire, filter, after);
    this.counters.deliveries += bytes ? 1 : 0;
    this.counters.bytes += bytes?.length ?? 0;
    return bytes;
  }

  // live

  /** In the tick in which it has caught up with the head, so that no commit falls in between. */
  #goLive(subscriber: Subscriber): void {
    this.#catchingUp.delete(subscriber);
    if (!this.#open.has(subscriber)) return;
    if (!subscriber.isOpen) {
      // A reader that has hung up may never take what was written before, and its socket would not close.
      if (subscriber.closeReason === undefined) this.#ending.set(subscriber, this.#options.clock() + END_GRACE_MS);
      return;
    }
    if (subscriber.position < this.#options.commits.head.sequence) {
      this.#catchUp(subscriber);
      return;
    }
    this.#fanOut.add(subscriber);
    this.#debug?.debug(this.#fields(subscriber), 'push live');
    if (subscriber.status !== this.#status && this.#status) {
      subscriber.writeOwn(this.#status);
      subscriber.status = this.#status;
    }
    if (subscriber.filter) this.#learnPositions();
  }

  // Where it fails, more is sent than is needed, until it is tried again.
  #learnPositions(): void {
    const { snapshots, stream, lines } = this.#options;
    const learned = this.#fanOut.learnPositions(snapshots);
    learned.catch((error: unknown) => lines.warn({ stream, err: error }, 'positions failed'));
  }

  // slow

  fallBehind(subscriber: Subscriber, position: number, bytes?: Buffer): void {
    subscriber.position = position;
    subscriber.wasLive = true;
    if (bytes) this.#whenCaughtUp(subscriber, subscriber.writeSlowly(bytes, this.#options.clock));
    else {
      this.#debug?.debug(this.#fields(subscriber), 'push slow');
      this.#catchUp(subscriber);
    }
  }

  // ending

  /** Ends a stream in order, after the commits that there are; its reader comes back by itself. */
  end(subscriber: Subscriber): void {
    if (this.#catchingUp.has(subscriber)) this.endNow(subscriber);
    else this.#fanOut.endLater(subscriber);
  }

  endNow(subscriber: Subscriber): void {
    // It may have left while it waited for its end.
    if (subscriber.closeReason !== undefined || !this.#open.has(subscriber)) return;
    const nowMs = this.#options.clock();
    const reason = nowMs >= subscriber.endsAtMs ? 'age' : 'shutdown';
    subscriber.end(reason);
    this.#debug?.debug({ ...this.#fields(subscriber), reason }, 'push ending');
    this.#fanOut.remove(subscriber);
    this.#ending.set(subscriber, nowMs + END_GRACE_MS);
  }

  // closed

  #close(subscriber: Subscriber): void {
    if (!this.#open.delete(subscriber)) return;
    const reason = subscriber.closeReason ?? 'reader';
    this.counters.closed[reason] += 1;
    const ms = this.#options.clock() - subscriber.openedAtMs;
    this.#debug?.debug({ ...this.#fields(subscriber), reason, ms }, 'push closed');
    this.#catchingUp.delete(subscriber);
    this.#ending.delete(subscriber);
    this.#fanOut.remove(subscriber);
    if (this.#open.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Cuts what is left, and takes no more commits. */
  close(): void {
    this.#unwatch?.();
    this.#unsubscribe?.();
    for (const subscriber of this.#open) subscriber.cut('shutdown');
    this.#fanOut.close();
  }

  /** What is due now: comments where nothing was sent, the ends of those that are old, and of those that take nothing. */
  tick(): void {
    const { clock, commits, settings, logger, stream } = this.#options;
    const { limitQueueBytes, limitStallMs } = settings;
    const nowMs = clock();
    for (const [subscriber, cutAtMs] of this.#ending) if (nowMs >= cutAtMs) subscriber.cut('reader');
    const sinceMs = commentSinceMs(nowMs, settings.heartbeatMs);
    let queueBytes = 0;
    for (const subscriber of this.#catchingUp) {
      const { stalledSinceMs } = subscriber;
      if (stalledSinceMs > 0 && nowMs - stalledSinceMs > limitStallMs) {
        subscriber.cut('slow');
        this.#slowCuts.add();
      } else if (nowMs >= subscriber.endsAtMs) this.endNow(subscriber);
      else {
        // Past the limit the newest state takes the place of what waits.
        const bytes = commits.bytesAfter(subscriber.position) ?? limitQueueBytes;
        if (subscriber.wasLive) queueBytes += Math.min(bytes, limitQueueBytes);
        // What it lacks is long in coming from the log.
        if (subscriber.isIdle && subscriber.wroteAtMs <= sinceMs) {
          this.counters.bytes += subscriber.writeShared(COMMENT, nowMs);
          this.counters.heartbeats += 1;
        }
      }
    }
    const count = this.#slowCuts.take(nowMs);
    if (count > 0) logger.warn({ stream, reason: 'slow', count }, 'subscribers cut');
    this.counters.queueBytes = queueBytes;
    this.counters.live = this.#fanOut.size;
    this.counters.catchingUp = this.#catchingUp.size;
    this.#fanOut.tick();
    this.#learnPositions();
  }

  get #debug(): Logger | undefined {
    const { logger } = this.#options;
    return logger.isLevelEnabled('debug') ? logger : undefined;
  }

  #fields({ number }: Subscriber) {
    return { stream: this.#options.stream, subscriber: number };
  }
}

function statusOf(sources: WatchedSources | undefined): string | undefined {
  const state = sources?.sourceState();
  return state && statusEvent(state);
}
