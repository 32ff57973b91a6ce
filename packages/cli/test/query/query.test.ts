import type { BindingsResult, BooleanResult, QuadsResult, SourceStatus } from '@ldes-live/query';
import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { lastLine, MalTracker, resultLine, SourceNotices } from '../../src/query/query.ts';

const [evaluatedAt, dataAsOf] = [new Date(2000), new Date(1000)];
const facts = { sequence: 3, evaluatedAt, dataAsOf, cursors: ['e-1'], evaluationMs: 4.2, overrun: false };
const written = {
  dataAsOf: '1970-01-01T00:00:01.000Z',
  evaluatedAt: '1970-01-01T00:00:02.000Z',
  evaluationMs: 4,
  overrun: false,
};
const row = { s: namedNode('http://example.org/s'), o: literal('x') };
const json = { s: { type: 'uri', value: 'http://example.org/s' }, o: { type: 'literal', value: 'x' } };
const bindings: BindingsResult = {
  ...facts,
  form: 'bindings',
  kind: 'delta',
  variables: ['s', 'o'],
  added: [row],
  removed: [],
  bindings: () => [row, row],
};

test('a line of a SELECT query has what came and what went; the whole answer where its order counts', () => {
  const line = resultLine(bindings);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(JSON.parse(line)).toEqual({ sequence: 3, added: [json], removed: [], ...written });
  const whole = resultLine({ ...bindings, kind: 'snapshot' });
  expect(JSON.parse(whole)).toEqual({ sequence: 3, bindings: [json, json], ...written });
});

test('a line of a graph has N-Quads, and one of ASK the value', () => {
  const added = [quad(namedNode('http://example.org/s'), namedNode('http://example.org/p'), literal('a\nb'))];
  const quads: QuadsResult = { ...facts, form: 'quads', kind: 'delta', added, removed: [], quads: () => added };
  const text = '<http://example.org/s> <http://example.org/p> "a\\nb" .';
  expect(JSON.parse(resultLine(quads))).toEqual({ sequence: 3, added: [text], removed: [], ...written });
  const asked: BooleanResult = { ...facts, form: 'boolean', kind: 'snapshot', value: true };
  expect(JSON.parse(resultLine(asked))).toEqual({ sequence: 3, boolean: true, ...written });
});

test('a line of a window says which', () => {
  const window = { open: new Date(0), close: new Date(1000) };
  expect(JSON.parse(resultLine({ ...bindings, window }))).toMatchObject({
    window: { open: '1970-01-01T00:00:00.000Z', close: '1970-01-01T00:00:01.000Z' },
  });
});

const answered = (dataAsOfMs: number, lastEvaluationMs = 0) => ({ dataAsOf: new Date(dataAsOfMs), lastEvaluationMs });

test('the MAL is met while the answer is no older than it and an evaluation, give or take a timer', () => {
  const tracker = new MalTracker(2000);
  expect(tracker.isMalMet(answered(10_000, 500), 12_800)).toBe(true);
  expect(tracker.isMalMet(answered(10_000, 500), 12_801)).toBe(false);
  expect(tracker.isMalMet(answered(10_000), 12_301)).toBe(false);
});

test('counts for how long the answer was too old, from when on it was, and no time before the first', () => {
  const tracker = new MalTracker(2000);
  tracker.isMalMet({ dataAsOf: undefined, lastEvaluationMs: undefined }, 5000);
  // Data that go back to no instant are too old.
  expect(tracker.isMalMet(answered(0), 9000)).toBe(false);
  expect(tracker.notMetMs).toBe(0);
  for (let nowMs = 10_000; nowMs <= 20_000; nowMs += 250) tracker.isMalMet(answered(10_000), nowMs);
  expect(tracker.notMetMs).toBe(10_000 - 2300);
  tracker.isMalMet(answered(19_900), 20_250);
  expect(tracker.notMetMs).toBe(10_000 - 2300);
});

const source = (trouble?: string): SourceStatus => ({ url: 'http://localhost/s', cursor: 'e-1', trouble });
const nowMs = new Date(2026, 0, 1, 10, 0, 8).getTime();

test('reports the trouble of a source once when it begins, and once when it is over', () => {
  const notices = new SourceNotices();
  const lines = (afterMs: number, ...sources: SourceStatus[]) => notices.lines([...sources, source()], nowMs + afterMs);
  expect(lines(0, source())).toBe('');
  expect(lines(1000, source('nobody\nanswers'))).toBe('10:00:09  http://localhost/s: nobody answers\n');
  expect(lines(2000, source('still not'))).toBe('');
  expect(lines(21_000, source())).toBe('10:00:29  http://localhost/s: working again after 20.0 s\n');
  expect(lines(22_000, source())).toBe('');
  expect(lines(23_000, source('again'))).not.toBe('');
});

test('reports once that the feed of a source fails, and once that it works again', () => {
  const notices = new SourceNotices();
  const lines = (given: Partial<SourceStatus>) => notices.lines([source(), { ...source(), ...given }], nowMs);
  const failing = { state: 'failing', since: new Date(nowMs - 3000).toISOString() } as const;
  expect(lines({ source: failing, dataAgeMs: 4600 })).toBe(
    '10:00:08  http://localhost/s: the source has been failing since 10:00:05; the newest data are 4.6 s old\n',
  );
  expect(lines({ source: failing, dataAgeMs: 5000 })).toBe('');
  expect(lines({ source: { state: 'ok' }, dataAgeMs: 200 })).toBe(
    '10:00:08  http://localhost/s: the source works again; the newest data are 200 ms old\n',
  );
  expect(lines({ source: { state: 'ok' }, dataAgeMs: 200 })).toBe('');
});

test('the last line tells evaluations that were late from time in which it was not known', () => {
  const line = (evaluations: number, overruns: number, notMetMs: number) =>
    lastLine({ evaluations, overruns, skipped: 0 }, { results: 1, mal: 2, notMetMs }).replace(
      /^.* without effect; /,
      '',
    );
  expect(line(0, 0, 0)).toBe('1 result: no evaluation, because nothing was read');
  expect(line(3, 1, 0)).toBe('1 evaluation missed the MAL of 2 s, and the answer was always within it');
  expect(line(3, 0, 30_500)).toBe(
    '0 evaluations missed the MAL of 2 s; for 30.5 s in total the answer may have been older',
  );
});
