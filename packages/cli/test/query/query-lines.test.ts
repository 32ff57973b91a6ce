import type { LiveQueryStatus, SourceStatus } from '@ldes-live/query';
import { expect, test } from 'vitest';
import { type QueryViewState, queryLines } from '../../src/query/query-lines.ts';
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

test('QUERY-95 says what it reads before there is an answer, and what keeps it from that', () => {
  const { answer: _, ...before } = state;
  const sources = [{ ...well, cursor: undefined, trouble: 'in trouble: nobody answers' }];
  const lines = texts({ ...before, status: { ...status, dataAsOf: undefined, sources } });
  expect(lines.slice(1, 3)).toEqual(['reading http://localhost:3000/a', 'in trouble: nobody answers']);
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

test('QUERY-95 trouble that names its source is told as it is', () => {
  const trouble = `in trouble: ${urls[0]} could not be read`;
  const lines = texts({ ...state, status: { ...status, sources: [{ ...well, trouble }, well] } });
  expect(lines[2]).toBe(trouble);
});

test('QUERY-95 of many sources in trouble it names some and counts the rest', () => {
  const sources = ['a', 'b', 'c', 'd'].map((trouble) => ({ ...well, trouble }));
  const lines = texts({
    ...state,
    command: { ...state.command, urls: ['1', '2', '3', '4'] },
    status: { ...status, sources },
  });
  expect(lines.slice(2, 5)).toEqual(['1: a', '2: b', 'and 2 more in trouble']);
});

test('QUERY-95 says which window the answer is of, and how often one closes', () => {
  const windowed = { ...state, command: { ...state.command, windowMs: 60_000 } };
  const window = { open: new Date(asOf.getTime() - 60_000), close: asOf };
  expect(texts({ ...windowed, answer: { table, window } })[2]).toMatch(
    /^window \[\d\d:\d\d:\d\d, \d\d:\d\d:\d\d\), one closes every 2\.0 s$/,
  );
  expect(texts(windowed)[2]).toBe('windows of 60.0 s, one closes every 2.0 s');
  expect(texts({ ...state, answer: { table, window } })[2]).toMatch(/^window \[\d\d:\d\d:\d\d, \d\d:\d\d:\d\d\)$/);
});

test('QUERY-95 on a terminal of five rows there is a row of the answer and how many more there are', () => {
  const lines = texts(state, { columns: 80, rows: 4 });
  expect(lines[0]).toMatch(/^4 rows as of/);
  expect(lines.slice(1)).toEqual(['n', '1', 'and 3 more']);
});

test.each([1, 2, 3, 4, 5, 6, 8, 10, 12])('QUERY-95 takes no more than %i lines', (rows) => {
  const sources = [{ ...well, trouble: 'in trouble' }];
  expect(texts({ ...state, status: { ...status, sources } }, { columns: 80, rows }).length).toBeLessThanOrEqual(rows);
});
