import { describe, expect, test } from 'vitest';
import { cellsToRun, crossingWays } from '../../src/e1/cells-to-run.ts';
import { e1Plan, polledUpdates, pushedUpdates } from '../../src/e1/e1-plan.ts';
import { e1Seconds } from '../../src/e1/e1-seconds.ts';

const ASKED = { quick: false, only: [], seed: 1 } as const;
const FULL = e1Plan(ASKED);

test('the plan is that of the article, and takes an hour at most', () => {
  expect(FULL.clients).toEqual([100, 1000, 5000, 10_000, 25_000]);
  expect(FULL.repeats).toBe(3);
  expect(e1Seconds(ASKED)).toBeLessThanOrEqual(60 * 60);
});

test('a quick run takes half a minute or so', () => {
  expect(e1Seconds({ ...ASKED, quick: true })).toBeLessThanOrEqual(45);
});

test('what is asked for stands instead of the plan', () => {
  const plan = e1Plan({ ...ASKED, clients: [300, 200], repeats: 1, durationSeconds: 20, malSeconds: [1, 2] });
  expect(plan).toMatchObject({ clients: [200, 300], repeats: 1, malSeconds: [1, 2] });
  expect(polledUpdates(plan)).toBe(4);
});

test('the bars are judged at the number of clients nearest to 10,000', () => {
  expect(FULL.barClients).toBe(10_000);
  expect(e1Plan({ ...ASKED, clients: [100, 9000, 25_000] }).barClients).toBe(9000);
});

test('pushed updates leave time for all clients, and never more than from one to the next', () => {
  expect([100, 5000, 10_000, 25_000].map((clients) => pushedUpdates(FULL, clients))).toEqual([
    { intervalMs: 1000, count: 3 },
    { intervalMs: 1250, count: 3 },
    { intervalMs: 2500, count: 3 },
    { intervalMs: 5000, count: 2 },
  ]);
});

describe('cells', () => {
  test('are all ways with every number of clients, and the loop in C where the bars are judged', () => {
    const cells = cellsToRun(FULL, [], false);
    expect(cells.filter(({ clients }) => clients === 100)).toHaveLength(10);
    expect(cells.filter(({ way }) => way.id === 'sse-c').map(({ clients }) => clients)).toEqual([10_000]);
  });

  test('are chosen by their kind or by their id', () => {
    const ids = (only: readonly string[]) => [...new Set(cellsToRun(FULL, only, false).map(({ way }) => way.id))];
    expect(ids(['mal'])).toEqual(['mal-5']);
    expect(ids(['polling-express', 'sse-nchan'])).toEqual(['polling-express', 'sse-nchan']);
    expect(ids(['crossing'])).toEqual([]);
  });
});

test('the crossing is left out when other measurements are chosen', () => {
  expect(crossingWays(['sse'], false)).toEqual([]);
  expect(crossingWays(['crossing'], false).map(({ id }) => id)).toEqual([
    'polling-express',
    'polling-live',
    'polling-live-nginx',
    'polling-live-varnish',
  ]);
});
