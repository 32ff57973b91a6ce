import { errors } from '../errors.ts';

/** What a post was answered, for those who ask again. */
export interface RememberedAnswer<Answer> {
  /** Hash of the body and its type. */
  readonly bodyHash: string;
  readonly answer: Answer;
}

interface Entry<Answer> {
  readonly atMs: number;
  /** Absent while the post is being taken. */
  readonly remembered?: RememberedAnswer<Answer>;
}

/** What {@link IdempotencyKeys} takes. */
export interface IdempotencyOptions {
  readonly limitKeys: number;
  readonly limitKeyAgeMs: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

const RETRY_AFTER_SECONDS = 1;

/**
 * The values of `Idempotency-Key` that posts came with, and what these were answered: so many, for so long, in memory.
 *
 * @see specs/ingest.md ING-23, ING-24
 */
export class IdempotencyKeys<Answer> {
  readonly #options: IdempotencyOptions;
  // In the order in which they came.
  readonly #entries = new Map<string, Entry<Answer>>();

  constructor(options: IdempotencyOptions) {
    this.#options = options;
  }

  /**
   * Takes a key for a post, unless a post with it was answered.
   *
   * @param key - with what it is unique in
   * @returns what was answered; `undefined` where the post is to be taken
   * @throws {@link StreamError} `ERR_POST_KEY_BUSY` - a post with it is being taken
   */
  begin(scope: string, key: string): RememberedAnswer<Answer> | undefined {
    this.#forget();
    const name = nameOf(scope, key);
    const entry = this.#entries.get(name);
    if (!entry) {
      this.#entries.set(name, { atMs: this.#options.clock() });
      return undefined;
    }
    if (!entry.remembered) throw errors.ERR_POST_KEY_BUSY({ key, retryAfterSeconds: RETRY_AFTER_SECONDS });
    return entry.remembered;
  }

  /** Remembers what a post was answered that began; without an answer the key is free again. */
  settle(scope: string, key: string, remembered: RememberedAnswer<Answer> | undefined): void {
    const name = nameOf(scope, key);
    this.#entries.delete(name);
    if (remembered) this.#entries.set(name, { atMs: this.#options.clock(), remembered });
    this.#forget();
  }

  #forget(): void {
    const { limitKeys, limitKeyAgeMs, clock } = this.#options;
    const sinceMs = clock() - limitKeyAgeMs;
    for (const [name, { atMs, remembered }] of this.#entries) {
      if (this.#entries.size <= limitKeys && atMs > sinceMs) break;
      // One that is being taken ends by itself.
      if (remembered) this.#entries.delete(name);
    }
  }
}

function nameOf(scope: string, key: string): string {
  return `${scope} ${key}`;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads an `Idempotency-Key` field, with or without quotes.
 *
 * @throws {@link StreamError} `ERR_POST_KEY` - it is none
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function readIdempotencyKey(field: string | readonly string[] | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (typeof field !== 'string') throw errors.ERR_POST_KEY({ problem: 'is there several times' });
  const key = /^"(.*)"$/.exec(field)?.[1] ?? field;
  if (!KEY.test(key)) throw errors.ERR_POST_KEY({ problem: 'is no key' });
  return key;
}
