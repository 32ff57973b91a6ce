import type { Writable } from 'node:stream';
import { type Filter, formatSseComment, formatSseRetry } from '@ldes-live/rdf-stream';
import type { CloseReason } from '../push-tally.ts';
import { LAST_CHUNK, onWire, opening, type PushEncoding, type Wire, wireOf } from '../wire/wire.ts';

const NOTHING = Buffer.alloc(0);

/** What is written at a time to a reader that is behind, bytes: each time shows that it still reads. */
const STRIDE_BYTES = 64 * 1024;

/** What a connection is made of. */
export interface PushConnectionParts {
  /** The socket of HTTP/1.1, or the stream of HTTP/2, past the header of the response. */
  readonly line: Writable;
  readonly encoding: PushEncoding;
  /** Whether the line takes chunks of HTTP/1.1. */
  readonly isChunked: boolean;
  /** Absent for the whole stream. */
  readonly filter: Filter | undefined;
  /** When it is to end, milliseconds. */
  readonly endsAtMs: number;
  readonly nowMs: number;
}

/**
 * One push connection: fields only, and no promise, timer or listener as long as its reader keeps up.
 */
export class PushConnection {
  readonly line: Writable;
  readonly wire: Wire;
  readonly filter: Filter | undefined;
  readonly endsAtMs: number;
  /** While it is behind: sequence number of the last member that it was given. While it is live: where it joined. */
  position = 0;
  /** Its index among the live connections; -1 while it is not one of them. */
  slot = -1;
  /** Whether it takes the shared compression of its group. */
  isGrouped = false;
  /** Whether it has been live: what it lacks since then may be conflated. */
  wasLive = false;
  /** When something was last written to it alone, milliseconds. */
  wroteAtMs: number;
  /** Since when it has taken nothing, milliseconds; 0 while it does. */
  stalledSinceMs = 0;
  /** Why it is being closed; absent while it is not. */
  closing: CloseReason | undefined;
  /** Whether bytes are being written as they are taken, of which some are not written yet. */
  #isPartway = false;

  constructor({ line, encoding, isChunked, filter, endsAtMs, nowMs }: PushConnectionParts) {
    this.line = line;
    this.wire = wireOf(encoding, isChunked);
    this.filter = filter;
    this.endsAtMs = endsAtMs;
    this.wroteAtMs = nowMs;
  }

  /** Whether it can still be written to. */
  get isOpen(): boolean {
    return this.closing === undefined && this.line.writable;
  }

  /** Whether bytes wait that the system has not taken yet. */
  get isFull(): boolean {
    return this.line.writableLength > 0;
  }

  /** Whether nothing is being written to it, and nothing waits to be taken. */
  get isIdle(): boolean {
    return this.isOpen && !this.isFull && !this.#isPartway;
  }

  /**
   * Writes what begins the response.
   *
   * @param header - what goes before the body
   * @param retryMs - a wait of its own, so that those cut together do not come back together
   * @param gapEvent - absent where nothing is lacking
   * @see specs/push.md PUSH-7, PUSH-8, PUSH-10
   */
  open(header: Buffer, retryMs: number, gapEvent = formatSseComment('')): void {
    const own = onWire(Buffer.from(formatSseRetry(retryMs) + gapEvent), this.wire, false);
    this.line.write(Buffer.concat([header, opening(this.wire), own]));
  }

  /** Writes text that no other connection gets. */
  writeOwn(text: string): void {
    this.line.write(onWire(Buffer.from(text), this.wire, false));
  }

  /** Writes shared bytes to a reader that may be slow, as it takes them. Resolves when the system has them, or it is closed. */
  async writeSlowly(bytes: Buffer, nowMs: () => number): Promise<void> {
    this.#isPartway = true;
    for (let start = 0; start < bytes.length && this.line.writable; start += STRIDE_BYTES) {
      this.line.write(bytes.subarray(start, start + STRIDE_BYTES));
      this.wroteAtMs = nowMs();
      if (this.isFull) await this.drained(nowMs);
    }
    this.#isPartway = false;
    if (this.closing !== undefined) this.#finish();
  }

  /** Resolves when what was written has left, or the connection is closed. */
  async drained(nowMs: () => number): Promise<void> {
    if (!this.isFull || this.line.destroyed) return;
    this.stalledSinceMs = nowMs();
    // Told after all that was written before it, or of the end.
    await new Promise<void>((resolve) => {
      this.line.write(NOTHING, () => resolve());
    });
    this.stalledSinceMs = 0;
  }

  /** Ends the response in order, after the event that is being written. */
  end(reason: CloseReason): void {
    if (this.closing !== undefined) return;
    this.closing = reason;
    // What ends a response would be taken for a part of the event.
    if (!this.#isPartway) this.#finish();
  }

  /** Cuts the connection: its reader resumes after the last event that it has read whole. */
  cut(reason: CloseReason): void {
    this.closing ??= reason;
    this.line.destroy();
  }

  #finish(): void {
    if (!this.line.writable) return;
    if (this.wire.chunked) this.line.end(LAST_CHUNK);
    else this.line.end();
  }
}
