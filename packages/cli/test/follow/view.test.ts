import type { Change, LiveStatus } from '@ldes-live/client';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { clockTime } from '../../src/follow/summary.ts';
import { ChangeRecord } from '../../src/follow/view/change-record.ts';
import { formatBytes } from '../../src/follow/view/format-amount.ts';
import { type ViewState, viewLines } from '../../src/follow/view/view-lines.ts';
import { lineText } from '../../src/terminal/styled-line.ts';
import { change, gap, START } from './made-changes.ts';

const status: LiveStatus = {
  state: 'pushing',
  mode: 'push',
  reason: 'MAL 1 s is below the break-even of 10 s',
  isInTrouble: false,
  lagBoundMs: 196,
  isCaughtUp: true,
  source: { state: 'ok' },
  dataAgeMs: 900,
  updates: 2,
  maxLagMs: 1500,
  malMisses: 2,
  gaps: 0,
  requests: 1204,
  bytes: 1_727_050,
  conflated: 7,
};

function state(
  changes = [change('101'), change('102', { publishedMs: START + 1, lagMs: 1500 })],
  over = {},
): ViewState {
  const record = new ChangeRecord();
  record.take(changes, START);
  return { url: 'http://a/vehicles', nowMs: START, malMs: 1000, status: { ...status, ...over }, record };
}

const texts = (view: ViewState, columns = 79, rows = 23) => viewLines(view, { columns, rows }).map(lineText);

test('it shows stream, MAL, mode, reason, bound, lags, counters and the last changes', () => {
  const lines = texts(state());
  expect(lines[0]).toMatch(/^http:\/\/a\/vehicles +MAL 1 s$/);
  expect(lines[0]).toHaveLength(79);
  expect(lines.slice(1, 5)).toEqual([
    'push  MAL 1 s is below the break-even of 10 s',
    'data  900 ms old, the source works',
    'next  expected within 196 ms, all there was is read',
    'lag   ▁×  last 1.5 s, worst 1.5 s  (height: the MAL, ×: over it)',
  ]);
  expect(lines.slice(5, 9)).toEqual([
    '',
    'updates 2   changes 2   requests 1,204   received 1.7 MB   misses 2   gaps 0',
    'left out 7',
    '',
  ]);
  expect(lines.slice(9)).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}102 +new +1\.5 s/),
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}101 +new +20 ms/),
  ]);
});

test('a bound beyond the MAL, a miss and a gap stand out', () => {
  const lines = viewLines(state([change('1'), gap], { lagBoundMs: 1001, gaps: 1 }), { columns: 120, rows: 23 });
  const bad = lines.flat().flatMap((span) => (typeof span !== 'string' && span.tone === 'bad' ? [span.text] : []));
  expect(bad).toEqual(['expected within 1001 ms', 'gap   ', '2', '1', '7']);
});

test('MAL-118 it shows that the source fails, with the age of the data, and since when it works again', () => {
  const since = '2026-11-20T08:57:00.000Z';
  const local = clockTime(Date.parse(since));
  const failing = { source: { state: 'failing', since }, dataAgeMs: 190_000 };
  expect(texts(state([], failing))[2]).toBe(`data  3 min old: the source has been failing since ${local}`);
  const lost = { ...failing, source: { ...failing.source, completeTo: since } };
  expect(texts(state([], lost))[2]).toBe(`data  3 min old: this server has lost the others since ${local}`);
  expect(texts({ ...state(), recoveredAt: '09:00:01' })[2]).toBe(
    'data  900 ms old, the source works again since 09:00:01',
  );
  expect(texts(state([], { source: undefined, dataAgeMs: undefined }))[2]).toBe('data  none yet');
  // Nobody knows while the server does not answer.
  const unheard = { isInTrouble: true };
  expect(texts({ ...state([], unheard), recoveredAt: '09:00:01' })[2]).toBe(
    'data  900 ms old, the source worked when last heard',
  );
  expect(texts(state([], { ...failing, ...unheard }))[2]).toBe(
    `data  3 min old: when last heard, the source was failing since ${local}`,
  );
  expect(texts(state([], { lagBoundMs: 0 }))[3]).toBe('next  not known yet, all there was is read');
});

