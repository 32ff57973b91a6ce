import { expect, test } from 'vitest';
import { judgeBars } from '../../src/e1/bars.ts';
import { cellRun, latencyOf, summarized } from './made-up-runs.ts';

const CLIENTS = 10_000;
const KIB = 1024;

function barsFor(liveMicros: number, liveP99Ms: number, kibPerClient: number) {
  const memory = { residentBytesBefore: 0, residentBytes: CLIENTS * kibPerClient * KIB };
  const runs = [
    cellRun(
      { way: 'sse-live', clients: CLIENTS },
      { leanCpuMicros: liveMicros, latency: latencyOf([liveP99Ms]), ...memory },
    ),
    cellRun({ way: 'sse-c', clients: CLIENTS }, { leanCpuMicros: 10, latency: latencyOf([100]) }),
    cellRun({ way: 'sse-fastify', clients: CLIENTS }, { leanCpuMicros: 39 }),
    cellRun({ way: 'sse-nchan', clients: CLIENTS }, { leanCpuMicros: 13 }),
  ];
  return judgeBars(runs, summarized(runs), CLIENTS).map(({ verdict }) => verdict.replace(/[ ,].*/, ''));
}

test('bars are kept at their limits', () => {
  expect(barsFor(12.9, 149, 12).slice(0, 5)).toEqual(['kept', 'kept', 'kept', 'kept', 'kept']);
});

test('bars are missed just past their limits', () => {
  expect(barsFor(13.1, 152, 12.1).slice(0, 5)).toEqual(['missed', 'missed', 'missed', 'missed', 'missed']);
});

test('a bar that is missed says by how much', () => {
  const runs = [
    cellRun({ way: 'sse-live', clients: CLIENTS }, { leanCpuMicros: 14.3 }),
    cellRun({ way: 'sse-c', clients: CLIENTS }, { leanCpuMicros: 10 }),
  ];
  expect(judgeBars(runs, summarized(runs), CLIENTS)[0]).toMatchObject({
    bar: 'at most 1.30',
    verdict: 'missed, 10.0 % above the limit',
  });
});

test('a bar says where the repeats lie on both sides of its limit', () => {
  const runs = [12, 12.5, 14].flatMap((leanCpuMicros, repeat) => [
    cellRun({ way: 'sse-live', clients: CLIENTS, repeat }, { leanCpuMicros }),
    cellRun({ way: 'sse-c', clients: CLIENTS, repeat }, { leanCpuMicros: 10 }),
  ]);
  expect(judgeBars(runs, summarized(runs), CLIENTS)[0]?.verdict).toBe(
    'kept by the median; the repeats lie on both sides, 3.85 % below the limit',
  );
});

test('what was not run is not measured', () => {
  expect(
    judgeBars([], [], CLIENTS)
      .slice(0, 7)
      .every(({ verdict }) => verdict === 'not measured'),
  ).toBe(true);
});

test('delays of a load that was busy with itself judge nothing', () => {
  const runs = [
    { ...cellRun({ way: 'sse-live', clients: CLIENTS }), refusal: 'busy' },
    cellRun({ way: 'sse-c', clients: CLIENTS }),
  ];
  const p99 = judgeBars(runs, summarized(runs), CLIENTS).find(({ what }) => what.startsWith('99th'));
  expect(p99?.verdict).toBe('not measured');
});

test('our polling client is judged where it did worst', () => {
  const runs = [100, 1000].map((clients) =>
    cellRun(
      { way: 'mal-5', clients },
      { requests: clients * (clients === 100 ? 1.2 : 1), latency: latencyOf([clients === 1000 ? 5100 : 10]) },
    ),
  );
  const bars = judgeBars(runs, summarized(runs), CLIENTS);
  expect(bars.find(({ what }) => what.startsWith('Requests'))).toMatchObject({
    what: expect.stringContaining('100 clients'),
    verdict: expect.stringContaining('missed'),
  });
  expect(bars.find(({ what }) => what.startsWith('Updates later'))?.verdict).toContain('missed');
});
