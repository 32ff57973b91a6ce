import { expect, test } from 'vitest';
import { ProblemLog, REPEAT_MS } from '../src/serve/problem-log.ts';

const START = Date.UTC(2026, 10, 20, 9);
const problem = { stream: 'vehicles', origin: 'http://a/vp.pb', code: 'ERR_FEED_EMPTY', message: 'The feed is empty.' };

test('the first problem is told in one line, with its time, stream, feed and code', () => {
  expect(new ProblemLog().note({ ...problem, message: 'two\n  lines' }, START)).toBe(
    '2026-11-20T09:00:00.000Z vehicles http://a/vp.pb ERR_FEED_EMPTY: two lines',
  );
});

test('the same problem is told again after a minute, with the number of those between', () => {
  const log = new ProblemLog();
  log.note(problem, START);
  expect(log.note(problem, START + 1)).toBeUndefined();
  expect(log.note(problem, START + REPEAT_MS - 1)).toBeUndefined();
  expect(log.note(problem, START + REPEAT_MS)).toContain('The feed is empty. (2 more since last told)');
  expect(log.note(problem, START + REPEAT_MS + 1)).toBeUndefined();
  expect(log.note(problem, START + 3 * REPEAT_MS)).toContain('(1 more since last told)');
});

test('a problem that comes back after more than a minute alone has no number', () => {
  const log = new ProblemLog();
  log.note(problem, START);
  expect(log.note(problem, START + REPEAT_MS)).toMatch(/The feed is empty\.$/);
});

test.each([{ stream: 'trips' }, { origin: 'http://b/' }, { code: 'ERR_FEED_STATUS' }])(
  'a problem with another %o is told at once',
  (other) => {
    const log = new ProblemLog();
    log.note(problem, START);
    expect(log.note({ ...problem, ...other }, START)).toBeDefined();
  },
);
