/** A commit that was published. Instants in epoch milliseconds. */
export interface Published {
  readonly timeMs: number;
}

/** An answer as its reader had it. Instants in epoch milliseconds. */
export interface Observed {
  readonly toldMs: number;
  readonly dataAsOfMs: number;
  readonly evaluatedAtMs: number;
  readonly evaluationMs: number;
  readonly overrun: boolean;
  /** How many commits are in it, as its own solutions tell. No whole number where one is there in part. */
  readonly commits: number;
}

/** What answers kept, and what not. */
export interface Judgement {
  /** From the first to the last one, as many for each MAL. */
  readonly perMal: number;
  /** The least time from the beginning of one evaluation to that of the next, milliseconds. */
  readonly leastIntervalMs: number;
  /** How old an answer was at most, by its `dataAsOf`, when the next one was told, milliseconds. */
  readonly oldestMs: number;
  /** The same without the evaluation that the next one took: what the MAL bounds, milliseconds. */
  readonly oldestBeforeEvaluationMs: number;
  /** Answers that lack a commit published until their `dataAsOf`. */
  readonly overclaims: number;
  /** Answers that have a commit in part. */
  readonly torn: number;
  /** Answers that say that they could not keep the MAL. */
  readonly overruns: number;
}

/**
 * Judges answers by the commits that were published.
 *
 * @param answers - two or more, in their order
 */
export function judgeAnswers(
  published: readonly Published[],
  answers: readonly Observed[],
  malSeconds: number,
): Judgement {
  const starts = answers.map(({ evaluatedAtMs, evaluationMs }) => evaluatedAtMs - evaluationMs);
  const intervals = starts.slice(1).map((startMs, index) => startMs - (starts[index] as number));
  const spanMs = intervals.reduce((sum, intervalMs) => sum + intervalMs, 0);
  const ends = answers.slice(1).map(({ toldMs, evaluationMs }, index) => {
    const ageMs = toldMs - (answers[index] as Observed).dataAsOfMs;
    return { ageMs, beforeMs: ageMs - evaluationMs };
  });
  const until = (asOfMs: number) => published.filter(({ timeMs }) => timeMs <= asOfMs).length;
  return {
    perMal: (intervals.length * malSeconds * 1000) / spanMs,
    leastIntervalMs: Math.min(...intervals),
    oldestMs: Math.max(...ends.map(({ ageMs }) => ageMs)),
    oldestBeforeEvaluationMs: Math.max(...ends.map(({ beforeMs }) => beforeMs)),
    overclaims: answers.filter(({ commits, dataAsOfMs }) => commits < until(dataAsOfMs)).length,
    torn: answers.filter(({ commits }) => !Number.isInteger(commits)).length,
    overruns: answers.filter(({ overrun }) => overrun).length,
  };
}
