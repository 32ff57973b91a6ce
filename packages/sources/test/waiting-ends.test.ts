import { expect, test } from 'vitest';
import { UNNAMED_WAIT_MS, waitingEnds } from '../src/waiting-ends.ts';

test('SRC-28 without records that cannot be told apart, what is absent has ended', () => {
  expect(waitingEnds(['a'], 0, new Map([['a', 0]]), 1)).toEqual({ ended: ['a'], waiting: new Map() });
});

test('SRC-28 beside one, what is absent waits for ten minutes', () => {
  const first = waitingEnds(['a'], 1, new Map(), 1000);
  expect(first).toEqual({ ended: [], waiting: new Map([['a', 1000]]) });
  expect(waitingEnds(['a', 'b'], 1, first.waiting, 999 + UNNAMED_WAIT_MS)).toEqual({
    ended: [],
    waiting: new Map([
      ['a', 1000],
      ['b', 999 + UNNAMED_WAIT_MS],
    ]),
  });
  expect(waitingEnds(['a'], 1, first.waiting, 1000 + UNNAMED_WAIT_MS)).toEqual({ ended: ['a'], waiting: new Map() });
});

test('SRC-28 what came back begins its wait anew, and so does a clock that was set back', () => {
  const { waiting } = waitingEnds(['b'], 1, new Map([['a', 0]]), 5);
  expect([...waiting.keys()]).toEqual(['b']);
  expect(waitingEnds(['a'], 1, new Map([['a', 1e12]]), 5).waiting).toEqual(new Map([['a', 5]]));
});
