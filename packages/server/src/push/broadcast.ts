import { setImmediate } from 'node:timers/promises';
import { formatSseComment } from '@ldes-live/codec';
import type { StreamLog } from '@ldes-live/log';
import type { FrameCache } from './frame-cache.ts';
import type { PushConnection } from './push-connection.ts';
import { replay } from './replay.ts';

// What waits for a reader that still reads has left long before.
const END_GRACE_MS = 2000;

const HEARTBEAT = Buffer.from(formatSseComment(''));

/**
 * Brings the commits of one stream to its push connections: each commit is encoded once, and every
 * connection gets the same bytes.
 *
 * @see specs/push.md PUSH-3
 */
export class Broadcast {
  readonly #log: StreamLog;
  readonly #frames: FrameCache;
  readonly #live = new Set<PushConnection>();
  readonly #open = new Set<PushConnection>();
  readonly #unsubscribe: () => void;

  constructor(log: StreamLog, frames: FrameCache) {
    this.#log = log;
    this.#frames = frames;
    this.#unsubscribe = log.subscribe((commit) => {
      if (this.#live.size === 0) return;
      this.#send(frames.frameOf(commit));
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
   */
  async join(connection: PushConnection, after: number): Promise<void> {
    this.#open.add(connection);
    let position = after;
    // A commit may fall between the replay's end and its being noticed here, so the head is asked once
    // more in the tick in which the connection goes live.
    do {
      for await (const commit of replay(this.#log, position)) {
        if (!connection.isOpen) return;
        connection.write(this.#frames.frameOf(commit));
        await connection.drained();
        position = commit.cursor.sequence;
        // Many may come back at once: between two commits of one of them the others have their turn, and requests.
        await setImmediate();
      }
    } while (position < this.#log.head.cursor.sequence);
    if (connection.isOpen) this.#live.add(connection);
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
