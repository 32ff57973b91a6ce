import type { PushSettings } from '../../options.ts';
import type { PacketSource } from '../packets/packet-source.ts';
import { type CloseReason, PushTally } from '../push-tally.ts';
import { CatchUp } from './catch-up.ts';
import { beatSinceMs, COMMENT } from './heartbeats.ts';
import { Pump } from './pump.ts';
import type { PushConnection } from './push-connection.ts';

/** How long a reader may take to see that its stream has ended, milliseconds. */
const END_GRACE_MS = 2000;

/** What a broadcast needs of the world. */
export interface BroadcastEdge {
  /** Milliseconds from any beginning, never going back. */
  readonly clock: () => number;
  /** Told of faults of this side that end a connection. */
  readonly onError: (error: unknown) => void;
}

/** From where a connection goes on. */
export interface Start {
  /** Sequence number of the last member that the reader has; 0 for the whole state first. */
  readonly after: number;
  /** Whether it begins with the newest state of what changed after that. */
  readonly isState: boolean;
}

/**
 * The push of one stream: its connections, those that get commits as they come and those that are behind.
 *
 * @see specs/push.md PUSH-3
 */
export class Broadcast {
  readonly tally = new PushTally();
  readonly #source: PacketSource;
  readonly #settings: PushSettings;
  readonly #edge: BroadcastEdge;
  readonly #open = new Set<PushConnection>();
  readonly #behind = new Set<PushConnection>();
  /** Those that were ended, by when they are cut, milliseconds by that clock. */
  readonly #ending = new Map<PushConnection, number>();
  readonly #pump: Pump;
  readonly #catchUp: CatchUp;
  #unsubscribe: (() => void) | undefined;

