import { setImmediate } from 'node:timers/promises';
import { type Cursor, formatCursor, formatSseComment } from '@ldes-live/rdf-stream';
import type { SharedGroup } from '../wire/shared-group.ts';
import { SharedText } from '../wire/shared-text.ts';
import { chunkedOrNot } from '../wire/wire.ts';
import type { LiveConnections } from './live-connections.ts';
import type { NarrowedConnections } from './narrowed-connections.ts';
import type { PushConnection } from './push-connection.ts';

const TEXT = formatSseComment('');

/** A comment. */
export const COMMENT = new SharedText(TEXT);

/** How late a timer may be, as a part of its interval. */
const LATE_SHARE = 1 / 3;

/**
 * When something must have been written to a connection last for the next tick to be in time, milliseconds.
 *
 * @param tickMs - how far apart ticks are
 */
export function beatSinceMs(nowMs: number, heartbeatMs: number, tickMs: number): number {
  return nowMs - (heartbeatMs - tickMs * (1 + LATE_SHARE));
}

/** What heartbeats work with. */
export interface HeartbeatParts {
  readonly live: LiveConnections;
  readonly narrowed: NarrowedConnections;
  readonly group: SharedGroup;
  /** Visits all that take the whole stream. */
  readonly visit: (act: (connection: PushConnection) => void) => Promise<void>;
  /** Whether a connection is to go on, and has taken all that it was given. */
  readonly isReady: (connection: PushConnection, nowMs: number) => boolean;
  /** Writes to a connection, and counts it. */
  readonly write: (connection: PushConnection, bytes: Buffer, nowMs: number) => void;
  /** The cursor up to which narrowed streams have been looked at; `undefined` where they need not be told. */
  readonly lookedUpTo: () => Cursor | undefined;
  readonly isClosed: () => boolean;
  /** After how many writes others have their turn. */
  readonly slice: number;
}

/** Sends something where nothing was sent for long, to the live connections of a stream. */
export class Heartbeats {
  readonly #parts: HeartbeatParts;
  /** When the last commit was written to all that take the whole stream, milliseconds. */
  #wroteAtMs = Number.NEGATIVE_INFINITY;
  #groupWroteAtMs = 0;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  /** A commit goes to all that take the whole stream, and to the group where it was compressed for that. */
  wrote(nowMs: number, isShared: boolean): void {
    this.#wroteAtMs = nowMs;
    if (isShared) this.#groupWroteAtMs = nowMs;
  }

  /** @param sinceMs - see {@link beatSinceMs} */
  async beat(nowMs: number, sinceMs: number): Promise<void> {
    const { visit, write } = this.#parts;
    await visit((connection) => {
      if (!this.#isDue(connection, nowMs, sinceMs) || connection.isGrouped || this.#wroteAtMs > sinceMs) return;
      write(connection, COMMENT.on(connection.wire), nowMs);
    });
    await this.#beatNarrowed(nowMs, sinceMs);
    await this.#beatGroup(nowMs, sinceMs);
  }

  /** Narrowed streams get the cursor, so that a reader whom nothing concerns can still resume. */
  async #beatNarrowed(nowMs: number, sinceMs: number): Promise<void> {
    const { narrowed, lookedUpTo, write, slice } = this.#parts;
    const cursor = narrowed.size > 0 ? lookedUpTo() : undefined;
    if (!cursor) return;
    const text = new SharedText(`id: ${formatCursor(cursor)}\n\n`);
    let written = 0;
    for (const connection of narrowed.connections()) {
      // Who has come since is past it.
      if (connection.slot < 0 || connection.position > cursor.sequence) continue;
      if (!this.#isDue(connection, nowMs, sinceMs)) continue;
      write(connection, text.on(connection.wire), nowMs);
      written += 1;
      if (written % slice === 0) await setImmediate();
    }
  }

  async #beatGroup(nowMs: number, sinceMs: number): Promise<void> {
    const { live, group, visit, write, isClosed } = this.#parts;
    if (live.grouped === 0 || this.#groupWroteAtMs > sinceMs) return;
    // What one member of the group gets all must get, as later blocks refer to it.
    const block = await group.comment(TEXT).catch(() => undefined);
    if (isClosed()) return;
    if (!block) {
      // Later blocks would refer to it.
      for (const connection of live.connections()) live.part(connection);
      return;
    }
    const on = chunkedOrNot(block);
    this.#groupWroteAtMs = nowMs;
    await visit((connection) => {
      if (connection.isGrouped) write(connection, on(connection.wire), nowMs);
    });
  }

  #isDue(connection: PushConnection, nowMs: number, sinceMs: number): boolean {
    return this.#parts.isReady(connection, nowMs) && connection.wroteAtMs <= sinceMs;
  }
}
