import { errors } from '../errors.ts';

/** How soon one that is refused may come again, seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Lets so many posts be read at a time, the others in the order in which they came. */
export class PostTurns {
  readonly #limitPosts: number;
  readonly #limitWaitingPosts: number;
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  constructor({ limitPosts, limitWaitingPosts }: { limitPosts: number; limitWaitingPosts: number }) {
    this.#limitPosts = limitPosts;
    this.#limitWaitingPosts = limitWaitingPosts;
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
    if (this.#reading >= this.#limitPosts) {
      if (this.#waiting.length >= this.#limitWaitingPosts) {
        throw errors.ERR_POSTS_WAITING({
          limitWaitingPosts: this.#limitWaitingPosts,
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
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
