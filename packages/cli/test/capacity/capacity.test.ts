import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { capacityReport } from '../../src/capacity/capacity.ts';
import type { Measured } from '../../src/capacity/capacity-measure.ts';
import { runCommand } from '../run-command.ts';

const run = async (line: string) => await runCommand('capacity', ...line.split(' ').filter(Boolean));
const text = async (line: string) => (await run(line)).output;

test('the answer comes first, then both modes, then what it was computed with', async () => {
  const { code, output, errorOutput } = await run('--users 10000 --mal 2 --every 20');
  expect([code, errorOutput]).toEqual([0, '']);
  expect(output.split('\n')).toEqual([
    'Push serves them: 10,000 users at MAL 2 s need 1 core, 256 MiB and 2.6 MB/s.',
    'Break-even: MAL 80 s. Push takes less processor time below it, polling above.',
    'Clients are pushed to: a server advertises a break-even of 10 s by default.',
    '',
    '              cores   busy  a second  a second, peak   memory       sent  sent, peak       gzip  gzip, peak',
    'push              1   13 %       500    5,000 events  256 MiB   2.6 MB/s   26.3 MB/s   263 kB/s    2.6 MB/s',
    'push, CDN         1   13 %       500    5,000 events  256 MiB   2.6 MB/s   26.3 MB/s   263 kB/s    2.6 MB/s',
    'polling           1   50 %       500  5,000 requests  217 MiB   3.2 MB/s   32.0 MB/s   1.3 MB/s   12.5 MB/s',
    'polling, CDN      1  0.5 %         5     50 requests  101 MiB  32.0 kB/s    320 kB/s  12.5 kB/s    125 kB/s',
    '',
    'Computed with 20 s between updates (given), a state of 5.2 kB (default), 10,000 requests/s',
    '(default), 40,000 deliveries/s (default) a core.',
    'specs/capacity.md has the formulas, the defaults and the limits, and says how to measure your own.',
    '',
  ]);
});

test('where both take about as much, it says that either will do', async () => {
  const output = await text('--users 10000 --mal 75 --every 20');
  expect(output).toMatch(/^Either serves them: .* need 1 core, .* by push, 1 core, .*\nMiB and .* by polling\.$/m);
  expect(output).not.toContain('config.yml');
});

test('where clients would choose the other mode, it says so and prints what to state', async () => {
  const output = await text('--users 1000 --mal 60 --every 20');
  expect(output).toMatch(/^Push serves them/);
  expect(output).toContain('Clients poll: a server advertises a break-even of 10 s by default.');
  expect(output).toMatch(/^For push, add this to the stream in config\.yml: {2}breakEven: 80s$/m);
  expect(await text('--users 10000 --mal 2 --every 20 --cdn')).toMatch(/^For polling, add this .* breakEven: 0s$/m);
});

test('a state of another size than measured, and a core that sends too much, are warned of', async () => {
  const output = await text('--users 1000000 --mal 2 --payload 200000');
  expect(output).toContain('Warning: the rates are those of a state of 5.2 kB; of 200 kB a core does fewer');
  expect(output).toContain('Warning: by push a core would send 5.6 GB/s');
  expect(output).toContain('Warning: by polling a core would send 1.4 GB/s');
});

test('JSON has the units in its names', async () => {
  const rates = '--requests-per-second 2520 --deliveries-per-second 5000 --every 5';
  const { code, output } = await run(`--users 25200 --mal 10 --format json --payload 100 ${rates}`);
  expect(code).toBe(0);
  const report = JSON.parse(output);
  expect(Object.keys(report).join(' ')).toBe(
    'mode isEitherEnough reason breakEvenSeconds isBreakEvenReckoned clients warnings withCdn cdnPops users malSeconds ' +
      'intervalSeconds payloadBytes costs origins straight cdn',
  );
  expect(report).toMatchObject({
    clients: { advertisedSeconds: 10, isMeasured: false, mode: 'pull' },
    costs: { requestsPerSecond: 2520, deliveriesPerSecond: 5000, utilisation: 0.7 },
    origins: { interval: 'given', payload: 'given', requests: 'given', deliveries: 'given' },
    straight: {
      pull: { peakPerSecond: 2520, busyCores: 1, cores: 2, connections: 25_200 },
      push: { peakPerSecond: 5040, meanPerSecond: 5040, cores: 2 },
    },
    cdn: { pull: { peakPerSecond: 20, cores: 1 } },
  });
});

