import { expect, test } from 'vitest';
import { judgeAnswers, type Observed } from '../../src/query/judge-answers.ts';

const PUBLISHED = [{ timeMs: 100 }, { timeMs: 1100 }, { timeMs: 2100 }];

function answer(startMs: number, evaluationMs: number, others: Partial<Observed> = {}): Observed {
  const evaluatedAtMs = startMs + evaluationMs;
  return {
    toldMs: evaluatedAtMs,
    dataAsOfMs: startMs,
    evaluatedAtMs,
    evaluationMs,
    overrun: false,
    commits: 3,
    ...others,
  };
}

test('evaluations are counted from beginning to beginning, and an answer ages until the next is told', () => {
  const answers = [answer(0, 500, { commits: 0 }), answer(2000, 300, { commits: 2 }), answer(4100, 400)];
  expect(judgeAnswers(PUBLISHED, answers, 2)).toEqual({
    perMal: (2 * 2000) / 4100,
    leastIntervalMs: 2000,
    oldestMs: 2500,
    oldestBeforeEvaluationMs: 2100,
    overclaims: 0,
    torn: 0,
    overruns: 0,
  });
});

test('an answer claims too much by one commit that was published until then, and by none that came after', () => {
  const claims = (dataAsOfMs: number) =>
    judgeAnswers(PUBLISHED, [answer(0, 0, { commits: 0 }), answer(2000, 0, { dataAsOfMs, commits: 1 })], 2).overclaims;
  expect(claims(1099)).toBe(0);
  expect(claims(1100)).toBe(1);
});

test('a commit that is there in part, and what an answer says of its own lateness, are counted', () => {
  const answers = [answer(0, 0, { commits: 0 }), answer(2000, 0, { commits: 2.4, overrun: true })];
  expect(judgeAnswers(PUBLISHED, answers, 2)).toMatchObject({ torn: 1, overruns: 1 });
});
