/* Who may post, how many at a time, and what was answered before: all that is kept of posts beside the log.
 *
 *   Authorization: Bearer TOKEN  -> judgeToken       SHA-256 of it against the hashes of the stream: 0, its index
 *   turn                         -> Semaphore        limitPosts at a time, limitWaitingPosts in a queue
 *   Idempotency-Key: "k-1"       -> IdempotencyKeys  { '0 k-1' -> { bodyHash, answer } }: so many, for so long, in memory */

import { createHash, timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { IngestLimits, IngestOptions } from '../options.ts';

const HASH = /^[0-9a-f]{64}$/i;

// As RFC 6750 writes them. Long ones are not hashed.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
const LIMIT_TOKEN_CHARACTERS = 4096;

/** What a configuration holds of a token: its SHA-256, in hexadecimal digits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * The hashes of a stream's tokens as bytes.
 *
 * @throws {@link StreamError} `ERR_TOKEN_HASH` - there is none, or one is not 64 hexadecimal digits
 * @see specs/ingest.md ING-2
 */
export function readTokenHashes(stream: string, { tokenHashes }: IngestOptions): Buffer[] {
  if (tokenHashes.length === 0) throw errors.ERR_TOKEN_HASH({ stream, problem: 'there is none' });
  return tokenHashes.map((hash, index) => {
    if (!HASH.test(hash)) throw errors.ERR_TOKEN_HASH({ stream, problem: `the one at ${index} is not` });
    return Buffer.from(hash, 'hex');
  });
}

/** Hashes of the tokens of streams, by the names of these. */
export type StreamTokens = ReadonlyMap<string, readonly Buffer[]>;

/**
 * Judges the `Authorization` field of a post. All hashes are compared, each in the same time.
 *
 * @param tokens - of all streams
 * @returns which of the stream's own it is
 * @throws {@link StreamError} `ERR_TOKEN_MISSING`, `ERR_TOKEN_UNKNOWN`, `ERR_TOKEN_STREAM`
 * @see specs/ingest.md ING-1, ING-2
 * @see https://www.rfc-editor.org/rfc/rfc6750
 */
export function judgeToken(authorization: string | undefined, stream: string, tokens: StreamTokens): number {
  const token = BEARER.exec(authorization ?? '')?.[1];
  if (token === undefined) throw errors.ERR_TOKEN_MISSING({ stream });
  if (token.length > LIMIT_TOKEN_CHARACTERS) throw errors.ERR_TOKEN_UNKNOWN({ stream });
  const hash = createHash('sha256').update(token).digest();
  let own = -1;
  let isOfOther = false;
  for (const [name, hashes] of tokens) {
    for (const [index, candidate] of hashes.entries()) {
      if (!timingSafeEqual(hash, candidate)) continue;
      if (name === stream) own = index;
      else isOfOther = true;
    }
  }
  if (own >= 0) return own;
  throw isOfOther ? errors.ERR_TOKEN_STREAM({ stream }) : errors.ERR_TOKEN_UNKNOWN({ stream });
}

/** The `WWW-Authenticate` field for an error of {@link judgeToken}. @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export function challengeOf({ code }: StreamError, realm: string): string | undefined {
  if (code === 'ERR_TOKEN_MISSING') return `Bearer realm="${realm}"`;
  if (code === 'ERR_TOKEN_UNKNOWN') return `Bearer realm="${realm}", error="invalid_token"`;
  return code === 'ERR_TOKEN_STREAM' ? `Bearer realm="${realm}", error="insufficient_scope"` : undefined;
}

/** How soon one that is refused may come again, seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Lets so many posts be read at a time, the others in the order in which they came. */
export class Semaphore {
  readonly #limits: Pick<IngestLimits, 'limitPosts' | 'limitWaitingPosts'>;
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  constructor(limits: Pick<IngestLimits, 'limitPosts' | 'limitWaitingPosts'>) {
    this.#limits = limits;
  }

  get reading(): number {
    return this.#reading;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Resolves when it is its turn.
   *
   * @param signal - gives the wait up, with its reason
   * @returns ends the turn; to be called once
   * @throws {@link StreamError} `ERR_POSTS_WAITING` - too many wait already
   * @see specs/ingest.md ING-42
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    const { limitPosts, limitWaitingPosts } = this.#limits;
    if (this.#reading >= limitPosts) {
      if (this.#waiting.length >= limitWaitingPosts) {
        throw errors.ERR_POSTS_WAITING({ limitWaitingPosts, retryAfterSeconds: RETRY_AFTER_SECONDS });
      }
      // Whose turn ends hands it on: nobody who comes in between goes first.
      await this.#wait(signal);
    } else this.#reading += 1;
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading -= 1;
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(begin);
      signal.addEventListener('abort', leave);
    });
  }
}

