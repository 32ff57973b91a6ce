import { DEFAULT_CAPACITY_COSTS } from '@ldes-live/latency';
import { expect, test } from 'vitest';
import { capacityRatios, capacityWarnings } from '../../src/capacity/capacity.ts';
import { capacityPlan, capacitySeconds } from '../../src/capacity/capacity-plan.ts';
import type { CapacityRound } from '../../src/capacity/capacity-round.ts';
import { capacitySections, costsOf } from '../../src/capacity/capacity-sections.ts';
import type { LinesFigure } from '../../src/report/figure.ts';

const ASKED = { quick: false, only: [], seed: 1 };

/** A round by the published figures, or as many times quicker. */
function roundOf(factor: number, more: Partial<CapacityRound> = {}): CapacityRound {
  const polled = { perSecond: 2000 * factor, answers: 1000, answerBytes: 6200 };
  return {
    plain: { ...polled, cpuMicros: 1e6 / (2520 * factor) },
    zipped: { ...polled, cpuMicros: 1e6 / (5040 * factor), answerBytes: 2250 },
    documentBytes: 5000,
    push: {
      cpuMicros: 1e6 / (5000 * factor),
      expected: 100,
      lost: 0,
      doubled: 0,
      deliveryBytes: 5228,
      p50Ms: 10,
      p99Ms: 20,
      loadShare: 0.5,
      histogram: { max: 5, counts: [5, 100] },
    },
    processBytes: 90 * 1024 ** 2,
    streamBytes: 10_240,
    pollerBytes: 2048,
    ...more,
  };
}

test('costs are the medians of the rounds', () => {
  const costs = costsOf([roundOf(3), roundOf(1), roundOf(2)]);
  expect(costs.requestsPerSecond).toBeCloseTo(5040, 6);
  expect(costs.deliveriesPerSecond).toBeCloseTo(10_000, 6);
  expect(costs).toMatchObject({ bytesPerStream: 10_240, bytesPerPoller: 2048, pollOverheadBytes: 1200 });
  // 5,000 bytes are 1,050 in gzip.
  expect(costs.pollCompression).toBeCloseTo(5000 / 1050, 6);
});

test('where the system does not tell of memory, the defaults count', () => {
  const { processBytes: _, streamBytes: __, pollerBytes: ___, ...round } = roundOf(1);
  expect(costsOf([round])).toMatchObject({
    bytesPerProcess: DEFAULT_CAPACITY_COSTS.bytesPerProcess,
    bytesPerStream: DEFAULT_CAPACITY_COSTS.bytesPerStream,
    bytesPerPoller: DEFAULT_CAPACITY_COSTS.bytesPerPoller,
  });
});

test('with the published rates the figure crosses where the article has it, and its lines are the published ones', () => {
  const figures = capacitySections([roundOf(1)]).flatMap(({ figures = [] }) => figures) as LinesFigure[];
  const [figure] = figures as [LinesFigure];
  expect(figure.marks?.[0]?.at).toBeCloseTo(9.92, 2);
  const [polling, push, ...published] = figure.series;
  const rounded = (series?: (typeof figure.series)[number]) => series?.points.map(({ x, y }) => [x, Math.round(y)]);
  expect(rounded(polling)).toEqual(rounded(published[0]));
  expect(rounded(push)).toEqual(rounded(published[1]));
  expect(rounded(polling)).toContainEqual([5, 12_600]);
  expect(rounded(push)).toContainEqual([10, 25_000]);
});

test('where polls cost less than deliveries there is no crossing, and the report says so', () => {
  const round = roundOf(1);
  const [, section] = capacitySections([{ ...round, push: { ...round.push, cpuMicros: 1e6 / 2000 } }]);
  expect(section?.figures?.[0]).not.toHaveProperty('marks');
  expect(section?.text[0]).toContain('polling serves more users here whatever the MAL');
});

test('both encodings of polls are stated', () => {
  const round = roundOf(1);
  const [, section] = capacitySections([{ ...round, zipped: { ...round.zipped, cpuMicros: 1e6 / 2000 } }]);
  expect(section?.text[1]).toMatch(/answers 2000 a second instead of 2520, .* crossing at 12\.5 s/);
  expect(capacitySections([round])[1]?.text[1]).toMatch(/answers 5040 .* makes no crossing/);
});

test('formula 1 gives the published users', () => {
  const section = capacitySections([roundOf(1)]).find(({ title }) => title === 'Formula 1');
  expect(
    section?.tables?.[0]?.rows.map(([mal, published, reckoned]) => [mal, published, Math.round(Number(reckoned))]),
  ).toEqual([
    ['4', 10_000, 10_080],
    ['5', 12_600, 12_600],
    ['10', 25_000, 25_200],
  ]);
});

test('the report ends with the command line that reckons with its figures', () => {
  const textOf = (rounds: readonly CapacityRound[]) => capacitySections(rounds).at(-1)?.text[0];
  const text = textOf([roundOf(3), roundOf(1), roundOf(2)]);
  expect(text).toMatch(/^`ldes-live capacity --requests-per-second 5040 --deliveries-per-second 10000` /);
  expect(text).toContain('`--connection-kib 10 --poll-connection-kib 2`');
  // The command takes no 0.
  expect(textOf([roundOf(1, { streamBytes: 7730, pollerBytes: 0 })])).toContain(
    '`--connection-kib 7.5 --poll-connection-kib 0.1`',
  );
});

test('tables have as many cells as columns', () => {
  for (const { tables = [] } of capacitySections([roundOf(1), roundOf(2)])) {
    for (const { columns, rows } of tables) for (const row of rows) expect(row).toHaveLength(columns.length);
  }
});

test('ratios are those of one round', () => {
  expect(capacityRatios([roundOf(1), roundOf(4)])).toEqual({
    'deliveries of a core / polls of a core': expect.objectContaining({
      repeats: 2,
      median: expect.closeTo(5000 / 2520, 9),
    }),
    'polls of a core, gzip / plain': expect.objectContaining({ repeats: 2, median: expect.closeTo(2, 9) }),
  });
});

test('a lost delivery and a saturated load are said first', () => {
  const { push } = roundOf(1);
  expect(capacityWarnings([roundOf(1)])).toEqual([]);
  expect(
    capacityWarnings([
      roundOf(1),
      roundOf(1, { push: { ...push, lost: 1, doubled: 1 } }),
      roundOf(1, { push: { ...push, loadShare: 0.9 } }),
    ]),
  ).toEqual([
    'round 2: 1 of 100 deliveries did not come, 1 came twice',
    'round 3: the load took 90 % of its core: delays may be its own',
  ]);
});

test('what is asked for stands in the plan, and keeps to the budget', () => {
  expect(capacitySeconds(ASKED)).toBeLessThanOrEqual(90);
  expect(capacitySeconds({ ...ASKED, quick: true })).toBeLessThanOrEqual(5);
  expect(capacityPlan({ ...ASKED, clients: [70, 80], repeats: 2, durationSeconds: 5 })).toMatchObject({
    pollers: 80,
    streams: 80,
    repeats: 2,
    pollMs: 5000,
    updates: 10,
  });
  expect(capacityPlan({ ...ASKED, clients: [25_000] }).streams).toBe(10_000);
});
