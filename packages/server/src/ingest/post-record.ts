import type { SourceHealth, SourceProblem, StreamError } from '@ldes-live/rdf-stream';
import { isAnswerable, statusOf } from '../http/problem.ts';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.ts';
import type { PostTally } from './post-tally.ts';
import type { PostTurns } from './post-turns.ts';
import { POST_ORIGIN } from './posted-draft.ts';

/**
 * What posts to a stream have come to since the start, for its health and for the metrics.
 *
 * @see specs/ingest.md ING-50, ING-51
 */
export class PostRecord {
  readonly #clock: () => number;
  readonly #members = { stored: 0, unchanged: 0, held: 0 };
  readonly #refused = new Map<string, number>();
  #posts = { good: 0, bad: 0 };
  #isFailing = false;
  #lastGoodAt: string | undefined;
  #lastError: SourceProblem | undefined;

  /** @param clock - epoch milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** A post that was answered with success. */
  good(tally: PostTally): void {
    this.#count(tally);
    this.#posts.good += 1;
    this.#isFailing = false;
    this.#lastGoodAt = this.#now();
  }

  /**
   * A post that was refused, or failed.
   *
   * @param tally - of what was stored before; absent for one that may not post at all, which says nothing of the source
   */
  bad(error: StreamError, tally?: PostTally): void {
    this.#refused.set(error.code, (this.#refused.get(error.code) ?? 0) + 1);
    if (!tally) return;
    this.#count(tally);
    this.#posts.bad += 1;
    // A mistake of who posts is no fault of the stream.
    this.#isFailing = !isAnswerable(error) || statusOf(error) >= 500;
    this.#lastError = { code: error.code, message: error.message, at: this.#now() };
  }

  health(): SourceHealth {
    return {
      origin: POST_ORIGIN,
      // Nothing need be posted for it to be well.
      state: this.#isFailing ? 'failing' : 'ok',
      ...(this.#lastGoodAt !== undefined && { lastGoodAt: this.#lastGoodAt }),
      ...(this.#lastError && { lastError: this.#lastError }),
      polls: { ...this.#posts },
      errors: Object.fromEntries(this.#refused),
      findings: {},
    };
  }

  samples(stream: string, { reading, waiting }: Pick<PostTurns, 'reading' | 'waiting'>): MetricsSnapshot {
    const members = Object.entries(this.#members);
    return {
      ldes_live_posts: [
        { labels: { stream, state: 'reading' }, value: reading },
        { labels: { stream, state: 'waiting' }, value: waiting },
      ],
      ldes_live_posted_members_total: members.map(([result, value]) => ({ labels: { stream, result }, value })),
      ldes_live_posts_refused_total: [...this.#refused].map(([code, value]) => ({ labels: { stream, code }, value })),
    };
  }

  #count({ stored, unchanged, held }: PostTally): void {
    this.#members.stored += stored;
    this.#members.unchanged += unchanged;
    this.#members.held += held;
  }

  #now(): string {
    return new Date(this.#clock()).toISOString();
  }
}