  /** @param gapEvent - the event that says that what follows a position is no longer held, and where to read on */
  constructor(source: PacketSource, settings: PushSettings, edge: BroadcastEdge, gapEvent: (after: number) => string) {
    this.#source = source;
    this.#settings = settings;
    this.#edge = edge;
    this.#pump = new Pump({
      tally: this.tally,
      settings,
      clock: edge.clock,
      fallBehind: (connection, position) => this.#fallBehind(connection, position),
      writeSlowly: (connection, bytes, position) => this.#writeSlowly(connection, bytes, position),
      end: (connection) => this.#end(connection, edge.clock() >= connection.endsAtMs ? 'age' : 'shutdown'),
      onError: edge.onError,
      head: () => source.head,
    });
    this.#catchUp = new CatchUp({ source, settings, tally: this.tally, clock: edge.clock, gapEvent });
  }

  /** How many connections are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Takes a connection on: first what it lacks, at its reader's pace, then every commit as it comes. */
  join(connection: PushConnection, start: Start): void {
    this.#open.add(connection);
    // While there is nobody to push to, commits are not even encoded.
    this.#unsubscribe ??= this.#source.subscribe(
      (packet) => this.#pump.push(packet),
      (error) => this.#pump.fail(error),
    );
    this.tally.accepted += 1;
    connection.position = start.after;
    this.#bringUp(connection, start.isState);
  }

  /** Forgets a connection whose line has closed. */
  leave(connection: PushConnection): void {
    if (!this.#open.delete(connection)) return;
    this.tally.closed[connection.closing ?? 'reader'] += 1;
    this.#behind.delete(connection);
    this.#ending.delete(connection);
    this.#pump.remove(connection);
    if (this.#open.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /**
   * What is due now: comments where nothing was sent, the ends of those that are old, and of those that take nothing.
   *
   * @param tickMs - when it is called again at the latest, milliseconds
   */
  tick(tickMs: number): void {
    const nowMs = this.#edge.clock();
    for (const [connection, cutAtMs] of this.#ending) if (nowMs >= cutAtMs) connection.cut('reader');
    const sinceMs = beatSinceMs(nowMs, this.#settings.heartbeatMs, tickMs);
    let queueBytes = 0;
    for (const connection of this.#behind) {
      const { stalledSinceMs } = connection;
      if (stalledSinceMs > 0 && nowMs - stalledSinceMs > this.#settings.limitStallMs) connection.cut('slow');
      else if (nowMs >= connection.endsAtMs) this.#end(connection, 'age');
      else {
        if (connection.wasLive) queueBytes += this.#waitingBytes(connection);
        // What it lacks is long in coming from the log.
        if (connection.isIdle && connection.wroteAtMs <= sinceMs) this.#comment(connection, nowMs);
      }
    }
    this.tally.queueBytes = queueBytes;
    this.tally.live = this.#pump.size;
    this.tally.behind = this.#behind.size;
    this.#pump.beat(tickMs);
    this.#learnPositions();
  }

  /** Ends a stream in order, after the commits that there are; its reader comes back by itself. */
  end(connection: PushConnection): void {
    if (this.#behind.has(connection)) this.#end(connection, 'shutdown');
    else this.#pump.endLater(connection);
  }

  /** The connections that are open, those longest so first. */
  connections(): PushConnection[] {
    return [...this.#open];
  }

  /** Cuts what is left, and takes no more commits. */
  close(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    for (const connection of this.#open) connection.cut('shutdown');
    this.#pump.close();
  }

  // Past the limit the newest state takes the place of what waits.
  #waitingBytes({ position }: PushConnection): number {
    const { limitQueueBytes } = this.#settings;
    return Math.min(this.#source.bytesAfter(position) ?? limitQueueBytes, limitQueueBytes);
  }

  // Where it fails, more is sent than need be, until it is tried again.
  #learnPositions(): void {
    this.#pump.learnPositions(this.#source).catch(this.#edge.onError);
  }

  #comment(connection: PushConnection, nowMs: number): void {
    const bytes = COMMENT.on(connection.wire);
    connection.line.write(bytes);
    connection.wroteAtMs = nowMs;
    this.tally.heartbeats += 1;
    this.tally.bytes += bytes.length;
  }

  #end(connection: PushConnection, reason: CloseReason): void {
    // It may have left while it waited for its end.
    if (connection.closing !== undefined || !this.#open.has(connection)) return;
    connection.end(reason);
    this.#pump.remove(connection);
    this.#ending.set(connection, this.#edge.clock() + END_GRACE_MS);
  }

  #fallBehind(connection: PushConnection, position: number): void {
    connection.position = position;
    connection.wasLive = true;
    this.#bringUp(connection, false);
  }

  #writeSlowly(connection: PushConnection, bytes: Buffer, position: number): void {
    connection.position = position;
    connection.wasLive = true;
    this.#behind.add(connection);
    const written = connection.writeSlowly(bytes, this.#edge.clock);
    void written.then(() => this.#bringUp(connection, false)).catch((error: unknown) => this.#fail(connection, error));
  }

  #bringUp(connection: PushConnection, isState: boolean): void {
    const done = this.#catchUp.run(connection, isState);
    // Most have nothing to catch up with, and none of these costs a promise.
    if (!done) {
      this.#goLive(connection);
      return;
    }
    this.#behind.add(connection);
    void done.then(() => this.#goLive(connection)).catch((error: unknown) => this.#fail(connection, error));
  }

  /** In the tick in which it has caught up with the head, so that no commit falls in between. */
  #goLive(connection: PushConnection): void {
    this.#behind.delete(connection);
    if (!this.#open.has(connection)) return;
    if (!connection.isOpen) {
      // A reader that has hung up may never take what was written before, and its line would not close.
      if (connection.closing === undefined) this.#ending.set(connection, this.#edge.clock() + END_GRACE_MS);
      return;
    }
    if (connection.position < this.#source.head.sequence) {
      this.#bringUp(connection, false);
      return;
    }
    this.#pump.add(connection);
    if (connection.filter) this.#learnPositions();
  }

  #fail(connection: PushConnection, error: unknown): void {
    this.#behind.delete(connection);
    // Its reader resumes; left open, it would be kept alive by comments and never get an event.
    connection.cut('error');
    this.#edge.onError(error);
  }
}
