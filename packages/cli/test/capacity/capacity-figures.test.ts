import { expect, test } from 'vitest';
import { answerFacts } from '../../src/capacity/answer-facts.ts';
import { capacityReport } from '../../src/capacity/capacity-report.ts';
import { capacityText } from '../../src/capacity/capacity-text.ts';
import type { Measured } from '../../src/capacity/measure-url.ts';
import { parseCommandLine } from '../../src/command-line.ts';

const COMMAND = { kind: 'capacity', users: 1000, mal: 60, every: 20, format: 'text' } as const;
const MEASURED: Measured = {
  url: 'http://localhost/a/latest',
  isRemote: false,
  requests: 1400,
  connections: 16,
  seconds: 3,
  requestsPerSecond: 466,
  ownShare: 0.85,
  responseMs: 30,
  payloadBytes: 27_000,
};

test.each([
  [{}, undefined, [10_000, 40_000, 'default', 'default']],
  [{ requestsPerSecond: 500 }, undefined, [500, 2000, 'given', 'derived']],
  [{ deliveriesPerSecond: 80_000 }, undefined, [20_000, 80_000, 'derived', 'given']],
  [{ requestsPerSecond: 500, deliveriesPerSecond: 900 }, undefined, [500, 900, 'given', 'given']],
  [{}, MEASURED, [466, 1864, 'measured', 'derived']],
  [{ deliveriesPerSecond: 900 }, MEASURED, [466, 900, 'measured', 'given']],
] as const)('CAP-17 the rates of %j, measured %j', (rates, measured, expected) => {
  const { question, origins } = capacityReport({ ...COMMAND, ...rates }, measured);
  const { requestsPerSecond, deliveriesPerSecond } = question.costs;
  expect([requestsPerSecond, deliveriesPerSecond, origins.requests, origins.deliveries]).toEqual(expected);
});

test('CAP-17 polls measured beside this program leave the break-even, and are not called those of a core', () => {
  const report = capacityReport(COMMAND, MEASURED);
  expect(report.straight.breakEvenSeconds).toBeCloseTo(80, 9);
  expect(capacityText(report)).toContain('466 requests/s of this machine beside this program (measured)');
  expect(capacityText(capacityReport(COMMAND, { ...MEASURED, ownShare: 0.2 }))).toContain(
    '466 requests/s a core (measured)',
  );
});

test('CAP-16 sizes are compared with what was measured', () => {
  expect(capacityReport(COMMAND, MEASURED).warnings).toEqual([]);
  expect(capacityReport({ ...COMMAND, payload: 13_000 }, MEASURED).warnings).toEqual([
    'the rates are measured with 27.0 kB; of 13.0 kB a core does more: measure your own.',
  ]);
  expect(capacityReport({ ...COMMAND, payload: 10_400 }).warnings).toEqual([]);
  expect(capacityReport({ ...COMMAND, payload: 10_401 }).warnings).toHaveLength(1);
});

test.each([
  [60, undefined, { advertisedSeconds: 10, isMeasured: false, mode: 'pull', configLine: 'breakEven: 80s' }],
  [60, 81, { advertisedSeconds: 81, isMeasured: true, mode: 'push' }],
  [120, 200, { advertisedSeconds: 200, isMeasured: true, mode: 'push', configLine: 'breakEven: 80s' }],
  // Either will do.
  [79, undefined, { advertisedSeconds: 10, isMeasured: false, mode: 'pull' }],
] as const)('CAP-15 with MAL %d s and %s s advertised clients do this', (mal, breakEvenSeconds, advice) => {
  const measured = breakEvenSeconds && { ...MEASURED, breakEvenSeconds };
  expect(capacityReport({ ...COMMAND, mal }, measured).advice).toEqual(advice);
});

test('CAP-5 without an interval the advertised break-even counts', () => {
  const { every: _, ...command } = COMMAND;
  expect(capacityReport(command, { ...MEASURED, breakEvenSeconds: 70 }).straight).toMatchObject({
    mode: 'push',
    breakEvenSeconds: 70,
    isComputed: false,
  });
});

const parse = (line: string) => parseCommandLine(['capacity', ...line.split(' ').filter(Boolean)]);
const plain = { kind: 'capacity', users: 10, mal: 2, format: 'text' };

test.each([
  ['--users 10 --mal 2', plain],
  [
    '--users 10 --mal 2 --requests-per-second 2520 --deliveries-per-second 5000',
    { ...plain, requestsPerSecond: 2520, deliveriesPerSecond: 5000 },
  ],
  ['--users 10 --mal 500ms --every 1m', { ...plain, mal: 0.5, every: 60 }],
  [
    '--users 10 --mal 2 --connection-kib 7.5 --poll-connection-kib 2',
    { ...plain, connectionKib: 7.5, pollConnectionKib: 2 },
  ],
  ['--users 10 --mal 2 --cdn', { ...plain, cdnPops: 100 }],
  ['--users 10 --cdn 30 --mal 2', { ...plain, cdnPops: 30 }],
  ['--users 10 --mal 2 --measure http://localhost:3000/a', { ...plain, measure: 'http://localhost:3000/a' }],
  [
    '--users 10 --mal 2 --measure https://live.example.org/a --allow-remote',
    { ...plain, measure: 'https://live.example.org/a' },
  ],
])('%s', (line, command) => {
  expect(parse(line)).toEqual(command);
});

