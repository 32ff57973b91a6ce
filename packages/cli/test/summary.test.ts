import type { Change, LiveStatus } from '@ldes-live/client';
import { expect, test } from 'vitest';
import { lagText } from '../src/follow/follow.ts';
import { clockTime, formatSpan, Summary } from '../src/follow/summary.ts';
import { change, gap, START } from './follow/made-changes.ts';

const at = clockTime(START);
const status = {
  mode: 'push',
  reason: 'MAL 1 s is below the break-even of 10 s',
  isInTrouble: false,
  isCaughtUp: true,
} as const;

test('mode and reason are told once, and again when either changes', () => {
  const summary = new Summary();
  expect(summary.statusLines(status, START)).toBe(`${at}  push: MAL 1 s is below the break-even of 10 s\n`);
  expect(summary.statusLines(status, START)).toBe('');
  expect(summary.statusLines({ ...status, reason: 'other' }, START)).toBe(`${at}  push: other\n`);
  expect(summary.statusLines({ ...status, mode: 'pull', reason: 'other' }, START)).toBe(`${at}  pull: other\n`);
});

test('MAL-118 that the source fails is told once, with the age of the data, and that it works again', () => {
  const summary = new Summary();
  const since = '2026-11-20T08:57:00.000Z';
  const local = clockTime(Date.parse(since));
  const failing = { ...status, source: { state: 'failing', since }, dataAgeMs: 190_000 } as const;
  summary.statusLines({ ...status, source: { state: 'ok' }, dataAgeMs: 10 }, START);
  const { dataAgeMs, ...unread } = { ...failing, isCaughtUp: false };
  expect(summary.statusLines(unread, START)).toBe('');
  expect(summary.statusLines(failing, START)).toBe(
    `${at}  the source has been failing since ${local}; the newest data are 3 min old\n`,
  );
  expect(summary.statusLines({ ...failing, dataAgeMs: 200_000 }, START)).toBe('');
  expect(summary.statusLines({ ...failing, source: { state: 'ok' }, dataAgeMs: 400 }, START)).toBe(
    `${at}  the source works again; the newest data are 400 ms old\n`,
  );
  expect(summary.statusLines({ ...failing, source: { state: 'ok' } }, START)).toBe('');
  // The server itself is cut off.
  const lost = { ...failing, source: { ...failing.source, completeTo: since } };
  expect(summary.statusLines(lost, START)).toBe(
    `${at}  this server has lost the others since ${local}; the newest data are 3 min old\n`,
  );
  expect(summary.statusLines({ ...failing, source: { state: 'ok' }, dataAgeMs: 400 }, START)).toBe(
    `${at}  this server has the others again; the newest data are 400 ms old\n`,
  );
  const empty = { ...status, source: failing.source };
  expect(summary.statusLines(empty, START)).toBe(`${at}  the source has been failing since ${local}\n`);
});

test('MAL-120 what is wrong is told with local times, and after how long the server is back', () => {
  const summary = new Summary();
  const utc = (timeMs: number) => new Date(timeMs).toISOString();
  const trouble = (sinceMs: number) => ({
    ...status,
    isInTrouble: true,
    reason: `in trouble since ${utc(sinceMs)}: gone`,
  });
  expect(summary.statusLines(trouble(START), START)).toBe(`${at}  push: in trouble since ${at}: gone\n`);
  const laterMs = START + 19_700;
  const later = clockTime(laterMs);
  expect(summary.statusLines(status, laterMs)).toBe(`${later}  back after 19.7 s\n${later}  push: ${status.reason}\n`);
  expect(new Summary().statusLines(trouble(START - 86_400_000), START)).toBe(
    `${at}  push: in trouble since 2026-11-19 ${at}: gone\n`,
  );
});

test.each([
  [340, 0, 400, 'at most 340 ms late, 0 over the MAL of 1 s; the next one is expected within 400 ms'],
  [1000, 0, 1000, 'at most 1.0 s late, 0 over the MAL of 1 s; the next one is expected within 1.0 s'],
  [
    1004,
    1,
    1049,
    'at most 1004 ms late, 1 over the MAL of 1 s; the next one is expected within 1049 ms, which is over it',
  ],
  [3300, 2, 895, 'at most 3.3 s late, 2 over the MAL of 1 s; the next one is expected within 895 ms'],
])('MAL-119 measured %d ms with %d misses, expected %d ms: %s', (maxLagMs, malMisses, lagBoundMs, text) => {
  expect(lagText({ updates: 36, maxLagMs, malMisses, lagBoundMs } as LiveStatus, 1, false)).toBe(`36 updates, ${text}`);
});

test('MAL-119 before the first update nothing was measured, and before the first read or delivery nothing is expected', () => {
  for (const lagBoundMs of [Number.POSITIVE_INFINITY, 0]) {
    const none = { updates: 0, maxLagMs: 0, malMisses: 0, lagBoundMs } as LiveStatus;
    expect(lagText(none, 1, false)).toBe('0 updates, 0 over the MAL of 1 s');
    expect(lagText(none, 1, true)).toBe('0 updates, 0 over the MAL of 1 s; nothing will follow');
  }
});

const lines = async (summary: Summary, changes: readonly Change[]) =>
  (await summary.changeLines(changes, START)).trimEnd().split('\n');

test('what arrives together: how many of what, the lag, a few names', async () => {
  const summary = new Summary();
  const first = ['101', '102', '103', '104', '105'].map((name) => change(name));
  const names = (...texts: string[]) => texts.map((text) => `          ${text}`);
  expect(await lines(summary, first)).toEqual([
    `${at}  push  5 new  lag 20 ms`,
    ...names('101', '102', '103', 'and 2 more'),
  ]);
  const second = [change('101', { lagMs: 250 }), change('102', { kind: 'delete' }), change('106')];
  expect(await lines(summary, second)).toEqual([
    `${at}  push  1 new, 1 changed, 1 gone  lag 250 ms`,
    ...names('101', '102: gone', '106'),
  ]);
  expect((await lines(summary, [change('102')]))[0]).toContain('  1 new  ');
});

test('what was published before following began has no lag', async () => {
  const old = change('101', { publishedMs: START - 1, lagMs: 3_600_000 });
  expect((await lines(new Summary(), [old]))[0]).toBe(`${at}  push  1 new`);
  expect((await lines(new Summary(), [old, change('102')]))[0]).toBe(`${at}  push  2 new  lag 20 ms`);
});

test('a gap stands between what came before and after, and all is new after it', async () => {
  const changes = [change('101'), gap, change('101')];
  expect(await lines(new Summary(), changes)).toEqual([
    expect.stringContaining('1 new'),
    expect.stringContaining('101'),
    `${at}  gap   e-1 cannot be continued: the state follows anew`,
    expect.stringContaining('1 new'),
    expect.stringContaining('101'),
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
