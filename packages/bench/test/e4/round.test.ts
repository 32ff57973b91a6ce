import { expect, test } from 'vitest';
import { failedPosts, judgeRound } from '../../src/e4/round.ts';
import { madeRound } from './made-round.ts';

const delaysMs = (late: number) => Array.from({ length: 100 }, (_, index) => (index < late ? 140 : 10));

test('a round is kept while no more than a hundredth is later than 130 ms', () => {
  expect(judgeRound(madeRound({ delaysMs: delaysMs(1) }))).toBe('kept');
  expect(judgeRound(madeRound({ delaysMs: delaysMs(2) }))).toBe('late');
});

test('one that lost something, had it twice, or had a post refused is incomplete', () => {
  const posts = {
    requests: { statuses: { 201: 99, 429: 1 }, unanswered: 0 },
    replies: { statuses: {}, unanswered: 2 },
  };
  for (const round of [{ lost: 1 }, { doubled: 1 }, { strays: 1 }, { posts }]) {
    expect(judgeRound(madeRound(round))).toBe('incomplete');
  }
  expect(failedPosts(madeRound({ posts }))).toBe(3);
});

test('one whose load was saturated is refused, whatever came', () => {
  expect(judgeRound(madeRound({ cpuMicros: 900_000 }))).toBe('refused');
  expect(judgeRound(madeRound({ longestLoopLagMicros: 900_000, lost: 1 }))).toBe('refused');
});
