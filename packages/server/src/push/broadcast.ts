import { setImmediate } from 'node:timers/promises';
import { formatSseComment } from '@ldes-live/codec';
import type { StreamLog } from '@ldes-live/log';
import { type Cursor, isStreamError } from '@ldes-live/rdf-stream';
import type { Frame, FrameCache } from './frame-cache.ts';
import type { PushConnection } from './push-connection.ts';
import { replay } from './replay.ts';
import { SharedReads } from './shared-reads.ts';

// What waits for a reader that still reads has left long before.
const END_GRACE_MS = 2000;

/** Writes the event that says that what follows a cursor is no longer held, and where the stream goes on. */
export type GapEvent = (from: Cursor, to: Cursor) => string;

const HEARTBEAT = Buffer.from(formatSseComment(''));

/**
 * Brings the commits of one stream to its push connections: each commit is encoded once, and every
 * connection gets the same bytes.
 *
 * @see specs/push.md PUSH-3
 */
export class Broadcast {
  readonly #log: StreamLog;
  readonly #reads: SharedReads;
  readonly #frames: FrameCache;
  readonly #live = new Set<PushConnection>();
  readonly #open = new Set<PushConnection>();
  readonly #unsubscribe: () => void;

  constructor(log: StreamLog, frames: FrameCache) {
    this.#log = log;
    this.#reads = new SharedReads(log);
    this.#frames = frames;
    this.#unsubscribe = log.subscribe((commit) => {
      if (this.#live.size === 0) return;
      this.#send(frames.frameOf(commit).bytes);
    });
  }

  /** How many connections are open. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Takes a connection on: first what it lacks, at its reader's pace, then every commit as it comes.
   * Resolves when it has caught up, or is closed.
   *
   * @param after - sequence number of the last member the reader has
   * @param gap - the event for a reader that has come to where retention erased what it lacks: the stream goes on from
   * the head
   * @see specs/documents.md DOC-30
   */
  async join(connection: PushConnection, after: number, gap: GapEvent): Promise<void> {
    this.#open.add(connection);
    let position = after;
    // The head is asked for in the tick in which the connection goes live, so that no commit falls in between.
    while (position < this.#log.head.cursor.sequence) {
      position = await this.#catchUp(connection, position, gap);
      if (!connection.isOpen) return;
    }
    this.#live.add(connection);
  }

  /** Gives a connection what follows a position, for as long as that has to be read; where it stands then. */
  async #catchUp(connection: PushConnection, after: number, gap: GapEvent): Promise<number> {
    const kept = this.#frames.startingAt(after + 1);
    if (kept) return await this.#give(connection, kept);
    let position = after;
    try {
      for await (const commit of replay(this.#log, this.#reads, after)) {
        if (!connection.isOpen) return position;
        position = await this.#give(connection, this.#frames.frameOf(commit));
        // Others have read from here on.
        if (this.#frames.startingAt(position + 1)) return position;
      }
      return position;
    } catch (error) {
      if (!isStreamError(error, 'ERR_MEMBERS_REMOVED')) throw error;
      const head = this.#log.head.cursor;
      connection.write(Buffer.from(gap({ epoch: head.epoch, sequence: position }, head)));
      return head.sequence;
    }
  }

  async #give(connection: PushConnection, frame: Frame): Promise<number> {
    connection.write(frame.bytes);
    await connection.drained();
    // Many may come back at once: between two commits of one of them the others have their turn, and requests.
    await setImmediate();
    return frame.last;
  }

  /** Forgets a connection that was closed. */
  leave(connection: PushConnection): void {
    this.#open.delete(connection);
    this.#live.delete(connection);
  }

  /** Sends a comment to every connection, so that intermediaries and readers know that the line is open. */
  heartbeat(): void {
    for (const connection of this.#open) connection.write(HEARTBEAT);
  }

  /** Ends all connections in order and takes no more commits. */
  close(): void {
    this.#unsubscribe();
    for (const connection of this.#open) connection.end(END_GRACE_MS);
    this.#open.clear();
    this.#live.clear();
  }

  #send(bytes: Uint8Array): void {
    for (const connection of this.#live) connection.write(bytes);
  }
}
