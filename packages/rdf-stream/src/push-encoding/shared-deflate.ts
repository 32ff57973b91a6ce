import { constants, deflateRaw } from 'node:zlib';
import type { DeflateOptions } from './deflate-block.ts';
import { exactBuffer } from './exact-buffer.ts';

/** How far back deflate can refer, bytes. */
const WINDOW_BYTES = 32 * 1024;

/**
 * One compression for many connections: each block refers back to those before it since the last restart. Connections
 * share it that have been sent all of these and nothing else in between; a connection joins at a restart.
 *
 * What was written is the dictionary of what comes next, which for raw deflate amounts to going on: the blocks are as
 * small as those of one stream, no state of zlib outlives a call, and compressing is work of the thread pool.
 *
 * @see RFC 1951 section 2
 * @see specs/push.md PUSH-16
 */
export class SharedDeflate {
  readonly #level: number;
  #window: Uint8Array = new Uint8Array(0);
  #last: Promise<unknown> = Promise.resolve();

  /** @param options.level - 9 unless given, since it is paid once for everybody */
  constructor({ level = 9 }: DeflateOptions = {}) {
    this.#level = level;
  }

  /**
   * Compresses the next bytes. Promises resolve in the order of the calls.
   *
   * @param bytes - must not change until the promise has resolved
   * @param restart - whether the block is to refer to nothing before it
   * @returns blocks that end at a byte, see {@link deflateBlock}
   */
  write(bytes: Uint8Array, restart: boolean): Promise<Buffer> {
    if (restart) this.close();
    const block = compress(bytes, this.#level, this.#window);
    this.#window = windowAfter(this.#window, bytes);
    const inOrder = Promise.all([block, this.#last]).then(([done]) => done);
    this.#last = inOrder.catch(() => undefined);
    return inOrder;
  }

  /** Forgets what was written: what comes next refers to nothing before it. */
  close(): void {
    this.#window = new Uint8Array(0);
  }
}

function compress(bytes: Uint8Array, level: number, dictionary: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    deflateRaw(bytes, { level, dictionary, finishFlush: constants.Z_SYNC_FLUSH }, (error, block) => {
      if (error) reject(error);
      else resolve(exactBuffer(block));
    });
  });
}

function windowAfter(window: Uint8Array, bytes: Uint8Array): Uint8Array {
  const latest = bytes.subarray(-WINDOW_BYTES);
  const kept = window.subarray(Math.max(0, window.length + latest.length - WINDOW_BYTES));
  const joined = new Uint8Array(kept.length + latest.length);
  joined.set(kept);
  joined.set(latest, kept.length);
  return joined;
}