/** For how long the reading of posts holds the process before others get their turn, milliseconds. */
const SLICE_MS = 5;

/**
 * Long work of posts in slices: one of them in a turn of the event loop, however many posts there are.
 *
 * @see specs/ingest.md ING-61
 */
export class WorkTurns {
  readonly #clock: () => number;
  #sinceMs = 0;
  #last: Promise<void> = Promise.resolve();

  /** @param clock - milliseconds, of any beginning */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** To be called between the steps of long work. Where it gives a promise, others get their turn until it resolves. */
  pause(): Promise<void> | undefined {
    if (this.#clock() - this.#sinceMs < SLICE_MS) return undefined;
    this.#last = this.#last.then(async () => {
      await setImmediate();
      this.#sinceMs = this.#clock();
    });
    return this.#last;
  }
}

/** What a post was answered, for those who ask again. */
export interface RememberedAnswer<Answer> {
  /** Hash of the body and its type. */
  readonly bodyHash: string;
  readonly answer: Answer;
}

interface KeyEntry<Answer> {
  readonly atMs: number;
  /** Absent while the post is being taken. */
  readonly remembered?: RememberedAnswer<Answer> | undefined;
}

/**
 * The values of `Idempotency-Key` that posts came with, and what these were answered.
 *
 * @see specs/ingest.md ING-23, ING-24
 */
export class IdempotencyKeys<Answer> {
  readonly #limits: Pick<IngestLimits, 'limitKeys' | 'limitKeyAgeMs'>;
  readonly #clock: () => number;
  // In the order in which they came.
  readonly #entries = new Map<string, KeyEntry<Answer>>();

  constructor(limits: Pick<IngestLimits, 'limitKeys' | 'limitKeyAgeMs'>, clock: () => number) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Takes a key for a post, unless a post with it was answered.
   *
   * @param token - which of the tokens it came with
   * @returns what was answered; `undefined` where the post is to be taken
   * @throws {@link StreamError} `ERR_POST_KEY_BUSY` - a post with it is being taken
   */
  begin(token: number, key: string): RememberedAnswer<Answer> | undefined {
    this.#forget();
    const entry = this.#entries.get(`${token} ${key}`);
    if (!entry) {
      this.#entries.set(`${token} ${key}`, { atMs: this.#clock() });
      return undefined;
    }
    if (!entry.remembered) throw errors.ERR_POST_KEY_BUSY({ key, retryAfterSeconds: RETRY_AFTER_SECONDS });
    return entry.remembered;
  }

  /** Remembers what a post was answered that began; without an answer the key is free again. */
  settle(token: number, key: string, remembered: RememberedAnswer<Answer> | undefined): void {
    this.#entries.delete(`${token} ${key}`);
    if (remembered) this.#entries.set(`${token} ${key}`, { atMs: this.#clock(), remembered });
    this.#forget();
  }

  #forget(): void {
    const { limitKeys, limitKeyAgeMs } = this.#limits;
    const sinceMs = this.#clock() - limitKeyAgeMs;
    for (const [name, { atMs, remembered }] of this.#entries) {
      if (this.#entries.size <= limitKeys && atMs > sinceMs) break;
      // One that is being taken ends by itself.
      if (remembered) this.#entries.delete(name);
    }
  }
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads an `Idempotency-Key` field, with or without quotes.
 *
 * @throws {@link StreamError} `ERR_POST_KEY` - it is not one
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function readIdempotencyKey(field: string | readonly string[] | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (typeof field !== 'string') throw errors.ERR_POST_KEY({ problem: 'is there several times' });
  const key = /^"(.*)"$/.exec(field)?.[1] ?? field;
  if (!KEY.test(key)) throw errors.ERR_POST_KEY({ problem: 'is no key' });
  return key;
}
