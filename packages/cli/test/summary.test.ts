import type { Change } from '@ldes-live/client';
import type { Mode } from '@ldes-live/latency';
import { expect, test } from 'vitest';
import { clockTime, formatSpan, Summary } from '../src/follow/summary.ts';

const START = Date.UTC(2026, 10, 20, 9);
const at = clockTime(START);
const status = { mode: 'push', reason: 'MAL 1 s is below the break-even of 10 s', lagBoundMs: 1500 } as const;

function change(
  kind: 'upsert' | 'delete',
  name: string,
  { lagMs = 20, publishedMs = START, via = 'push' as Mode } = {},
): Change {
  const entity = `http://a/s/entities/vehicles/${name}`;
  const time = new Date(publishedMs).toISOString();
  const member = { id: `${entity}#${time}`, entity, kind, sequence: 1, time, quads: [] };
  return { kind, member, cursor: 'e-1', via, lagMs, conflated: 0, isNewest: true, endsCommit: true };
}

test('mode and reason are told once, and again when either changes', () => {
  const summary = new Summary(START);
  expect(summary.modeLine(status, START)).toBe(`${at}  push: MAL 1 s is below the break-even of 10 s\n`);
  expect(summary.modeLine(status, START)).toBe('');
  expect(summary.modeLine({ ...status, reason: 'other' }, START)).toBe(`${at}  push: other\n`);
  expect(summary.modeLine({ ...status, mode: 'pull', reason: 'other' }, START)).toBe(`${at}  pull: other\n`);
});

test('what arrives together is one line: counts, lag and its bound, a few names', () => {
  const summary = new Summary(START);
  const first = ['101', '102', '103', '104', '105'].map((name) => change('upsert', name));
  expect(summary.changeLines(first, status, START)).toBe(
    `${at}  push  5 new  lag 20 ms (at most 1.5 s)  101, 102, 103 and 2 more\n`,
  );
  const second = [change('upsert', '101', { lagMs: 250 }), change('delete', '102'), change('upsert', '106')];
  expect(summary.changeLines(second, status, START)).toBe(
    `${at}  push  1 new, 1 changed, 1 gone  lag 250 ms (at most 1.5 s)  101, 102, 106\n`,
  );
  expect(summary.changeLines([change('upsert', '102')], status, START)).toContain('  1 new  ');
});

test('what was published before following began has no lag, and no bound is told while there is none', () => {
  const old = change('upsert', '101', { publishedMs: START - 1, lagMs: 3_600_000 });
  expect(new Summary(START).changeLines([old], status, START)).toBe(`${at}  push  1 new  101\n`);
  const unbounded = { ...status, lagBoundMs: Number.POSITIVE_INFINITY };
  const line = new Summary(START).changeLines([old, change('upsert', '102')], unbounded, START);
  expect(line).toBe(`${at}  push  2 new  lag 20 ms  101, 102\n`);
});

test('a gap stands between what came before and after, and all is new after it', () => {
  const gap: Change = { kind: 'gap', cursor: 'f-0', from: 'e-1', via: 'push' };
  const changes = [change('upsert', '101'), gap, change('upsert', '101')];
  expect(new Summary(START).changeLines(changes, status, START).split('\n')).toEqual([
    expect.stringContaining('1 new'),
    `${at}  gap   e-1 cannot be continued: the state follows anew`,
    expect.stringContaining('1 new'),
    '',
  ]);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1.0 s'],
  [99_949, '99.9 s'],
  [99_950, '2 min'],
  [5_939_999, '99 min'],
  [5_940_000, '2 h'],
])('%i ms are %s for people', (spanMs, text) => {
  expect(formatSpan(spanMs)).toBe(text);
});
