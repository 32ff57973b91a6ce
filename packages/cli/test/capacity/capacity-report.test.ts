import { expect, test } from 'vitest';
import { capacityReport } from '../../src/capacity/capacity-report.ts';
import { capacityText } from '../../src/capacity/capacity-text.ts';
import type { Measured } from '../../src/capacity/measure-url.ts';

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

test('CAP-15 a short figure that would lead clients astray gets its digits', () => {
  const rates = { requestsPerSecond: 10_000, deliveriesPerSecond: 37_400 };
  const { straight, advice } = capacityReport({ ...COMMAND, ...rates, every: 2, mal: 5 });
  expect(straight.breakEvenSeconds).toBeCloseTo(7.48, 9);
  expect(advice).not.toHaveProperty('configLine');
  const few = capacityReport({ ...COMMAND, ...rates, every: 2, mal: 5 }, { ...MEASURED, breakEvenSeconds: 1 });
  expect(few.advice.configLine).toBe('breakEven: 7.5s');
});

test('CAP-5 without an interval the advertised break-even counts', () => {
  const { every: _, ...command } = COMMAND;
  expect(capacityReport(command, { ...MEASURED, breakEvenSeconds: 70 }).straight).toMatchObject({
    mode: 'push',
    breakEvenSeconds: 70,
    isReckoned: false,
  });
});
