// Bytes of push streams, made once for many connections. A gzip stream is one header and then deflate blocks that end at
// a byte (RFC 1951), so that connections can be sent the same blocks:
//
//   GZIP_HEADER | storedBlock: to one connection only | deflateBlock: to whoever came since | SharedDeflate.write: to the group
//   httpChunk(block) -> 5\r\n.....\r\n
//
// A connection joins the group at a restart, after which its blocks refer to nothing that it was not sent.

import { constants, deflateRaw, deflateRawSync } from 'node:zlib';

/**
 * What the gzip stream of every connection begins with (RFC 1952 section 2.3), without time and name. The trailer is never
 * written, since the stream ends with the connection.
 */
export const GZIP_HEADER: Buffer = Buffer.of(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff);

/** One chunk of HTTP/1.1's chunked transfer coding; of at least one byte, since an empty chunk would end the response. */
export function httpChunk(bytes: Uint8Array): Buffer {
  const head = `${bytes.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafeSlow(head.length + bytes.length + 2);
  chunk.write(head, 0, 'latin1');
  chunk.set(bytes, head.length);
  chunk.write('\r\n', head.length + bytes.length, 'latin1');
  return chunk;
}

// Of a stored block: the most bytes that it holds, and those of its head.
const STORED_BYTES = 65_535;
const STORED_HEAD_BYTES = 5;

/**
 * Bytes in non-final deflate blocks that are not compressed: for what is said to one connection only. They fit wherever a
 * block can begin at a byte: after a gzip header, a stored block or a sync flush.
 */
export function storedBlock(bytes: Uint8Array): Buffer {
  const count = Math.max(1, Math.ceil(bytes.length / STORED_BYTES));
  const blocks = Buffer.allocUnsafeSlow(bytes.length + count * STORED_HEAD_BYTES);
  for (let index = 0; index < count; index++) {
    const part = bytes.subarray(index * STORED_BYTES, (index + 1) * STORED_BYTES);
    const start = index * (STORED_BYTES + STORED_HEAD_BYTES);
    blocks[start] = 0;
    blocks.writeUInt16LE(part.length, start + 1);
    blocks.writeUInt16LE(~part.length & 0xffff, start + 3);
    blocks.set(part, start + STORED_HEAD_BYTES);
  }
  return blocks;
}

/** How much work compression may be, by zlib's `level`: 1 (fast) to 9 (small). */
export interface DeflateOptions {
  readonly level?: number | undefined;
}

/**
 * Compresses bytes into deflate blocks that refer to nothing before them and end at a byte (`Z_SYNC_FLUSH`), so that they
 * can follow whatever a connection was sent, and are read to their end when they arrive. Of level 6 unless given: more
 * gains little without what came before.
 *
 * @throws `RangeError` - a level that zlib does not know
 * @see specs/push.md PUSH-15
 */
export function deflateBlock(bytes: Uint8Array, { level = 6 }: DeflateOptions = {}): Buffer {
  return exactBuffer(deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH }));
}

// How far back deflate can refer.
const WINDOW_BYTES = 32 * 1024;

/**
 * One compression for many connections: each block refers back to those before it since the last restart. Connections
 * share it that have been sent all of these and nothing else in between. Of level 9 unless given: it is paid once for all.
 */
// What was written is the dictionary of what comes next, which for raw deflate amounts to going on: the blocks are as
// small as those of one stream, no state of zlib outlives a call, and compressing is work of the thread pool.
export class SharedDeflate {
  readonly #level: number;
  #window: Uint8Array = new Uint8Array(0);
  #last: Promise<unknown> = Promise.resolve();

  constructor({ level = 9 }: DeflateOptions = {}) {
    this.#level = level;
  }

  /**
   * The next blocks; with `restart` they refer to nothing before them. Promises resolve in the order of the calls, until
   * when `bytes` must not change; they reject as {@link deflateBlock} throws.
   */
  write(bytes: Uint8Array, restart: boolean): Promise<Buffer> {
    if (restart) this.close();
    const block = compress(bytes, this.#level, this.#window);
    const latest = bytes.subarray(-WINDOW_BYTES);
    const kept = this.#window.subarray(Math.max(0, this.#window.length + latest.length - WINDOW_BYTES));
    this.#window = Buffer.concat([kept, latest]);
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

// Copies bytes into a buffer that holds them and no more. What zlib returns lies in memory of 16 KiB and more, which a
// block that is remembered would keep.
function exactBuffer(bytes: Uint8Array): Buffer {
  const exact = Buffer.allocUnsafeSlow(bytes.length);
  exact.set(bytes);
  return exact;
}
