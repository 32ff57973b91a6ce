/* Who may post, how many at a time, and what was answered before: all that is kept of posts beside the log.
 *
 *   Authorization: Bearer TOKEN  -> judgeToken       SHA-256 of it against the hashes of the stream: 0, its index
 *   turn                         -> Semaphore        limitPosts at a time, limitWaitingPosts in a queue
 *   Idempotency-Key: "k-1"       -> IdempotencyKeys  { '0 k-1' -> { hash, answer } }: so many, for so long, in memory */

import { createHash, timingSafeEqual } from 'node:crypto';
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

/** The hashes of a stream's tokens as bytes. @throws {@link StreamError} `ERR_TOKEN_HASH` */
export function readTokenHashes(stream: string, { tokenHashes }: Pick<IngestOptions, 'tokenHashes'>): Buffer[] {
  // Plain JavaScript gives what it likes.
  if (!Array.isArray(tokenHashes) || tokenHashes.length === 0) {
    throw errors.ERR_TOKEN_HASH({ stream, problem: 'the list is empty' });
  }
  return tokenHashes.map((hash: unknown, index) => {
    if (typeof hash !== 'string' || !HASH.test(hash))
      throw errors.ERR_TOKEN_HASH({ stream, problem: `number ${index + 1} is not a SHA-256` });
    return Buffer.from(hash, 'hex');
  });
}

/** Hashes of the tokens of streams, by the names of these. */
export type StreamTokens = ReadonlyMap<string, readonly Buffer[]>;

/**
 * Judges the `Authorization` field of a post. All hashes are compared, each in the same time.
 *
 * @returns the hash of the token
 * @throws {@link StreamError} `ERR_TOKEN_MISSING`, `ERR_TOKEN_UNKNOWN`, `ERR_TOKEN_STREAM`
 * @see specs/ingest.md ING-1, ING-2
 * @see https://www.rfc-editor.org/rfc/rfc6750
 */
export function judgeToken(authorization: string | undefined, stream: string, tokens: StreamTokens): string {
  const token = BEARER.exec(authorization ?? '')?.[1];
  if (token === undefined) throw errors.ERR_TOKEN_MISSING({ stream });
  if (token.length > LIMIT_TOKEN_CHARACTERS) throw errors.ERR_TOKEN_UNKNOWN({ stream });
  const hash = createHash('sha256').update(token).digest();
  const streams = new Set<string>();
  for (const [name, hashes] of tokens) {
    for (const candidate of hashes) if (timingSafeEqual(hash, candidate)) streams.add(name);
  }
  if (streams.has(stream)) return hash.toString('hex');
  throw streams.size > 0 ? errors.ERR_TOKEN_STREAM({ stream }) : errors.ERR_TOKEN_UNKNOWN({ stream });
}

const CHALLENGES: Readonly<Record<string, string>> = {
  ERR_TOKEN_MISSING: '',
  ERR_TOKEN_UNKNOWN: ', error="invalid_token"',
  ERR_TOKEN_STREAM: ', error="insufficient_scope"',
};

/** The `WWW-Authenticate` field for an error of {@link judgeToken}. @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export function challengeOf({ code }: StreamError, realm: string): string | undefined {
  const challenge = CHALLENGES[code];
  return challenge === undefined ? undefined : `Bearer realm="${realm}"${challenge}`;
}

/** How soon one that is refused may come again, seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Lets so many posts be read at a time, the others in the order in which they came. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #limits: IngestLimits;
  #reading = 0;

  constructor(limits: IngestLimits) {
    this.#limits = limits;
  }

  set limits(limits: IngestLimits) {
    this.#limits = limits;
    this.#admit();
  }

  get counts() {
    return { reading: this.#reading, waiting: this.#waiting.length };
  }

  /**
   * Resolves when it is its turn, with what ends that turn: to be called once.
   *
   * @param signal - gives the wait up, with its reason
   * @throws {@link StreamError} `ERR_POSTS_WAITING` - too many wait already
   * @see specs/ingest.md ING-42
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    const { limitPosts, limitWaitingPosts } = this.#limits;
    if (this.#reading < limitPosts) this.#reading += 1;
    else if (this.#waiting.length >= limitWaitingPosts) {
      throw errors.ERR_POSTS_WAITING({ limitWaitingPosts, retryAfterSeconds: RETRY_AFTER_SECONDS });
    } else await this.#wait(signal);
    return () => {
      this.#reading -= 1;
      this.#admit();
    };
  }

  // At once: nobody who comes in between goes first.
  #admit(): void {
    while (this.#reading < this.#limits.limitPosts) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#reading += 1;
      next();
    }
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

/** The values of `Idempotency-Key` that posts came with, and what is remembered of these. @see specs/ingest.md ING-23 */
export class IdempotencyKeys<Remembered> {
  limits: IngestLimits;
  readonly #clock: () => number;
  readonly #busy = new Set<string>();
  // In the order in which they were answered.
  readonly #answered = new Map<string, { readonly atMs: number; readonly remembered: Remembered }>();

  constructor(limits: IngestLimits, clock: () => number) {
    this.limits = limits;
    this.#clock = clock;
  }

  /**
   * Takes a key for a post, unless a post with it was answered.
   *
   * @param name - the key, and the token that it came with
   * @returns what is remembered of that; `undefined` where the post is to be taken
   * @throws {@link StreamError} `ERR_POST_KEY_BUSY` - a post with it is being taken
   */
  begin(name: string, key: string): Remembered | undefined {
    this.#forget();
    const answered = this.#answered.get(name);
    if (answered) return answered.remembered;
    if (this.#busy.has(name)) throw errors.ERR_POST_KEY_BUSY({ key, retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.#busy.add(name);
    return undefined;
  }

  /** Ends the post of a key: without anything to remember the key is free again. */
  settle(name: string, remembered: Remembered | undefined): void {
    this.#busy.delete(name);
    if (remembered) this.#answered.set(name, { atMs: this.#clock(), remembered });
    this.#forget();
  }

  #forget(): void {
    const { limitKeys, limitKeyAgeMs } = this.limits;
    for (const [name, { atMs }] of this.#answered) {
      if (this.#answered.size <= limitKeys && atMs > this.#clock() - limitKeyAgeMs) break;
      this.#answered.delete(name);
    }
  }
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Reads a key, with or without quotes. @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export function readIdempotencyKey(field: string | readonly string[] | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (typeof field !== 'string') throw errors.ERR_POST_KEY({ problem: 'was sent more than once' });
  const key = /^"(.*)"$/.exec(field)?.[1] ?? field;
  if (!KEY.test(key)) throw errors.ERR_POST_KEY({ problem: 'is not valid' });
  return key;
}
