import type { LiveQueryStatus, SourceStatus } from '@ldes-live/query';
import { expect, test } from 'vitest';
import { KeptWatch } from '../../src/query/kept-watch.ts';
import { type QueryViewState, queryLines } from '../../src/query/query-lines.ts';
import { SourceNotices } from '../../src/query/source-notices.ts';
import { lineText, paintLine } from '../../src/terminal/styled-line.ts';

const asOf = new Date('2026-01-01T10:00:00Z');
const urls = ['http://localhost:3000/a', 'http://localhost:3000/b'];
const rows = ['1', '2', '3', '4'].map((text) => [text]);
const table = { columns: ['n'], rows, fresh: new Set<number>() };
const well: SourceStatus = { url: urls[0], cursor: 'e-1', trouble: undefined };
const status: LiveQueryStatus = {
  evaluations: 3,
  skipped: 0,
  overruns: 0,
  lateMembers: 0,
  quads: 10,
  dataAsOf: asOf,
  evaluatedAt: asOf,
  lastEvaluationMs: 12,
  sources: [well],
};
const state: QueryViewState = {
  command: { sparql: 'PREFIX : <urn:x:> SELECT ?n { :s :p ?n }', urls: urls.slice(0, 1), mal: 2 },
  nowMs: asOf.getTime() + 1200,
  status,
  explanation: 'asked again as a whole',
  answer: { table },
  isKept: true,
};
const texts = (of: QueryViewState, size = { columns: 100, rows: 23 }) =>
  queryLines(of, size).map((line) => lineText(line).trimEnd());

test('QUERY-95 shows the query, how old its answer is, the answer, and how it is found', () => {
  const lines = texts(state);
  expect(lines[0]).toBe('SELECT ?n { :s :p ?n }');
  expect(lines[1]).toMatch(/^4 rows as of \d\d:\d\d:\d\d, 1\.2 s old {2}MAL 2 s, asked 3 times, last in 12 ms$/);
  expect(lines.slice(2)).toEqual(['', 'n', '1', '2', '3', '4', 'asked again as a whole']);
});

test('QUERY-95 says first that the MAL is not kept, also where there is little room', () => {
  const [, line] = queryLines({ ...state, isKept: false }, { columns: 39, rows: 23 });
  expect(paintLine(line ?? [], 39, false)).toMatch(/^not kept: 4 rows as of/);
});

test('QUERY-95 names the source that has brought nothing or is in trouble, and shows no age that is none', () => {
  const sources = [well, { url: urls[1], cursor: undefined, trouble: undefined }];
  const silent = { ...state, command: { ...state.command, urls }, isKept: false };
  const lines = texts({ ...silent, status: { ...status, dataAsOf: new Date(0), sources } });
  expect(lines[1]).toBe('not kept: 4 rows  MAL 2 s, asked 3 times, last in 12 ms');
  expect(lines[2]).toBe('http://localhost:3000/b: has brought nothing yet');
  const troubled = [{ ...well, trouble: 'in trouble: nobody answers' }, well];
  expect(texts({ ...silent, status: { ...status, sources: troubled } })[2]).toBe(
    'http://localhost:3000/a: in trouble: nobody answers',
  );
});

const failing: SourceStatus = {
  ...well,
  source: { state: 'failing', since: new Date(2026, 0, 1, 10, 0, 5).toISOString() },
  dataAgeMs: 4600,
};

test('QUERY-95 names the source whose feed fails, since when, and how old its data are', () => {
  const nowMs = new Date(2026, 0, 1, 10, 0, 8).getTime();
  expect(texts({ ...state, nowMs, status: { ...status, sources: [failing] } })[2]).toBe(
    'the source has been failing since 10:00:05; the newest data are 4.6 s old',
  );
});

test.each([1, 2, 3, 4, 5, 6, 8, 10, 12])('QUERY-95 takes no more than %i lines', (rows) => {
  const sources = [{ ...well, trouble: 'in trouble' }];
  expect(texts({ ...state, status: { ...status, sources } }, { columns: 80, rows }).length).toBeLessThanOrEqual(rows);
});

const answered = (dataAsOfMs: number, lastEvaluationMs = 0) => ({ dataAsOf: new Date(dataAsOfMs), lastEvaluationMs });

test('QUERY-95 the MAL is kept while the answer is no older than it and an evaluation, give or take a timer', () => {
  const watch = new KeptWatch(2000);
  expect(watch.look(answered(10_000, 500), 12_800)).toBe(true);
  expect(watch.look(answered(10_000, 500), 12_801)).toBe(false);
  expect(watch.look(answered(10_000), 12_301)).toBe(false);
});

test('QUERY-97 counts for how long the answer was too old, from when on it was', () => {
  const watch = new KeptWatch(2000);
  watch.look({ dataAsOf: undefined, lastEvaluationMs: undefined }, 5000);
  expect(watch.notKeptMs).toBe(0);
  for (let nowMs = 10_000; nowMs <= 20_000; nowMs += 250) watch.look(answered(10_000), nowMs);
  expect(watch.notKeptMs).toBe(10_000 - 2300);
  watch.look(answered(19_900), 20_250);
  expect(watch.notKeptMs).toBe(10_000 - 2300);
});

test('QUERY-97 data that go back to no instant are too old from the first look on', () => {
  const watch = new KeptWatch(2000);
  expect(watch.look(answered(0), 1_000_000)).toBe(false);
  watch.look(answered(0), 1_000_250);
  expect(watch.notKeptMs).toBe(250);
});

test('QUERY-97 counts no time in which there was no answer yet', () => {
  const watch = new KeptWatch(2000);
  watch.look({ dataAsOf: undefined, lastEvaluationMs: undefined }, 999_750);
  expect(watch.look(answered(0), 1_000_000)).toBe(false);
  expect(watch.notKeptMs).toBe(0);
});

const source = (trouble?: string) => ({ url: 'http://localhost/s', cursor: undefined, trouble });
const untimed = (lines: string) => lines.replaceAll(/^\d\d:\d\d:\d\d {2}/gm, '');

test('QUERY-96 tells the trouble of a source once when it begins, and once when it is over', () => {
  const notices = new SourceNotices();
  expect(notices.look([source(), source()], 0)).toBe('');
  expect(untimed(notices.look([source('nobody\nanswers'), source()], 1000))).toBe(
    'http://localhost/s: nobody answers\n',
  );
  expect(notices.look([source('still not'), source()], 2000)).toBe('');
  expect(untimed(notices.look([source(), source()], 21_000))).toBe('http://localhost/s: back after 20.0 s\n');
  expect(notices.look([source(), source()], 22_000)).toBe('');
  expect(notices.look([source('again'), source()], 23_000)).not.toBe('');
});

test('QUERY-96 tells once that the feed of a source fails, and once that it works again', () => {
  const notices = new SourceNotices();
  const nowMs = new Date(2026, 0, 1, 10, 0, 8).getTime();
  const look = (...given: SourceStatus[]) => untimed(notices.look([well, ...given], nowMs));
  expect(look(failing)).toBe(`${urls[0]}: the source has been failing since 10:00:05; the newest data are 4.6 s old\n`);
  expect(look({ ...failing, dataAgeMs: 5000 })).toBe('');
  const works: SourceStatus = { ...well, source: { state: 'ok' }, dataAgeMs: 200 };
  expect(look(works)).toBe(`${urls[0]}: the source works again; the newest data are 200 ms old\n`);
  expect(look(works)).toBe('');
});
