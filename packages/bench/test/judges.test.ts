/* What rounds and clients are judged by. */
import { expect, test } from 'vitest';
import { type CrossingRun, crossingSeconds, keepsUp } from '../src/e1/crossing-run.ts';
import { judgeCrossings } from '../src/e1/judge-crossing.ts';
import type { RequestRound } from '../src/e1/request-loop.ts';
import { LatencyHistogram } from '../src/load/latency-histogram.ts';

function requests(asked: number, served: number, cpuMicros = 300_000): RequestRound {
  const load = { cpuMicros, wallMicros: 1_000_000, longestLoopLagMicros: 1000, processes: 1, late: 0, failed: 0 };
  const servedInTenths = Array.from({ length: 10 }, () => served / 10);
  return { ...load, asked, served, servedInTenths, responseTime: new LatencyHistogram().toSparse() };
}

const CLIENTS = 10_000;
const at = (part: number, served: number) => {
  return { part, periodMs: 1000 * part, round: requests(Math.round(CLIENTS / part), served) };
};

/** The crossing of a run that foretells 10,000 requests a second, and serves so many at each part of the period. */
function crossing(rates: readonly (readonly [part: number, served: number])[], more: Partial<CrossingRun> = {}) {
  const capacity = requests(CLIENTS, CLIENTS);
  const run = {
    server: 'ldes-live',
    between: 'straight',
    repeat: 0,
    capacity,
    clients: CLIENTS,
    ...more,
  } as CrossingRun;
  return judgeCrossings([{ ...run, rates: rates.map(([part, served]) => at(part, served)) }], CLIENTS)[0];
}

test('formula 1 with the numbers of the article; a server keeps up when all but 2 % is answered', () => {
  expect(crossingSeconds(25_000, 2520)).toBeCloseTo(9.92, 2);
  expect([980, 979].map((served) => keepsUp({ round: requests(1000, served) }))).toEqual([true, false]);
});

test.each([
  ['agrees', 8333, 8400, 1.19],
  ['differs', 8200, 8300, 1.205],
])('the crossing of a server that does not keep up at 1.1 %s within 20 %', (verdict, slowest, others, agreement) => {
  const found = crossing([
    [1.1, others],
    [1.2, slowest],
    [0.9, others],
  ]);
  expect(found).toMatchObject({ verdict, agreement: { median: expect.closeTo(agreement, 2) } });
});

test('the crossing is refused when the load was busy with itself, or its pausing clients could not fill the server', () => {
  const rates = [
    [1.1, 9090],
    [0.9, 9000],
  ] as const;
  const busy = crossing(rates, { capacity: requests(CLIENTS, CLIENTS, 950_000) });
  expect(busy).toMatchObject({ verdict: 'refused', why: expect.stringContaining('95 %') });
  expect(busy?.requestsPerSecond).toBeUndefined();
  expect(crossing(rates, { clients: 1000, pauseMs: 90 })?.verdict).toBe('agrees');
  const why = expect.stringMatching(/1000 clients that pause for 91 ms/);
  expect(crossing(rates, { clients: 1000, pauseMs: 91 })).toMatchObject({ verdict: 'refused', why });
});