test('MAL-120 what is wrong is shown with its cause, and local times, on several lines', () => {
  const since = new Date(START).toISOString();
  const url = 'http://localhost:3921/weather/events?from=k3x9a-42';
  const reason = `in trouble since ${since}: ${url} could not be read (ECONNREFUSED): check that the server runs.`;
  const lines = texts(state([], { isInTrouble: true, reason }));
  expect(lines.slice(1, 3)).toEqual([`push  in trouble since ${clockTime(START)}:`, `      ${url} could not be read`]);
  expect(lines[3]).toBe('      (ECONNREFUSED): check that the server runs.');
});

test('what the server says cannot steer the terminal', () => {
  const lines = texts(state([], { reason: 'a\u001b[2J\nb' }));
  expect(lines[1]).toBe('push  a [2J b');
});

test('there are never more lines than room, and what matters goes first', () => {
  expect(texts(state(), 79, 1)).toHaveLength(1);
  expect(texts(state(), 79, 7).at(-1)).toBe('left out 7');
  expect(texts(state(), 79, 8).at(-1)).toContain('102');
  const some = Array.from({ length: 40 }, (_, index) => change(String(index), { publishedMs: START + index }));
  check(
    fc.property(
      fc.nat({ max: 40 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 60 }),
      (count, columns, rows) => {
        expect(texts(state(some.slice(0, count)), columns, rows).length).toBeLessThanOrEqual(rows);
      },
    ),
  );
});

function recorded(...changes: readonly Change[]): ChangeRecord {
  const record = new ChangeRecord();
  record.take(changes, START);
  return record;
}

test('what was published together is one update, with the greatest of its lags', () => {
  const record = recorded(
    change('1', { lagMs: 20 }),
    change('2', { lagMs: 50 }),
    change('3', { lagMs: 30 }),
    change('1', { lagMs: 10, publishedMs: START + 1 }),
  );
  expect(record.lagsMs).toEqual([50, 10]);
  expect(record.changes).toBe(4);
});

test('what was published before following began is a change, and no update', () => {
  const record = recorded(change('1', { publishedMs: START - 1 }));
  expect([record.changes, record.lagsMs.length]).toEqual([1, 0]);
  expect(record.rows(5)[0]).not.toHaveProperty('lagMs');
});

test('an entity has one row, the newest first', () => {
  const record = recorded(change('1'), change('2'), change('1'), change('2', { kind: 'delete' }), change('3'));
  expect(record.rows(9).map(({ name, news, versions }) => [name, news, versions])).toEqual([
    ['3', 'new', 1],
    ['2', 'gone', 2],
    ['1', 'changed', 2],
  ]);
  expect(record.rows(2).map(({ name }) => name)).toEqual(['3', '2']);
  expect(record.rows(0)).toEqual([]);
});

test('after a gap every entity is new, and the gap is told', () => {
  const record = recorded(change('1'), gap, change('1'));
  expect(record.rows(9)).toMatchObject([{ name: '1', news: 'new', versions: 1 }]);
  expect(record.gap).toMatch(/e-1 could not be continued/);
});

test('however long it goes on, what it keeps is bounded', () => {
  const record = new ChangeRecord();
  for (let index = 0; index < 3000; index++) {
    record.take([change(String(index), { publishedMs: START + index })], START);
  }
  expect(record.changes).toBe(3000);
  expect(record.rows(5000)).toHaveLength(500);
  expect(record.lagsMs.length).toBeLessThanOrEqual(1000);
});

test.each([
  [0, '0 B'],
  [1000, '1.0 kB'],
  [99_940, '99.9 kB'],
  [999_501, '1.0 MB'],
  [5e18, '5000 PB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
