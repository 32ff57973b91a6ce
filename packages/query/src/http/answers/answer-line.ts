import { errors } from '../../errors.ts';
import type { Accepted } from '../formats.ts';
import type { SparqlLimits } from '../limits.ts';
import type { WrittenAnswer } from './held-state.ts';

/** Who answers one query after the other over the latest state. */
export interface Answerer {
  /**
   * Answers over the state at a cursor or a later one.
   *
   * @throws {@link StreamError} those of queries, `ERR_EVALUATION_TIMEOUT` and `ERR_QUERY_MEMORY` included
   */
  answer(sparql: string, accepted: Accepted, cursor: string): Promise<WrittenAnswer>;
  close(): Promise<void>;
}

/** What an {@link AnswerLine} takes. */
export interface AnswerLineParts {
  readonly limits: Pick<SparqlLimits, 'limitWaitingQueries' | 'limitAnswerBytes' | 'limitQueryChars'>;
  readonly answerer: Answerer;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Has queries wait for their turn, as many as may, and equal ones over one state be answered once.
 *
 * @see specs/query.md QUERY-82
 */
export class AnswerLine {
  readonly #parts: AnswerLineParts;
  /** Answers over the state at one cursor, found or being found. */
  #answers = new Map<string, Promise<WrittenAnswer>>();
  #cursor: string | undefined;
  #keptBytes = 0;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: AnswerLineParts) {
    this.#parts = parts;
  }

  /**
   * @param cursor - of the present state
   * @throws {@link StreamError} `ERR_QUERIES_WAITING`, and those of {@link Answerer.answer}
   */
  answer(sparql: string, accepted: Accepted, cursor: string): Promise<WrittenAnswer> {
    const { limits, random } = this.#parts;
    const { limitQueryChars, limitWaitingQueries } = limits;
    // Before its turn: what is long is not worth keeping.
    if (sparql.length > limitQueryChars) {
      return Promise.reject(errors.ERR_QUERY_TOO_LONG({ chars: sparql.length, limitQueryChars }));
    }
    if (this.#cursor !== cursor) this.#begin(cursor);
    const key = JSON.stringify([sparql, accepted]);
    const known = this.#answers.get(key);
    if (known) return known;
    if (this.#waiting >= limitWaitingQueries) {
      const retryAfterSeconds = 1 + Math.floor(random() * 5);
      return Promise.reject(errors.ERR_QUERIES_WAITING({ limitWaitingQueries, retryAfterSeconds }));
    }
    this.#waiting += 1;
    const answers = this.#answers;
    const answer = this.#inTurn(() => this.#parts.answerer.answer(sparql, accepted, cursor));
    answers.set(key, answer);
    void answer
      .then(({ content, isVolatile }) => {
        this.#keptBytes += answers === this.#answers ? content.length : 0;
        if (isVolatile || this.#keptBytes > limits.limitAnswerBytes) this.#drop(answers, key, content.length);
      })
      // What has failed of time or memory may go better later; who asks again waits for his turn again.
      .catch(() => answers.delete(key))
      .finally(() => {
        this.#waiting -= 1;
      });
    return answer;
  }

  close(): Promise<void> {
    return this.#parts.answerer.close();
  }

  #begin(cursor: string): void {
    this.#cursor = cursor;
    this.#answers = new Map();
    this.#keptBytes = 0;
  }

  #drop(answers: Map<string, unknown>, key: string, bytes: number): void {
    if (answers.delete(key) && answers === this.#answers) this.#keptBytes -= bytes;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