test.each([
  ['', /^Give --users:/],
  ['--users 10', /^Give --mal:/],
  ['--users 0 --mal 2', /^--users is "0": give an integer from 1/],
  ['--users 10 --mal 1e-9', /^--mal is "1e-9": give seconds from 0.001 to 31536000/],
  ['--users 10 --mal 2 --connection-kib 0', /^--connection-kib is "0": give KiB from 0.1/],
  ['--users many --mal 2', /^--users is "many"/],
  ['--users 10 --mal 0', /^--mal is "0": give seconds/],
  ['--users 10 --mal 2 --every -1', /^--every is "-1"/],
  ['--users 10 --mal 2 --every soon', /^--every is "soon": give seconds/],
  ['--users 10 --mal 2 --payload 1.5', /^--payload is "1.5"/],
  ['--users 10 --mal 2 --requests-per-second 0', /^--requests-per-second is "0"/],
  ['--users 10 --mal 2 --deliveries-per-second x', /^--deliveries-per-second is "x"/],
  ['--users 10 --mal 2 --cdn none', /^--cdn is "none"/],
  ['--users 10 --mal 2 --cdn 0', /^--cdn is "0"/],
  ['--users 10 --mal 2 --format xml', /^--format is "xml": give one of text, json/],
  ['--users 10 --mal 2 --allow-remote', /^--allow-remote belongs to --measure URL/],
  ['--users 10 --mal 2 --measure ftp://localhost/a', /^--measure is "ftp:\/\/localhost\/a": give a URL of HTTP/],
  [
    '--users 10 --mal 2 --measure http://localhost/a --requests-per-second 9',
    /^Both --requests-per-second and --measure were given/,
  ],
  ['--users 10 --mal 2 --more', /--more/],
  ['--users 10 --mal 2 extra', /extra/],
])('%s makes no command', (line, problem) => {
  expect(() => parse(line)).toThrow(
    expect.objectContaining({ code: 'ERR_USAGE', message: expect.stringMatching(problem) }),
  );
  expect(() => parse(line)).toThrow(/See ldes-live capacity --help\.$/);
});

test.each([
  'http://live.example.org/a',
  'http://localhost.example.org/a',
  'http://127.0.0.1.example.org/a',
  'http://128.0.0.1/a',
  'http://[::2]/a',
])('CAP-9 %s is not measured unless that is allowed', (url) => {
  expect(() => parse(`--users 10 --mal 2 --measure ${url}`)).toThrow(/on another machine.*--allow-remote/);
});

const NOW_MS = Date.UTC(2026, 0, 1, 0, 0, 5);
const DATE = 'Thu, 01 Jan 2026 00:00:05 GMT';
const MODIFIED = 'Thu, 01 Jan 2026 00:00:00 GMT';
const facts = (fields: Record<string, string>) => answerFacts('http://a.example/s/latest', new Headers(fields), NOW_MS);

test.each([
  [{}, {}],
  [{ date: DATE, 'cache-control': 'public, max-age=1' }, {}],
  [{ date: DATE, 'cache-control': 'public, max-age=15' }, { intervalSeconds: 15 }],
  [{ 'cache-control': 'max-age=15' }, { intervalSeconds: 15 }],
  [{ 'cache-control': 's-maxage=15' }, {}],
  [{ date: DATE, 'cache-control': 'max-age=15', 'last-modified': MODIFIED }, { intervalSeconds: 20 }],
  [
    {
      date: DATE,
      'cache-control': 'max-age=15',
      'last-modified': MODIFIED,
      'next-update': '2026-01-01T00:00:30.500Z',
    },
    { intervalSeconds: 30.5 },
  ],
  // An update that is late says nothing of the interval.
  [{ date: DATE, 'next-update': '2026-01-01T00:00:04.000Z' }, {}],
  [{ date: 'never', 'next-update': 'soon' }, {}],
])('CAP-13 the interval of %j', (fields, expected) => {
  expect(facts(fields as Record<string, string>)).toEqual(expected);
});

test.each([
  ['</s/events>; rel="alternate"; break-even="40"', { breakEvenSeconds: 40 }],
  ['</s/latest>; rel="current"', { latestUrl: 'http://a.example/s/latest' }],
  ['<http://a.example/t>; rel=current', { latestUrl: 'http://a.example/t' }],
  ['<http://b.example/t>; rel="current"', {}],
  ['</t>; rel="currently"', {}],
])('CAP-13 links %s', (link, expected) => {
  expect(facts({ link })).toEqual(expected);
});

test.each([
  ['http://localhost:81/t', { latestUrl: 'http://127.0.0.1:81/t' }],
  ['http://[::1]:81/t', { latestUrl: 'http://127.0.0.1:81/t' }],
  ['http://localhost:82/t', {}],
  ['https://localhost:81/t', {}],
  ['http://a.example:81/t', {}],
  ['mailto:a@a.example', {}],
  ['//[', {}],
])('CAP-9 of a server on this machine a link to %s', (target, expected) => {
  const headers = new Headers({ link: `<${target}>; rel="current"` });
  expect(answerFacts('http://127.0.0.1:81/s', headers, NOW_MS)).toEqual(expected);
});