test('a server of this machine is measured, and tells what was not given', async () => {
  const fields = { 'cache-control': 'max-age=20', link: '</events>; rel="alternate"; break-even="12.5"' };
  const server = await httpServer((_, response) => response.writeHead(200, fields).end('x'.repeat(700)));
  onTestFinished(() => server.close());
  const { code, output, errorOutput } = await run(`--users 10 --mal 2 --measure ${server.url}`);
  expect([code, errorOutput]).toEqual([0, '']);
  const found = output.replaceAll('\n', ' ');
  expect(found).toContain('20 s between updates (measured), a state of 700 B (measured), ');
  expect(found).toMatch(/[\d,]+ requests\/s \(measured\), [\d,]+ deliveries\/s \(derived\) a core\./);
  expect(output).toContain('Break-even: MAL 80 s.');
  expect(output).toContain('Clients are pushed to: this server advertises a break-even of 13 s.');
}, 10_000);

const OPTIONS = { users: 1000, mal: 60, every: 20, format: 'text' } as const;
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
] as const)('the rates of %j, measured %j', (rates, measured, expected) => {
  const { costs, origins, breakEvenSeconds } = capacityReport({ ...OPTIONS, ...rates }, measured);
  const { requestsPerSecond, deliveriesPerSecond } = costs;
  expect([requestsPerSecond, deliveriesPerSecond, origins.requests, origins.deliveries]).toEqual(expected);
  expect(breakEvenSeconds).toBeCloseTo((20 * deliveriesPerSecond) / requestsPerSecond, 9);
});

test('sizes are compared with what was measured', () => {
  expect(capacityReport(OPTIONS, MEASURED).warnings).toEqual([]);
  expect(capacityReport({ ...OPTIONS, payload: 13_000 }, MEASURED).warnings).toEqual([
    'the rates are measured with 27.0 kB; of 13.0 kB a core does more: measure your own.',
  ]);
  expect(capacityReport({ ...OPTIONS, payload: 10_400 }).warnings).toEqual([]);
  expect(capacityReport({ ...OPTIONS, payload: 10_401 }).warnings).toHaveLength(1);
});

test('what others took of the machine is warned of', () => {
  const measured = { ...MEASURED, otherLoad: { busyCores: 1.634, cores: 2 } };
  expect(capacityReport(OPTIONS, measured)).toMatchObject({
    warnings: ['other programs took 1.6 of 2 cores: the measured rate is likely too low, measure again without them.'],
    measured: { otherLoad: { busyCores: 1.634, cores: 2 } },
  });
});

test.each([
  [60, undefined, { advertisedSeconds: 10, isMeasured: false, mode: 'pull', configLine: 'breakEven: 80s' }],
  [60, 81, { advertisedSeconds: 81, isMeasured: true, mode: 'push' }],
  [120, 200, { advertisedSeconds: 200, isMeasured: true, mode: 'push', configLine: 'breakEven: 80s' }],
  // Either will do.
  [79, undefined, { advertisedSeconds: 10, isMeasured: false, mode: 'pull' }],
] as const)('with MAL %d s and %s s advertised clients do this', (mal, breakEvenSeconds, clients) => {
  const measured = breakEvenSeconds && { ...MEASURED, breakEvenSeconds };
  expect(capacityReport({ ...OPTIONS, mal }, measured).clients).toEqual(clients);
});

test('without an interval the advertised break-even counts', () => {
  const { every: _, ...options } = OPTIONS;
  const report = capacityReport(options, { ...MEASURED, breakEvenSeconds: 70 });
  expect(report).toMatchObject({ mode: 'push', breakEvenSeconds: 70, isBreakEvenReckoned: false });
});

const OTHERS = ['live.example.org', 'localhost.example.org', '127.0.0.1.example.org', '128.0.0.1', '[::2]'];

test.each(OTHERS)('CAP-9 a server at %s is not measured unless that is allowed', async (host) => {
  const { code, errorOutput } = await run(`--users 10 --mal 2 --measure http://${host}/a`);
  expect(code).toBe(2);
  expect(errorOutput).toMatch(/^ERR_USAGE: .*is another machine.*--allow-remote/);
});
